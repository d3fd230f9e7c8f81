"""Translates a neutral script into chunks.

Chunks have no items: consecutive texts are joined, a call is identified by its index, and nothing
says that a single text or call has ended. Only the finish reason says how the response ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.chat.chunks import (
    DELTA,
    ENCRYPTED_FIELDS,
    ERROR,
    FINISH,
    REASONING_FIELDS,
    USAGE,
)
from mockserver.scenario.script import (
    BlockKind,
    Common,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    NextPart,
    NoUsage,
    SayStep,
    Send,
    SendStep,
    Start,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


FIELDS: dict[BlockKind, str] = {
    "text": "content",
    "reasoning": REASONING_FIELDS[0],
    "refusal": "refusal",
}
"""The field of a delta in which each kind of block is streamed, except calls."""

REASONS = {"length": "length", "content-filter": "content_filter"}
_FINISHES = {"stop": "stop", "tool-calls": "tool_calls"}


def translate(steps: Sequence[SayStep]) -> tuple[SendStep, ...]:
    """The script as chunks without their derived fields, which ``complete`` fills in."""
    return tuple(_Translator().all(steps))


@dataclass
class _Translator:
    """Translates steps in order; ``said`` counts the characters for the usage report."""

    blocks: dict[str, Start] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    usage: Usage | NoUsage | None = None
    said: int = 0
    begun: bool = False

    def all(self, steps: Sequence[SayStep]) -> Iterator[SendStep]:
        for step in steps:
            if isinstance(step, Common):
                yield step
            else:
                yield from self.begin()
                yield from _STEPS[type(step)](self, step)

    def begin(self) -> Iterator[Send]:
        if not self.begun:
            yield Send(DELTA, {"role": "assistant", "content": ""})
        self.begun = True

    def start(self, step: Start) -> Iterator[Send]:
        self.blocks[step.block] = step
        if step.kind == "call":
            self.calls[step.block] = len(self.calls)
            function = {"name": step.name, "arguments": ""}
            yield self._call(step.block, id=step.call_id, type="function", function=function)

    def delta(self, step: Delta) -> Iterator[Send]:
        self.said += len(step.value)
        kind = self.blocks[step.block].kind
        if kind == "call":
            yield self._call(step.block, function={"arguments": step.value})
        else:
            yield Send(DELTA, {FIELDS[kind]: step.value})

    def _call(self, block: str, **fields: Any) -> Send:
        return Send(DELTA, {"tool_calls": [{"index": self.calls[block], **fields}]})

    def end(self, step: End) -> Iterator[Send]:
        if encrypted := self.blocks[step.block].encrypted:
            yield Send(DELTA, {ENCRYPTED_FIELDS[0]: encrypted})

    def used(self, step: Usage | NoUsage) -> Iterator[Send]:
        self.usage = step
        yield from ()

    def finish(self, step: Finish) -> Iterator[Send]:
        yield Send(FINISH, {"reason": _FINISHES[step.reason]})
        yield from self._used()

    def incomplete(self, step: Incomplete) -> Iterator[Send]:
        yield Send(FINISH, {"reason": REASONS[step.reason]})
        yield from self._used()

    def failed(self, step: Failed) -> Iterator[Send]:
        yield Send(ERROR, {"message": step.message, "code": step.code})

    def _used(self) -> Iterator[Send]:
        if isinstance(self.usage, NoUsage):
            return
        used = self.usage or Usage.estimated(self.said)
        yield Send(
            USAGE,
            {
                "prompt_tokens": used.input,
                "completion_tokens": used.output,
                "total_tokens": used.input + used.output,
            },
            on_request=True,
        )

    def nothing(self, _step: SayStep) -> Iterator[Send]:
        """Send nothing: chunks cannot express the step."""
        yield from ()


_STEPS: dict[type, Callable[[_Translator, Any], Iterator[Send]]] = {
    Start: _Translator.start,
    Delta: _Translator.delta,
    NextPart: _Translator.nothing,
    End: _Translator.end,
    Usage: _Translator.used,
    NoUsage: _Translator.used,
    Finish: _Translator.finish,
    Incomplete: _Translator.incomplete,
    Failed: _Translator.failed,
}
