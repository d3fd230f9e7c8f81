"""The reference adapter from the AI Gateway's parts to VS Code: its endpoint and its factory."""

from __future__ import annotations

from conformance.dialects.client import transport
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.fields import PROVIDER
from conformance.dialects.vercel.reference.gateway_request import headers, request
from conformance.dialects.vercel.reference.machine import FullStream

DIALECT = "vercel-gateway"
UPSTREAM = Upstream("reference-gateway-vscode", DIALECT, "/language-model", request, headers)


class Adapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an upstream of provider parts."""

    def __init__(
        self, traits: Traits | None = None, machine: type[FullStream] = FullStream
    ) -> None:
        """Raises ValueError if a trait has a value that the machine does not know."""
        super().__init__(UPSTREAM, lambda given: machine(given, PROVIDER), traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return Adapter(traits)
