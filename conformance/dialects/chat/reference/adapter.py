"""The reference adapter of chat completions, for any vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.chat.reference.emitter import Emitter
from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.request import ReadPart, request
from conformance.dialects.client import transport
from conformance.dialects.client.transport import Traits, Upstream

DIALECT = "chat"


class ChatAdapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an upstream of chat completions."""

    def __init__(
        self,
        name: str,
        read: ReadPart,
        traits: Traits | None = None,
        machine: type[Chat] = Chat,
        *,
        emitter: Callable[[Mapping[str, object]], Emitter],
    ) -> None:
        """The emitter creates the parts of a vocabulary, and `read` reads them for later requests.

        Raises ValueError if a trait has a value that the machine does not know.
        """
        upstream = Upstream(
            name, DIALECT, "/chat/completions", lambda run, prefix: request(run, prefix, read)
        )
        super().__init__(upstream, lambda given: machine(emitter, given), traits)
