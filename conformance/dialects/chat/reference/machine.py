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

`Chat` is the machine, for any vocabulary: an `Emitter` creates the parts. `calls` assigns fragments
to calls.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from conformance.dialects.chat.reference.calls import (
    FINISHES,
    Calls,
    Ids,
    ReleasedCall,
    release_calls,
)
from conformance.dialects.client.content import THINKING_PREFIX, EmittedText
from conformance.dialects.client.fields import (
    Event,
    Part,
    integer,
    object_,
    objects,
    reason_of,
    string,
)
from conformance.dialects.client.machine import NO_REASON, Machine

COUNTS = {"input": "prompt_tokens", "output": "completion_tokens"}

TEXT_FIELDS = ("cot_summary", "reasoning_text", "reasoning_content", "reasoning", "thinking")
ENCRYPTED_FIELDS = ("cot_id", "reasoning_opaque", "signature")
"""The fields of reasoning. Gateways may repeat the same reasoning under two names in one delta, so
of the text only the first field is read. Upstreams want it back under the same name."""


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """A piece of reasoning, and the fields of its delta that are sent back, by their names."""

    text: str
    fields: Mapping[str, str]


def reasoning_of(delta: Event) -> ReasoningPiece:
    """The reasoning in a delta: in a field of its own, or in pieces of the content."""
    shown = next((name for name in TEXT_FIELDS if string(delta, name)), "")
    fields = {name: string(delta, name) for name in (shown, *ENCRYPTED_FIELDS)}
    text = string(delta, shown) or join_pieces(delta, "thinking")
    return ReasoningPiece(text, {name: value for name, value in fields.items() if value})


def join_pieces(delta: Event, type_: str) -> str:
    """The text of the pieces of a type, if the content is a list, as Mistral sends it."""
    found = [piece for piece in objects(delta, "content") if piece.get("type") == type_]
    inner = (objects(piece, type_) if type_ == "thinking" else [piece] for piece in found)
    return "".join(string(each, "text") for several in inner for each in several)


@dataclass(frozen=True, slots=True)
class Ending:
    """How the response ended: the upstream's reason for each choice, and the finish for drive/1."""

    reasons: Mapping[int, str]  # empty for a choice that failed
    finish: str
    usage: Mapping[str, object]
    failure: Mapping[str, object]
    shown_as_text: bool  # the failure was emitted as text, as the trait `errors` asks


class Emitter(Protocol):
    """Creates the parts of one vocabulary for one response; a method may return no parts."""

    @property
    def all_choices(self) -> bool:
        """Whether the host distinguishes choices, so that parts of all choices are emitted."""

    def text(self, choice: int, value: str) -> list[Part]: ...

    def thinking(self, choice: int, reasoning: ReasoningPiece) -> list[Part]: ...

    def begin_call(self, choice: int, call_id: str, name: str) -> list[Part]:
        """Parts that announce a call; it may be announced again."""

    def calls(self, choice: int, made: list[ReleasedCall]) -> list[Part]:
        """The parts of the calls that a finish completes."""

    def extras(self, data: Event) -> list[Part]:
        """Parts for the fields of a chunk that only Copilot sends."""

    def close(self, ending: Ending) -> list[Part]:
        """The last parts of a response."""

    def done(self, ending: Ending) -> dict[str, object]:
        """The `done` message, without the id of its run."""


@dataclass(slots=True)
class _Choice:
    index: int
    emitted: EmittedText = field(default_factory=EmittedText)
    calls: Calls = field(default_factory=Calls)
    reason: str = ""
    has_called: bool = False


class Chat(Machine):
    """Converts the chunks of one response to parts, which the emitter creates."""

    _ending: Ending

    def __init__(
        self, make_emitter: Callable[[Mapping[str, object]], Emitter], traits: Event
    ) -> None:
        super().__init__(traits)
        self.emitter = make_emitter(self.traits)
        self._choices: dict[int, _Choice] = {}
        self._refusal = ""
        self._ids = Ids(str(traits.get("call_id_prefix") or ""))
        self._failed = False

    @property
    def ended(self) -> bool:
        return self._failed

    @property
    def settled(self) -> bool:
        return bool(self._choices) and all(choice.reason for choice in self._choices.values())

    def event(self, data: Event) -> list[Part]:
        self._ids.response = self._ids.response or string(data, "id")
        self.usage = usage_of(data) or self.usage
        parts = self.emitter.extras(data)
        for choice in objects(data, "choices"):
            index = integer(choice, "index") or 0
            if index == 0 or self.emitter.all_choices or self.traits.get("choices") == "merge":
                parts += self._choice_parts(
                    self._choices.setdefault(index, _Choice(index)), choice, data
                )
        if is_error(data):
            self._fail(error_details(data))
        return parts

    def last_parts(self) -> list[Part]:
        held = (each for each in self._choices.values() if each.reason == "function_call")
        parts = [part for choice in held for part in self._release(choice)]
        if self._refusal and not self.failure:
            self._fail({"kind": "upstream", "message": self._refusal})
        if self.failure and not self._choices:
            self._choices[0] = _Choice(0)
        error_text = self.error_text()
        self._ending = Ending(
            {index: choice.reason for index, choice in self._choices.items()},
            self._finish(),
            self.usage,
            self.failure,
            bool(error_text),
        )
        parts += self.emitter.text(0, error_text) if error_text else []
        return parts + self.emitter.close(self._ending)

    def end(self) -> dict[str, object]:
        return self.emitter.done(self._ending)

    def _finish(self) -> str:
        """The finish of the response: a cut-off choice, else calls that were emitted, else stop."""
        finishes = [FINISHES.get(choice.reason, "other") for choice in self._choices.values()]
        cut = next((each for each in finishes if each not in ("stop", "tool-calls")), "")
        called = any(choice.has_called for choice in self._choices.values())
        return cut or ("tool-calls" if called else "stop")

    def _choice_parts(self, choice: _Choice, data: Event, chunk: Event) -> list[Part]:
        delta = object_(data, "delta")
        if string(delta, "role") == "function":
            # The calls before it were the provider's own, and their finish; the answer follows.
            choice.reason, choice.calls = "", Calls()
            return []
        parts = self._reasoning(choice, delta)
        if not choice.reason:
            parts += self._text(choice, delta)
            parts += self._calls(choice, delta)
        reason = string(data, "finish_reason")
        if FINISHES.get(reason) == "error":
            # An error of the chunk has the details.
            self._fail(error_details(chunk))
        elif reason and not choice.reason:
            choice.reason = reason
            # A function that the provider has called itself is told by the role of what follows.
            if reason != "function_call":
                parts += self._release(choice)
        return parts

    def _reasoning(self, choice: _Choice, delta: Event) -> list[Part]:
        piece, route = reasoning_of(delta), self.traits["reasoning"]
        if route == "thinking" and (piece.text or piece.fields):
            return self.emitter.thinking(choice.index, piece)
        if route == "prefixed" and piece.text:
            return self.emitter.text(choice.index, THINKING_PREFIX + piece.text)
        # No text is emitted after the finish.
        shown = piece.text if route == "text" and not choice.reason else ""
        return self._emit_text(choice, shown)

    def _text(self, choice: _Choice, delta: Event) -> list[Part]:
        said = string(delta, "content") or join_pieces(delta, "text")
        parts = self._emit_text(choice, said)
        refusal, route = string(delta, "refusal"), self.traits["refusal"]
        if route == "error":
            self._refusal += refusal
        return parts + (self._emit_text(choice, refusal) if route == "text" else [])

    def _emit_text(self, choice: _Choice, delta: str) -> list[Part]:
        text = choice.emitted.add(delta) if delta else ""
        return self.emitter.text(choice.index, text) if text else []

    def _calls(self, choice: _Choice, delta: Event) -> list[Part]:
        parts: list[Part] = []
        # `function_call`, deprecated by OpenAI, is the single call of a choice, and has no id.
        function = object_(delta, "function_call")
        fragments = [{"function": function}] if function else objects(delta, "tool_calls")
        for fragment in fragments:
            call = choice.calls.add(fragment)
            if call.name and self._ids.owns(call):
                id_ = self._ids.prefix + call.id
                parts += self.emitter.begin_call(choice.index, id_, call.name)
        return parts

    def _release(self, choice: _Choice) -> list[Part]:
        made, lost = release_calls(choice.reason, choice.calls, self._ids)
        choice.has_called = bool(made)
        if lost:
            self._fail({"kind": "decode", "message": lost})
        return self.emitter.calls(choice.index, made) if made else []

    def _fail(self, failure: dict[str, object]) -> None:
        """Fail the response with all of its choices; nothing after that is read."""
        self.failure = self.failure or failure
        self._failed = True
        for choice in self._choices.values():
            choice.reason = ""


def usage_of(chunk: Event) -> Event:
    """The usage object of a chunk; empty if there is none, or all its counts are zero."""
    usage = object_(chunk, "usage")
    return usage if any(map(usage.get, COUNTS.values())) else {}


def is_error(data: Event) -> bool:
    """Whether an event is or has an error; a null `error` in a chunk is none."""
    return bool(data.get("error") or ("choices" not in data and reason_of(data)))


def error_details(data: Event) -> dict[str, object]:
    """The kind, message and code (if any) of an error event."""
    return {"kind": "upstream", "message": NO_REASON, **reason_of(data)}
