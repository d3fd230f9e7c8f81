"""A full stream in, VS Code parts out: the parts of `streamText().fullStream`, of any generation.

The SDK has put everything into a grammar already: blocks that begin and end, calls that are whole,
steps, one finish. What is left to get wrong is what the parts are called, and what they are not:

1. Each generation has names of its own, and the same field stands under several of them
   (`fullstream_fields`). Parts that are not known say nothing, and so do most that are: whatever
   merely frames an answer adds no character to it (stream-mapping § The Whitespace Bug).
2. Errors are parts. An HTTP error is a stream of `start` and `error`, and nothing is ever thrown.
   An error ends the answer, whatever a stream that goes on says behind it. In the other layers it
   does not: what comes behind it is told, and the answer has failed all the same.
3. A stream that has no `finish` is broken. That of a step ends its step only: the next one is part
   of the same answer, and may use the same ids for other things (`fullstream_blocks`).
4. A call leaves once, whole, and only if it is the host's to make (`fullstream_calls`). One that
   got lost is a failure, unless the model had another step in which to make up for it.

`FullStream` is the machine: events in, parts out, no I/O; `transport` carries bytes to it. What
stands above and below the full stream has the same grammar, so the machine reads these layers too
once it is told what they call things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.openresponses.reference.attachments import Source, citation, link
from conformance.dialects.vercel.reference.attachments import own_data, source_of
from conformance.dialects.vercel.reference.blocks import Step, Thought
from conformance.dialects.vercel.reference.calls import BREAKING, Calls, Ids
from conformance.dialects.vercel.reference.errors import (
    OF_A_CALL,
    OF_A_TOOL,
    aborted,
    failure_of,
    name_of,
)
from conformance.dialects.vercel.reference.fields import (
    DATA,
    FULL_STREAM,
    Layer,
    Names,
    first,
    reason,
)
from conformance.dialects.vercel.reference.fields import told as told_of
from conformance.dialects.vercel.reference.files import file_part
from conformance.dialects.vercel.reference.usage import Usage, together, usage_of

TRAITS: Mapping[str, tuple[str, ...]] = {
    "reasoning": ("thinking", "text", "hidden"),
    "annotations": ("link", "data", "hidden"),
    "errors": ("reject", "part", "text"),  # the vocabulary has no error part: `part` rejects
}
"""The choices of this adapter, the default first; `call_id_prefix` is free text, empty at first."""

CITED: Mapping[str, Callable[[Source], list[Part]]] = {
    "link": link,
    "data": citation,
    "hidden": lambda _: [],
}

FINISHES = {name: name for name in ("", "stop", "length", "content-filter", "tool-calls")}
"""Finish reasons that the host knows as well, or none; any other word is `other`."""

INVALID = "the SDK found a call invalid"

ERROR_GRACE = 1.0
"""Seconds for what follows an error in a stream that goes on; nothing has to."""


class FullStream:
    """One response in, the parts of the `vscode` vocabulary out."""

    def __init__(self, traits: Event | None = None, layer: Layer = FULL_STREAM) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        given = traits or {}
        self.traits = {name: given.get(name, values[0]) for name, values in TRAITS.items()}
        for name, value in self.traits.items():
            if value not in TRAITS[name]:
                raise ValueError(f"trait {name}: {value!r} is none of {', '.join(TRAITS[name])}")
        self.layer = layer
        self.failure: dict[str, object] = {}
        self.usage: Usage = {}
        self.finish = ""
        self._call_ids = Ids(str(given.get("call_id_prefix") or ""))
        self._thought_ids = Ids()
        self._step = self._next_step()
        self._ended = self._closed = False

    @property
    def ended(self) -> bool:
        return self._ended

    @property
    def grace_seconds(self) -> float | None:
        return ERROR_GRACE if self.failure else None

    def event(self, data: Event) -> list[Part]:
        kind = string(data, "type")
        kind = DATA if kind.startswith(DATA) else kind
        handler = HEARD.get(kind) if self.layer.hears(kind) else None
        return handler(self, data) if handler and not self._ended else []

    def fail(self, kind: str, message: str, code: object = None) -> None:
        """What the upstream said of its own failure stays; otherwise the first report counts."""
        if not self.failure and not self._ended:
            self.failure = {"kind": kind, "message": message} | ({"code": code} if code else {})

    def close(self) -> list[Part]:
        if self._closed:
            return []
        self.fail("truncated", "the stream ended before the response did")
        self._closed = self._ended = True
        in_text = self.failure and self.traits["errors"] == "text"
        return self._say(f"\n\n**Error:** {self.failure['message']}\n\n") if in_text else []

    def end(self) -> dict[str, object]:
        self.close()
        if not self.failure:
            finish = {"finish": self.finish} if self.finish else {}
            usage = {"usage": self.usage} if self.usage else {}
            return {"type": "done", "outcome": "completed", **finish, **usage}
        if self.traits["errors"] == "text":
            return {"type": "done", "outcome": "completed", "finish": "error"}
        return {"type": "done", "outcome": "failed", "error": self.failure}

    # Steps.

    def _next_step(self) -> Step:
        return Step(Calls(self._call_ids), self._thought_ids)

    def here(self) -> Step:
        """The step that an event of the answer belongs to; it may come without its start."""
        if self._step.over:
            self._step = self._next_step()
        return self._step

    def begin_step(self, _: Event) -> list[Part]:
        parts = self._over("")
        self._step = self._next_step()
        return parts

    def finish_step(self, data: Event) -> list[Part]:
        self.usage = together(self.usage, usage_of(data, self.layer))
        return self._over(reason(data))

    def _over(self, why: str) -> list[Part]:
        if self._step.over:
            return []
        self._step.over, self._step.reason = True, why
        return self._step.calls.over(why)

    # Text: the blocks only matter to characters that are cut in two.

    def bound_text(self, data: Event) -> list[Part]:
        self.here().texts.pop(string(data, "id"), None)
        return []

    def text(self, data: Event) -> list[Part]:
        return self._say(self.here().texts[string(data, "id")].add(self._grown(data)))

    def _grown(self, data: Event) -> str:
        self._needs(self.layer.text, data)
        return first(data, self.layer.text)

    def _say(self, text: str) -> list[Part]:
        return [{"type": "text", "value": text}] if text else []

    # Reasoning; what seals it goes back upstream, so the host keeps it.

    def begin_thought(self, data: Event) -> list[Part]:
        self._sealed(self.here().thought(string(data, "id"), begins=True), data)
        return []

    def think(self, data: Event) -> list[Part]:
        thought = self.here().thought(string(data, "id"))
        text = thought.said.add(self._grown(data))
        # What came with the beginning waits for words; a seal of its own does not.
        return self._muse(thought, text) if self._sealed(thought, data) or text else []

    def end_thought(self, data: Event) -> list[Part]:
        thought = self.here().thought(string(data, "id"))
        self._sealed(thought, data)
        del self.here().thoughts[string(data, "id")]
        return self._muse(thought, "")

    def sign(self, data: Event) -> list[Part]:
        """The signature of the thought before it, in generation v4."""
        return self._muse(Thought(sealed=_of_v4("signature", data.get("signature"))), "")

    def redacted(self, data: Event) -> list[Part]:
        """A thought of which only the upstream can read anything, in generation v4."""
        sealed = _of_v4("redactedData", data.get("data"))
        return self._muse(Thought(self._thought_ids.new("redacted"), sealed=sealed), "")

    def _sealed(self, thought: Thought, data: Event) -> bool:
        sealed = object_(data, "providerMetadata")
        thought.sealed = sealed or thought.sealed
        return bool(sealed)

    def _muse(self, thought: Thought, text: str) -> list[Part]:
        """Thinking parts are for hosts that know them (stream-mapping § Version Compatibility)."""
        sealed = thought.unseal()
        if self.traits["reasoning"] == "text":
            return self._say(text)
        if self.traits["reasoning"] == "hidden" or not (text or sealed):
            return []
        block = {"id": thought.id} if thought.id else {}
        metadata = {"metadata": {"providerMetadata": sealed}} if sealed else {}
        return [{"type": "thinking", "value": text, **block, **metadata}]

    # Calls.

    def _id(self, data: Event) -> str:
        return first(data, self.layer.call_id)

    def begin_call(self, data: Event) -> list[Part]:
        name, theirs = string(data, "toolName"), _theirs(data)
        self.here().calls.begin(self._id(data), name, theirs=theirs)
        return []

    def grow_call(self, data: Event) -> list[Part]:
        piece = first(data, self.layer.arguments)
        self.here().calls.grow(self._id(data), string(data, "type"), piece)
        return []

    def end_call(self, data: Event) -> list[Part]:
        self.here().calls.end(self._id(data))
        return []

    def call(self, data: Event) -> list[Part]:
        if data.get("invalid") is True:
            return self.invalid_call(data)
        name, input_ = string(data, "toolName"), told_of(data, self.layer.input)
        if not self._needs(self.layer.input, data):
            return []
        return self.here().calls.whole(self._id(data), name, input_, theirs=_theirs(data))

    def invalid_call(self, data: Event) -> list[Part]:
        why = f"{INVALID}: {failure_of(data, self.layer)['message']}"
        self.here().calls.invalid(self._id(data), why, theirs=_theirs(data))
        return []

    def result(self, data: Event) -> list[Part]:
        """A host takes no results from a provider; it may show whose call it was."""
        if _theirs(data):
            self._step.calls.ran_upstream(self._id(data))
        return []

    # What comes beside the answer.

    def file(self, data: Event) -> list[Part]:
        return file_part(data, self.layer)

    def source(self, data: Event) -> list[Part]:
        return CITED[str(self.traits["annotations"])](source_of(data, self.layer))

    # Endings.

    def _needs(self, names: Names, data: Event) -> bool:
        """Whether a part has what it is about; words that are dropped would never be missed."""
        broken = self.layer.strict and told_of(data, names) is None
        if broken:
            why = f"a part {string(data, 'type')} has no {names[0]}"
            self.failure = self.failure or {"kind": "decode", "message": why}
        return not broken

    def error(self, data: Event) -> list[Part]:
        name = name_of(data)
        if name in OF_A_CALL:
            tool = string(object_(data, "error"), "toolName")
            self.here().calls.refused(tool, f"{INVALID}: {failure_of(data, self.layer)['message']}")
        elif name != OF_A_TOOL:
            self._broken(data)
        return []

    def _broken(self, data: Event) -> None:
        self.failure = self.failure or failure_of(data, self.layer)
        self._ended = not self.layer.goes_on

    def abort(self, data: Event) -> list[Part]:
        self.failure = aborted(data)
        self._ended = True
        return []

    def finished(self, data: Event) -> list[Part]:
        why = reason(data) or self._step.reason
        parts = self._over("error" if self.failure else why)
        calls = self._step.calls
        if why in BREAKING:
            self.failure = self.failure or failure_of({}, self.layer)
        elif calls.lost:
            self.failure = self.failure or {"kind": "decode", "message": calls.lost}
        self.finish = FINISHES.get(why, "other")
        if self.finish in ("stop", "tool-calls"):
            # What counts is whether the host has calls to make, whoever made others.
            self.finish = "tool-calls" if calls.made else "stop"
        self.usage = usage_of(data, self.layer) or self.usage
        self._ended = True
        return parts


def _theirs(data: Event) -> bool:
    return data.get("providerExecuted") is True


def _of_v4(name: str, seal: object) -> Event:
    """A seal as later generations tell it, and want it back; then only Anthropic had any."""
    return {"anthropic": {name: seal}} if seal else {}


Handler = Callable[[FullStream, Event], list[Part]]

HEARD: Mapping[str, Handler] = {
    "start-step": lambda machine, data: machine.begin_step(data),
    "step-start": lambda machine, data: machine.begin_step(data),
    "finish-step": lambda machine, data: machine.finish_step(data),
    "step-finish": lambda machine, data: machine.finish_step(data),
    "text-start": lambda machine, data: machine.bound_text(data),
    "text-end": lambda machine, data: machine.bound_text(data),
    "text-delta": lambda machine, data: machine.text(data),
    "text": lambda machine, data: machine.text(data),
    "reasoning-start": lambda machine, data: machine.begin_thought(data),
    "reasoning-delta": lambda machine, data: machine.think(data),
    "reasoning": lambda machine, data: machine.think(data),
    "reasoning-end": lambda machine, data: machine.end_thought(data),
    "reasoning-signature": lambda machine, data: machine.sign(data),
    "redacted-reasoning": lambda machine, data: machine.redacted(data),
    "tool-input-start": lambda machine, data: machine.begin_call(data),
    "tool-call-streaming-start": lambda machine, data: machine.begin_call(data),
    "tool-input-delta": lambda machine, data: machine.grow_call(data),
    "tool-call-delta": lambda machine, data: machine.grow_call(data),
    "tool-input-end": lambda machine, data: machine.end_call(data),
    "tool-call": lambda machine, data: machine.call(data),
    "tool-input-available": lambda machine, data: machine.call(data),
    "tool-input-error": lambda machine, data: machine.invalid_call(data),
    "tool-result": lambda machine, data: machine.result(data),
    "tool-error": lambda machine, data: machine.result(data),
    "source": lambda machine, data: machine.source(data),
    "source-url": lambda machine, data: machine.source(data),
    "source-document": lambda machine, data: machine.source(data),
    "file": lambda machine, data: machine.file(data),
    DATA: lambda _, data: own_data(data),
    "error": lambda machine, data: machine.error(data),
    "abort": lambda machine, data: machine.abort(data),
    "finish": lambda machine, data: machine.finished(data),
}
"""What is heard of, in all generations; any other part is passed over in silence."""
