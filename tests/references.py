"""The reference adapters to VS Code, by the dialect that they read."""

from importlib import import_module
from typing import Any

from conformance.dialects.client.transport import Adapter
from conformance.suite.workbench import reference_adapters

_FACTORIES = {
    dialect: each.drive["python"]
    for each in reference_adapters()
    if each.vocabulary == "vscode"
    for dialect in each.dialects
}

DIALECTS = tuple(_FACTORIES)


def reference(dialect: str, traits: dict[str, Any] | None = None) -> Adapter:
    """The reference adapter of a dialect, without its counting of tokens; it rejects failures."""
    module, _, make = _FACTORIES[dialect].partition(":")
    whole: Any = getattr(import_module(module), make)({"errors": "reject", **(traits or {})})
    adapter: Adapter = getattr(whole, "adapter", whole)
    return adapter
