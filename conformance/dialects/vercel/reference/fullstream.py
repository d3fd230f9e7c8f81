"""A full stream over HTTP, VS Code parts out: `fullstream` is the machine."""

from __future__ import annotations

from conformance.dialects.client import transport
from conformance.dialects.client.counting import Counting
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.fullstream_request import request
from conformance.dialects.vercel.reference.machine import FullStream

DIALECT = "vercel-fullstream"
UPSTREAM = Upstream("reference-fullstream-vscode", DIALECT, "/full-stream", request)


class Adapter(transport.Adapter):
    """Plays runs of drive/1 against an upstream of full-stream parts."""

    def __init__(
        self, traits: Traits | None = None, machine: type[FullStream] = FullStream
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        super().__init__(UPSTREAM, machine, traits)


def adapter(traits: Traits | None = None) -> Counting:
    """The factory that an `adapter.yaml` names."""
    return Counting(Adapter(traits))
