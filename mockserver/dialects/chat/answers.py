"""Non-streaming answers, which join chunks to one completion, and the shapes of errors in streams.

Source: OpenAI, "The chat completion object".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.dialects.chat import chunks
from mockserver.dialects.chat.chunks import CHUNK, ERROR, FINISH
from mockserver.dialects.dialect import CODE, MESSAGE, ErrorShape, NonStreamingAnswer
from mockserver.foundation.json_fields import listed, mapping, omit, text
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import Raw, Send
from mockserver.wire.event import Event, Step

_FAILED = 500
# A completion has choices of its own, and no padding.
_OF_CHUNKS = ("choices", "obfuscation")
_TEXT_FIELDS = ("content", "refusal", *chunks.REASONING_FIELDS)


def non_streaming_answer(steps: Iterable[Step], _form: str) -> NonStreamingAnswer | None:
    """The completion, or the error if one was sent; None if no choice has a finish reason."""
    envelope: dict[str, Any] = {}
    joined: dict[int, _Choice] = {}
    for step in steps:
        if not isinstance(step, Event) or step.ignorable:
            continue
        if (error := chunks.error_in(step.data)) is not None:
            return NonStreamingAnswer(_FAILED, {"error": error})
        fields = omit(step.data, _OF_CHUNKS)
        envelope |= {name: value for name, value in fields.items() if value is not None}
        for choice in chunks.choices(step.data):
            at = chunks.index(choice)
            joined.setdefault(at, _Choice(at)).add(choice)
    if not any(choice.reason for choice in joined.values()):
        return None
    bodies = [joined[at].body() for at in sorted(joined)]
    return NonStreamingAnswer(200, {**envelope, "object": "chat.completion", "choices": bodies})


@dataclass
class _Choice:
    """A choice that is being joined from its deltas."""

    index: int
    message: dict[str, Any] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    by_index: dict[int, dict[str, Any]] = field(default_factory=dict)
    reason: str | None = None

    def add(self, choice: Mapping[str, Any]) -> None:
        self.reason = self.reason or text(choice.get("finish_reason")) or None
        delta = mapping(choice.get("delta"))
        for name, value in delta.items():
            if name in _TEXT_FIELDS and isinstance(value, str):
                if not isinstance(self.message.get(name), list):
                    self.message[name] = text(self.message.get(name)) + value
            elif name == "content" and isinstance(value, list):
                self.message[name] = [*listed(self.message.get(name)), *value]
            elif name == "function_call":
                self.message[name] = _join_function(mapping(self.message.get(name)), mapping(value))
            elif name not in (*_TEXT_FIELDS, "tool_calls", "role"):
                self.message[name] = value
        for place, call in enumerate(chunks.calls(delta)):
            self._call(call, place)

    def _call(self, call: Mapping[str, Any], place: int) -> None:
        at = call.get("index")
        known = self._known(at if isinstance(at, int) else place, text(call.get("id")))
        known |= {name: call[name] for name in ("id", "type") if call.get(name)}
        known["function"] = _join_function(
            mapping(known.get("function")), mapping(call.get("function"))
        )

    def _known(self, at: int, id_: str) -> dict[str, Any]:
        """The call at an index; a different id at the same index starts a new call."""
        known = self.by_index.get(at)
        if known is None or (id_ and known.get("id", id_) != id_):
            known = self.by_index[at] = {"type": "function"}
            self.calls.append(known)
        return known

    def body(self) -> dict[str, Any]:
        said = {"content": None, "refusal": None, **self.message}
        said["content"] = said["content"] or (None if self.calls else "")
        called = {"tool_calls": self.calls} if self.calls else {}
        return {
            "index": self.index,
            "message": {"role": "assistant", **said, **called},
            "logprobs": None,
            "finish_reason": self.reason or "stop",
        }


def _join_function(before: Mapping[str, Any], fragment: Mapping[str, Any]) -> dict[str, Any]:
    arguments = text(before.get("arguments")) + text(fragment.get("arguments"))
    name = text(before.get("name")) or text(fragment.get("name"))
    return {"name": name, "arguments": arguments}


# Errors in streams

_ERROR = {"message": MESSAGE, "code": CODE}
_ENVELOPE = (("id",), ("object",), ("created",), ("model",), ("choices",))

ERRORS: Mapping[str, ErrorShape] = {
    "object": ErrorShape("an object with an error alone", (Send(ERROR, _ERROR),)),
    "string": ErrorShape(
        "an error that is a string",
        (Send(CHUNK, {"error": MESSAGE}, absent=_ENVELOPE),),
        code=False,
    ),
    "event": ErrorShape(
        "an event with the name error", (Raw(f"event: error\ndata: {dump({'error': _ERROR})}\n\n"),)
    ),
    "beside-choices": ErrorShape(
        "a chunk with an error and the finish reason error, as routers send it",
        (
            Send(
                CHUNK,
                {
                    "error": _ERROR,
                    "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
                },
            ),
        ),
    ),
    "incomplete": ErrorShape(
        "no error, but the finish reason length",
        (Send(FINISH, {"reason": "length"}),),
        outcome="incomplete",
    ),
}
