"""Reads chat completions as an SDK's user does, and compares them with the expected content.

A call is known by its choice and index, and grows by fragments; only the finish of its choice says
that it is complete.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.scenario.script import Says, Send, Sends, Usage
from tests.clients.truth import KINDS, ContentByKind, Kind, Truth

FIELDS: dict[Kind, str] = {
    "text": "content",
    "reasoning": "reasoning_content",
    "refusal": "refusal",
}

_FINISHES = {
    "stop": "stop",
    "tool-calls": "tool_calls",
    "length": "length",
    "content-filter": "content_filter",
}
_GOOD = {"stop", "tool_calls"}


@dataclass(slots=True)
class Call:
    """A call as far as it was streamed; ``interrupted`` if another came between its fragments."""

    id: str
    name: str
    arguments: str = ""
    interrupted: bool = False


@dataclass(slots=True)
class Reader:
    """Reads the chunks of one stream in order; all choices are one answer in order of arrival."""

    content_of: dict[Kind, str] = field(default_factory=lambda: dict.fromkeys(KINDS, ""))
    calls: dict[tuple[int, int], Call] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    usage: Any = None
    ids: set[str] = field(default_factory=set)
    _begun: set[int] = field(default_factory=set)
    _newest: dict[int, Call] = field(default_factory=dict)

    def take(self, chunk: Any) -> None:
        assert self.usage is None, "the usage is the last chunk"
        self.ids.add(chunk.id)
        assert chunk.object == "chat.completion.chunk"
        if chunk.usage:
            assert chunk.choices == []
            self.usage = chunk.usage
        for choice in chunk.choices:
            self._choice(choice)

    def _choice(self, choice: Any) -> None:
        assert choice.index not in self.reasons, "nothing follows a finish"
        # OpenAI sends the role only in a choice's first delta.
        begins = choice.index not in self._begun
        self._begun.add(choice.index)
        assert choice.delta.role == ("assistant" if begins else None)
        for kind, value in content_of(choice.delta).items():
            self.content_of[kind] += value
        for fragment in choice.delta.tool_calls or ():
            self._fragment(choice.index, fragment)
        if choice.finish_reason:
            self.reasons[choice.index] = choice.finish_reason

    def _fragment(self, choice: int, fragment: Any) -> None:
        # Its function is optional in each fragment.
        name: Any = fragment.function.name if fragment.function else None
        arguments = fragment.function.arguments if fragment.function else ""
        call = self.calls.get((choice, fragment.index))
        if call is None:
            assert fragment.type == "function"
            call = self.calls[choice, fragment.index] = Call(fragment.id, name)
        else:
            assert (fragment.id, name, fragment.type) == (None, None, None)
            call.interrupted |= self._newest[choice] is not call
        call.arguments += arguments
        self._newest[choice] = call


def content_of(source: Any) -> dict[Kind, str]:
    """The text of a delta or of a message by kind, empty where there is none.

    Reasoning is in no type of OpenAI's, and is read from the extra fields.
    """
    values = {**(source.model_extra or {}), "content": source.content, "refusal": source.refusal}
    return {kind: values.get(name) or "" for kind, name in FIELDS.items()}


def expect_read(reader: Reader, truth: Truth) -> None:
    """The stream was read completely, and its content and finish are the scenario's."""
    expect_streamed(reader, truth)
    expect_reason(reader.reasons[0], truth.first_choice)
    assert len(reader.ids) == 1


def expect_streamed(reader: Reader, truth: Truth) -> None:
    expect_content(reader.content_of, [*reader.calls.values()], truth)


def expect_content(found: ContentByKind, calls: list[Call], truth: Truth) -> None:
    """The content and the complete calls are the scenario's."""
    assert found == truth.streamed
    by_id = {call.id: call for call in calls}
    assert len(by_id) == len(calls)
    if truth.content.outcome == "completed":
        assert by_id.keys() == truth.calls.keys()
    for id_, (name, input_) in truth.calls.items():
        assert by_id[id_].name == name
        assert json.loads(by_id[id_].arguments) == input_


def expect_reason(reason: str | None, truth: Truth) -> None:
    """The finish reason is the scenario's, or a good one if the scenario leaves it open."""
    assert truth.content.outcome != "failed"
    if truth.content.reason:
        assert reason == _FINISHES[truth.content.reason]
    else:
        assert (reason in _GOOD) == (truth.content.outcome == "completed")


def expect_completion(completion: Any, truth: Truth) -> None:
    """A non-streaming completion has the content of the scenario's first choice."""
    assert completion.object == "chat.completion"
    choice, alone = completion.choices[0], truth.first_choice
    calls = [
        Call(call.id, call.function.name, call.function.arguments)
        for call in choice.message.tool_calls or ()
    ]
    expect_content(content_of(choice.message), calls, alone)
    expect_reason(choice.finish_reason, alone)


def expect_error(message: str, code: str | None, truth: Truth) -> None:
    """The error has the upstream's message and code."""
    error = truth.content.error
    assert error
    assert (message, code) == (error.message, error.code)


def expect_usage(usage: Mapping[str, Any] | None, truth: Truth) -> None:
    """The requested usage is that of the script, if the script has one."""
    if not sends_usage(truth):
        assert usage is None
        return
    assert usage
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    steps = truth.script.steps if isinstance(truth.script, Says) else ()
    for expected in (step for step in steps if isinstance(step, Usage)):
        assert usage["prompt_tokens"] == expected.input
        assert usage["completion_tokens"] == expected.output


def sends_usage(truth: Truth) -> bool:
    """Whether usage is sent: by scripts that do not fail, and by lists of chunks that have it."""
    match truth.script:
        case Says():
            return truth.content.outcome != "failed"
        case Sends(steps):
            return any(isinstance(step, Send) and step.type == "usage" for step in steps)
    return False
