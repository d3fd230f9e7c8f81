"""The interface between the machine and a vocabulary, and the emitter of `vscode` parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from conformance.dialects.client.fields import Event, Part
from conformance.dialects.client.machine import THINKING_PREFIX
from conformance.dialects.openresponses.reference.attachments import (
    Cited,
    Source,
    citation,
    image,
    link,
)
from conformance.dialects.openresponses.reference.contents import (
    REASONING,
    REFUSAL,
    SUMMARY,
    TEXT,
)
from conformance.dialects.openresponses.reference.response_state import Call, Item

TRAITS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("thinking", "text", "prefixed", "hidden"),
    "refusal": ("text", "error", "hidden"),
    "annotations": ("link", "data", "hidden"),
    "errors": ("reject", "part", "text"),  # the vocabulary has no error part: `part` rejects
    "emit_call_at": ("complete", "end"),
}
"""The values of each trait, the default first; `call_id_prefix` is any text, empty by default."""

CITATION_PARTS: Mapping[str, Callable[[Source], list[Part]]] = {
    "link": link,
    "data": citation,
    "hidden": lambda _: [],
}


class Emitter(Protocol):
    """Creates the parts of a vocabulary, and collects them until `take` returns them.

    It is given each piece of content once. `refusal` is the text of refusals that are errors.
    """

    refusal: str

    def take(self) -> list[Part]: ...

    def text(self, item: Item, channel: str, index: int, text: str) -> None: ...

    def encrypted(self, item: Item, encrypted: str) -> None: ...

    def citations(self, item: Item, cited: list[Cited]) -> None: ...

    def image(self, item: Item, source: Event) -> None: ...

    def call_part(self, call: Call, input_: Mapping[str, object]) -> Part: ...

    def call(self, call: Call, part: Part) -> None: ...

    def end(self, failure: object = None) -> None: ...


class VscodeEmitter:
    """Collects the parts to emit until `take` returns them.

    `refusal` is the text of refusals if they are reported as errors.
    """

    def __init__(self, traits: Event, prefix: str) -> None:
        """`traits` has a value for each of `TRAITS`; `prefix` is put before call ids."""
        self._traits = traits
        self._prefix = prefix
        self._routes = {
            TEXT: "text",
            REFUSAL: self._traits["refusal"],
            REASONING: self._traits["reasoning"],
            SUMMARY: self._traits["reasoning"],
        }
        self.refusal = ""
        self._out: list[Part] = []
        self._calls_for_end: list[Part] = []

    def take(self) -> list[Part]:
        """Return the collected parts, and forget them."""
        parts, self._out = self._out, []
        return parts

    def text(self, item: Item, channel: str, index: int, text: str) -> None:
        """Emit a piece of text of any channel; ``index`` is that of its part in the item."""
        route = self._routes[channel]
        if not text or route == "hidden":
            return
        if route == "error":
            self.refusal += text
        elif route == "text":
            self._out.append({"type": "text", "value": text})
        elif route == "prefixed":
            self._out.append({"type": "text", "value": THINKING_PREFIX + text})
        else:
            # The id identifies the block of a part, so no separator is needed.
            block = {"id": f"{item.id}:{index}" if index else item.id} if item.id else {}
            self._out.append({"type": "thinking", "value": text, **block})

    def encrypted(self, item: Item, encrypted: str) -> None:
        """Emit the encrypted reasoning of an item once; the host sends it back later."""
        if encrypted and not item.encrypted_emitted and self._routes[REASONING] == "thinking":
            block = {"id": item.id} if item.id else {}
            metadata = {"encrypted_content": encrypted}
            self._out.append({"type": "thinking", "value": "", **block, "metadata": metadata})
        item.encrypted_emitted = item.encrypted_emitted or bool(encrypted)

    def citations(self, _item: Item, cited: list[Cited]) -> None:
        for source, _ in cited:
            self._out += CITATION_PARTS[str(self._traits["annotations"])](source)

    def image(self, item: Item, source: Event) -> None:
        """Emit a generated image once, whatever its status; partial images are not results."""
        parts = [] if item.image_emitted else image(source)
        item.image_emitted = item.image_emitted or bool(parts)
        self._out += parts

    def call_part(self, call: Call, input_: Mapping[str, object]) -> Part:
        """The part of a call, to compare or to emit."""
        call_id = self._prefix + call.call_id
        return {"type": "toolCall", "callId": call_id, "name": call.name, "input": input_}

    def call(self, _call: Call, part: Part) -> None:
        """Emit a call now or at the end, as the trait ``emit_call_at`` says."""
        at_end = self._traits["emit_call_at"] == "end"
        (self._calls_for_end if at_end else self._out).append(part)

    def end(self, failure: object = None) -> None:
        """Emit the calls that wait for the end, and a failure's message if it is shown as text."""
        self._out += self._calls_for_end
        if failure is not None and self._traits["errors"] == "text":
            self._out.append({"type": "text", "value": f"\n\n**Error:** {failure}\n\n"})
