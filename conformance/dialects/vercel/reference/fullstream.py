"""The reference adapter from full streams to VS Code: its endpoint and its factory."""

from __future__ import annotations

from conformance.dialects.client import transport
from conformance.dialects.client.counting import Counting
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.fullstream_request import request
from conformance.dialects.vercel.reference.machine import FullStream

DIALECT = "vercel-fullstream"
UPSTREAM = Upstream("reference-fullstream-vscode", DIALECT, "/full-stream", request)


class Adapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an upstream of full-stream parts."""

    def __init__(
        self, traits: Traits | None = None, machine: type[FullStream] = FullStream
    ) -> None:
        """Raises ValueError if a trait has a value that the machine does not know."""
        super().__init__(UPSTREAM, machine, traits)


def adapter(traits: Traits | None = None) -> Counting:
    """Create the adapter, with token counting; an `adapter.yaml` may name this function."""
    return Counting(Adapter(traits))
