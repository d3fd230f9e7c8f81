"""The adapters that mutants are judged in: the reference adapters, also under other traits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.drivers.python import PythonDriver
from conformance.suite.workbench import reference_adapters

if TYPE_CHECKING:
    from conformance.contract.adapter import Description
    from conformance.drivers.python import Adapter


@dataclass(frozen=True, slots=True)
class Judged:
    """An adapter: what its description says, and its factory, which may be given its traits."""

    description: Description
    factory: str
    with_traits: bool = True

    def driver(self) -> PythonDriver:
        """A driver of the adapter; its modules are imported now."""
        module, name = self.factory.split(":")
        traits = [asdict(self.description.traits)] if self.with_traits else []
        adapter: Adapter = getattr(import_module(module), name)(*traits)
        return PythonDriver(adapter)


_CONTENT = (
    Traits(reasoning="text", refusal="hidden", annotations="data", emit_call_at="end"),
    Traits(reasoning="prefixed", refusal="error", errors="text"),
    Traits("gw-", reasoning="hidden", annotations="hidden"),
)
_CHAT = (
    Traits("gw-", reasoning="text", refusal="error", choices="merge"),
    Traits(reasoning="prefixed", refusal="hidden", errors="text"),
    Traits(reasoning="hidden"),
)
OTHER_TRAITS: dict[str, tuple[Traits, ...]] = {
    "reference-openresponses-vscode": _CONTENT,
    "reference-fullstream-vscode": _CONTENT,
    "reference-gateway-vscode": _CONTENT,
    "reference-ui-vscode": _CONTENT,
    "reference-chat-vscode": _CHAT,
    "reference-chat-copilot": (
        Traits(errors="part", blank_before_call=True, choices="merge", reasoning="hidden"),
        Traits("gw-", refusal="error", errors="text"),
        Traits(reasoning="text", refusal="hidden"),
    ),
}
"""By reference adapter, traits under which it is judged too, so that each value has an adapter."""

_GATEWAY = "reference-gateway-vscode"


def client(_traits: object) -> Adapter:
    """Create the kit's client of servers that stream provider parts; it has no traits."""
    module = import_module("conformance.dialects.vercel.reference.provider_parts")
    adapter: Adapter = module.adapter()
    return adapter


@cache
def shipped() -> tuple[Judged, ...]:
    """The reference adapters as they are described."""
    described = reference_adapters()
    return tuple(Judged(each, each.drive["python"], with_traits=False) for each in described)


@cache
def others() -> tuple[Judged, ...]:
    """The reference adapters under other traits, and the client of servers of provider parts."""
    return tuple(_others())


def _others() -> Iterator[Judged]:
    for each in shipped():
        described = each.description
        for n, traits in enumerate(OTHER_TRAITS.get(described.name, ()), 1):
            # Token counting does not depend on traits.
            claims = replace(described.claims, count=False)
            name, path = f"{described.name}-{n}", described.path.with_suffix(f".{n}.yaml")
            other = replace(described, name=name, path=path, traits=traits, claims=claims)
            yield Judged(other, each.factory)
        if described.name == _GATEWAY:
            name, path = "provider-parts", described.path.with_name("provider-parts.yaml")
            traits = Traits(errors="part", annotations="data", framing="none")
            other = replace(described, name=name, path=path, vocabulary="stream", traits=traits)
            yield Judged(other, "tests.mutation.adapters:client")
