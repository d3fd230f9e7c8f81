"""The AI Gateway's provider parts over HTTP, VS Code parts out: `fullstream` is the machine."""

from __future__ import annotations

from conformance.dialects.client import transport
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.fields import PROVIDER
from conformance.dialects.vercel.reference.gateway_request import headers, request
from conformance.dialects.vercel.reference.machine import FullStream

DIALECT = "vercel-gateway"
UPSTREAM = Upstream("reference-gateway-vscode", DIALECT, "/language-model", request, headers)


class Adapter(transport.Adapter):
    """Plays runs of drive/1 against an upstream of provider parts."""

    def __init__(
        self, traits: Traits | None = None, machine: type[FullStream] = FullStream
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        super().__init__(UPSTREAM, lambda given: machine(given, PROVIDER), traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """The factory that an `adapter.yaml` names."""
    return Adapter(traits)
