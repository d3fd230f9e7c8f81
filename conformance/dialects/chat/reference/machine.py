"""Reads a stream of chat completions, for any vocabulary: the machine of the reference adapters.

A chunk has a delta for each of some choices, and a choice ends when a chunk has its finish reason.
Four more rules:

1. Each field of a delta is read on its own. A delta with a call may have text too; an empty list of
   calls means nothing, and so does null (OpenAI, "The chat completion chunk object").
2. No event says that a call is complete. The finish of its choice does, if it is one after which
   calls are complete: `stop`, `tool_calls`, `function_call`. With `length`, `content_filter`, any
   other reason, an error or the end of the stream, the call may be cut off and is not emitted.
3. The first finish of a choice ends it. Only data of the response may follow: usage, an error, and
   encrypted reasoning. Anything else is ignored.
4. A response with a choice that has no finish is broken, with or without `[DONE]`.

`Chat` is the machine; it does no I/O. Its emitter creates the parts, `client.transport` feeds it,
and `calls` assigns fragments to calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from conformance.dialects.chat.reference.calls import Call, Calls
from conformance.dialects.chat.reference.emitter import Emitter, Ending
from conformance.dialects.chat.reference.errors import error_details, is_error
from conformance.dialects.chat.reference.reasoning import reasoning_of
from conformance.dialects.chat.reference.release import FINISHES, Ids, release_calls
from conformance.dialects.chat.reference.usage import usage_of
from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.machine import THINKING_PREFIX, Machine
from conformance.dialects.openresponses.reference.response_state import EmittedText

TRAITS: Mapping[str, tuple[object, ...]] = {
    "reasoning": ("thinking", "text", "prefixed", "hidden"),
    "refusal": ("text", "error", "hidden"),
    "errors": ("reject", "part", "text"),
    "choices": ("alternatives", "merge"),
}
"""The values of each trait, the default first; an emitter may have further traits."""

TAIL_GRACE = 1.0
"""Seconds to wait for usage after the response has finished, if nothing follows."""

PROVIDERS_OWN = ("function", "tool")
"""The roles of results of the provider's own tools, which are not part of the answer."""


@dataclass(slots=True)
class _Choice:
    index: int
    emitted: EmittedText = field(default_factory=EmittedText)
    calls: Calls = field(default_factory=Calls)
    function: Call | None = None
    reason: str = ""
    released_calls: int = 0


class Chat(Machine):
    """Converts the chunks of one response to parts, which the emitter creates."""

    def __init__(
        self, make_emitter: Callable[[Mapping[str, object]], Emitter], traits: Event
    ) -> None:
        """Raises ValueError if a trait has a value that is not in `TRAITS`."""
        super().__init__(traits, TRAITS)
        self.emitter = make_emitter({**traits, **self.traits})
        self._choices: dict[int, _Choice] = {}
        self._refusal: list[str] = []
        self._ids = Ids(str(traits.get("call_id_prefix") or ""))
        self._closed: Ending | None = None
        self._failed = False

    @property
    def ended(self) -> bool:
        return self._failed

    @property
    def grace_seconds(self) -> float | None:
        return TAIL_GRACE if self._finished() else None

    def _finished(self) -> bool:
        return bool(self._choices) and all(choice.reason for choice in self._choices.values())

    def event(self, data: Event) -> list[Part]:
        if self._failed:
            return []
        self._ids.response = self._ids.response or string(data, "id")
        self.usage = usage_of(data) or self.usage
        parts = self.emitter.extras(data)
        for choice in objects(data, "choices"):
            index = integer(choice, "index") or 0
            if index == 0 or self.emitter.all_choices or self.traits["choices"] == "merge":
                parts += self._choice_parts(
                    self._choices.setdefault(index, _Choice(index)), choice, data
                )
        if is_error(data):
            self._error(data)
        return parts

    def fail(self, kind: str, message: str, code: object = None) -> None:
        """Record a failure, unless there is one already or all choices have finished."""
        if not self._finished():
            super().fail(kind, message, code)

    def close(self) -> list[Part]:
        if self._closed:
            return []
        super().close()
        if self._refusal and not self.failure:
            self.failure = {"kind": "upstream", "message": "".join(self._refusal)}
        in_text = bool(self.failure) and self.traits["errors"] == "text"
        self._closed = Ending(
            {index: choice.reason for index, choice in self._choices.items()},
            "error" if self.failure else self._finish(),
            self.usage,
            self.failure,
            self._failed_choices() if self.failure else (),
            in_text,
        )
        words = f"\n\n**Error:** {self.failure['message']}\n\n" if in_text else ""
        return (self.emitter.text(0, words) if words else []) + self.emitter.close(self._closed)

    def _failed_choices(self) -> tuple[int, ...]:
        """The choices that failed: those without a finish, or all if there are none or an error."""
        left = tuple(index for index, choice in self._choices.items() if not choice.reason)
        return left if left and not self._failed else tuple(self._choices) or (0,)

    def end(self) -> dict[str, object]:
        self.close()
        assert self._closed
        return self.emitter.done(self._closed)

    def _finish(self) -> str:
        """The finish of the response: a cut-off choice, else calls that were emitted, else stop."""
        finishes = [FINISHES.get(choice.reason, "other") for choice in self._choices.values()]
        cut = next((each for each in finishes if each not in ("stop", "tool-calls")), "")
        made = any(choice.released_calls for choice in self._choices.values())
        return cut or ("tool-calls" if made else "stop")

    def _choice_parts(self, choice: _Choice, data: Event, chunk: Event) -> list[Part]:
        delta = object_(data, "delta")
        parts = self._reasoning(choice, delta)
        if not choice.reason:
            parts += self._text(choice, delta)
            parts += self._calls(choice, delta)
            self._function(choice, delta)
        reason = string(data, "finish_reason")
        # An error of the chunk has more detail than that of a choice, and is read later.
        if is_error(chunk):
            return parts
        if data.get("error") or FINISHES.get(reason) == "error":
            self._error(data)
        elif reason and not choice.reason:
            choice.reason = reason
            parts += self._release(choice)
        return parts

    def _reasoning(self, choice: _Choice, delta: Event) -> list[Part]:
        piece, route = reasoning_of(delta), self.traits["reasoning"]
        if route == "thinking" and (piece.text or piece.encrypted):
            return self.emitter.thinking(choice.index, piece)
        if route == "prefixed" and piece.text:
            return self.emitter.text(choice.index, THINKING_PREFIX + piece.text)
        # No text is emitted after the finish.
        shown = piece.text if route == "text" and not choice.reason else ""
        return self._emit_text(choice, shown)

    def _text(self, choice: _Choice, delta: Event) -> list[Part]:
        if string(delta, "role") in PROVIDERS_OWN:
            # The result of a call that the provider made itself; the host must not make it again.
            choice.function = None
            return []
        parts = self._emit_text(choice, string(delta, "content"))
        refusal, route = string(delta, "refusal"), self.traits["refusal"]
        if route == "error":
            self._refusal += [refusal] if refusal else []
        return parts + (self._emit_text(choice, refusal) if route == "text" else [])

    def _emit_text(self, choice: _Choice, delta: str) -> list[Part]:
        text = choice.emitted.add(delta) if delta else ""
        return self.emitter.text(choice.index, text) if text else []

    def _calls(self, choice: _Choice, delta: Event) -> list[Part]:
        parts: list[Part] = []
        for fragment in objects(delta, "tool_calls"):
            call = choice.calls.add(fragment)
            if call.name and self._ids.owns(call):
                id_ = self._ids.prefix + call.id
                parts += self.emitter.call_progress(choice.index, id_, call.name, call.arguments)
        return parts

    def _function(self, choice: _Choice, delta: Event) -> None:
        """Read `function_call`, the single call of a choice (OpenAI, deprecated)."""
        if piece := object_(delta, "function_call"):
            choice.function = choice.function or Call(legacy=True)
            choice.function.name = choice.function.name or string(piece, "name")
            choice.function.arguments.add(piece.get("arguments"))

    def _release(self, choice: _Choice) -> list[Part]:
        calls = [*choice.calls, *([choice.function] if choice.function else [])]
        made, lost = release_calls(choice.reason, calls, self._ids)
        choice.released_calls = len(made)
        if lost and not self.failure:
            self.failure = {"kind": "decode", "message": lost}
        return self.emitter.calls(choice.index, made) if made else []

    def _error(self, data: Event) -> None:
        self.failure = self.failure or error_details(data)
        self._failed = True
