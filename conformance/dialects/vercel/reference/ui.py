"""A UI message stream over HTTP, VS Code parts out: `fullstream` is the machine."""

from __future__ import annotations

from conformance.dialects.client import transport
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.fields import UI
from conformance.dialects.vercel.reference.machine import FullStream
from conformance.dialects.vercel.reference.ui_request import request

DIALECT = "vercel-ui"
UPSTREAM = Upstream("reference-ui-vscode", DIALECT, "/chat", request)


class Adapter(transport.Adapter):
    """Plays runs of drive/1 against an upstream of UI message chunks."""

    def __init__(
        self, traits: Traits | None = None, machine: type[FullStream] = FullStream
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        super().__init__(UPSTREAM, lambda given: machine(given, UI), traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """The factory that an `adapter.yaml` names."""
    return Adapter(traits)
