"""The reference adapter from UI message streams to VS Code: its endpoint and its factory."""

from __future__ import annotations

from conformance.dialects.client import transport
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.fields import UI
from conformance.dialects.vercel.reference.machine import FullStream
from conformance.dialects.vercel.reference.ui_request import request

DIALECT = "vercel-ui"
UPSTREAM = Upstream("reference-ui-vscode", DIALECT, "/chat", request)


class Adapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an upstream of UI message chunks."""

    def __init__(
        self, traits: Traits | None = None, machine: type[FullStream] = FullStream
    ) -> None:
        """Raises ValueError if a trait has a value that the machine does not know."""
        super().__init__(UPSTREAM, lambda given: machine(given, UI), traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return Adapter(traits)
