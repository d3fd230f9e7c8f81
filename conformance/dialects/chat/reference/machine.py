"""Chat completions in: the machine of every adapter that reads them, whatever it speaks.

The wire has no items and no ends: a chunk holds a piece for each of some choices, and a choice is
over when a chunk says why. Four rules carry the rest:

1. Each field of a delta is heard by itself. Text beside a call is text, an empty list of calls is
   nothing, and so is null (OpenAI, "The chat completion chunk object").
2. A call is never said to be complete. The finish of its choice releases it, if that is one behind
   which calls are whole: `stop`, `tool_calls`, `function_call`. With `length`, `content_filter`,
   with any other word, an error or the end of the stream it may be half of one, and stays.
3. The first finish of a choice ends it. Behind it may come what belongs to the response: usage, an
   error, and the seal of a thought; what else comes is no part of the answer.
4. A response that has a choice without a finish is broken, `[DONE]` or not.

`Chat` is the machine: events in, parts out, no I/O. How things are said is its voice's affair, and
that of `transport` is to carry bytes. Which fragment belongs to which call stands in `chat_calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from conformance.dialects.chat.reference.calls import Call, Calls
from conformance.dialects.chat.reference.emitter import Close, Voice
from conformance.dialects.chat.reference.errors import is_error, told
from conformance.dialects.chat.reference.reasoning import thought
from conformance.dialects.chat.reference.release import FINISHES, Ids, released
from conformance.dialects.chat.reference.usage import usage_of
from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.openresponses.reference.response_state import EmittedText

TRAITS: Mapping[str, tuple[object, ...]] = {
    "reasoning": ("thinking", "text", "hidden"),
    "refusal": ("text", "error", "hidden"),
    "errors": ("reject", "part", "text"),
    "choices": ("alternatives", "merge"),
}
"""The choices of these adapters, the default first; a voice may have some of its own."""

TAIL_GRACE = 1.0
"""Seconds that a finished response waits for its usage, should the upstream fall silent."""

PROVIDERS_OWN = ("function", "tool")
"""The roles in which a provider shows what its own tools gave it; that is not the answer."""


@dataclass(slots=True)
class _Choice:
    index: int
    said: EmittedText = field(default_factory=EmittedText)
    calls: Calls = field(default_factory=Calls)
    function: Call | None = None
    reason: str = ""
    released: int = 0


class Chat:
    """One response in, parts of its voice's vocabulary out."""

    def __init__(self, speak: Callable[[Mapping[str, object]], Voice], traits: Event) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        self.traits = {name: traits.get(name, values[0]) for name, values in TRAITS.items()}
        for name, value in self.traits.items():
            if value not in TRAITS[name]:
                known = ", ".join(map(str, TRAITS[name]))
                raise ValueError(f"trait {name}: {value!r} is none of {known}")
        self.voice = speak({**traits, **self.traits})
        self.failure: dict[str, object] = {}
        self.usage: Event = {}
        self._choices: dict[int, _Choice] = {}
        self._refusal: list[str] = []
        self._ids = Ids(str(traits.get("call_id_prefix") or ""))
        self._closed: Close | None = None
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
        parts = self.voice.extras(data)
        for choice in objects(data, "choices"):
            index = integer(choice, "index") or 0
            if index == 0 or self.voice.hears_all or self.traits["choices"] == "merge":
                parts += self._heard(self._choices.setdefault(index, _Choice(index)), choice, data)
        if is_error(data):
            self._error(data)
        return parts

    def fail(self, kind: str, message: str, code: object = None) -> None:
        """What the upstream said of its own failure stays; otherwise the first report counts."""
        if not self.failure and not self._finished():
            self.failure = {"kind": kind, "message": message} | ({"code": code} if code else {})

    def close(self) -> list[Part]:
        if self._closed:
            return []
        self.fail("truncated", "the stream ended before the response did")
        if self._refusal and not self.failure:
            self.failure = {"kind": "upstream", "message": "".join(self._refusal)}
        in_text = bool(self.failure) and self.traits["errors"] == "text"
        self._closed = Close(
            {index: choice.reason for index, choice in self._choices.items()},
            "error" if self.failure else self._finish(),
            self.usage,
            self.failure,
            self._struck() if self.failure else (),
            in_text,
        )
        words = f"\n\n**Error:** {self.failure['message']}\n\n" if in_text else ""
        return (self.voice.text(0, words) if words else []) + self.voice.close(self._closed)

    def _struck(self) -> tuple[int, ...]:
        """The choices that a failure is of: those that it left open, or all of them."""
        left = tuple(index for index, choice in self._choices.items() if not choice.reason)
        return left if left and not self._failed else tuple(self._choices) or (0,)

    def end(self) -> dict[str, object]:
        self.close()
        assert self._closed
        return self.voice.done(self._closed)

    def _finish(self) -> str:
        """The finish that says most: calls that were released, or that an answer is cut short."""
        finishes = [FINISHES.get(choice.reason, "other") for choice in self._choices.values()]
        cut = next((each for each in finishes if each not in ("stop", "tool-calls")), "")
        made = any(choice.released for choice in self._choices.values())
        return cut or ("tool-calls" if made else "stop")

    def _heard(self, choice: _Choice, data: Event, chunk: Event) -> list[Part]:
        delta = object_(data, "delta")
        parts = self._thought(choice, delta)
        if not choice.reason:
            parts += self._text(choice, delta)
            parts += self._calls(choice, delta)
            self._function(choice, delta)
        reason = string(data, "finish_reason")
        # An error of the whole chunk says more than that of a choice, and is told by its own.
        if is_error(chunk):
            return parts
        if data.get("error") or FINISHES.get(reason) == "error":
            self._error(data)
        elif reason and not choice.reason:
            choice.reason = reason
            parts += self._release(choice)
        return parts

    def _thought(self, choice: _Choice, delta: Event) -> list[Part]:
        mused, route = thought(delta), self.traits["reasoning"]
        if route == "thinking" and (mused.text or mused.opaque):
            return self.voice.thinking(choice.index, mused)
        # Behind its end an answer takes no more text, wherever that comes from.
        shown = mused.text if route == "text" and not choice.reason else ""
        return self._say(choice, shown)

    def _text(self, choice: _Choice, delta: Event) -> list[Part]:
        if string(delta, "role") in PROVIDERS_OWN:
            # The result of a call that the provider made itself, which so is none of the host's.
            choice.function = None
            return []
        parts = self._say(choice, string(delta, "content"))
        refusal, route = string(delta, "refusal"), self.traits["refusal"]
        if route == "error":
            self._refusal += [refusal] if refusal else []
        return parts + (self._say(choice, refusal) if route == "text" else [])

    def _say(self, choice: _Choice, delta: str) -> list[Part]:
        text = choice.said.add(delta) if delta else ""
        return self.voice.text(choice.index, text) if text else []

    def _calls(self, choice: _Choice, delta: Event) -> list[Part]:
        parts: list[Part] = []
        for fragment in objects(delta, "tool_calls"):
            call = choice.calls.take(fragment)
            if call.name and self._ids.owns(call):
                id_ = self._ids.prefix + call.id
                parts += self.voice.grown(choice.index, id_, call.name, call.arguments)
        return parts

    def _function(self, choice: _Choice, delta: Event) -> None:
        """The call of a choice as it was before there were several (OpenAI, deprecated)."""
        if piece := object_(delta, "function_call"):
            choice.function = choice.function or Call(legacy=True)
            choice.function.name = choice.function.name or string(piece, "name")
            choice.function.arguments.add(piece.get("arguments"))

    def _release(self, choice: _Choice) -> list[Part]:
        calls = [*choice.calls, *([choice.function] if choice.function else [])]
        made, lost = released(choice.reason, calls, self._ids)
        choice.released = len(made)
        if lost and not self.failure:
            self.failure = {"kind": "decode", "message": lost}
        return self.voice.calls(choice.index, made) if made else []

    def _error(self, data: Event) -> None:
        self.failure = self.failure or told(data)
        self._failed = True
