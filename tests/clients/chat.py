"""What an SDK's user makes of chat completions, held against the truth.

A call is known by its choice and index and grows from fragments; that it is complete is told by the
finish of its choice and by nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.scenario.script import Says, Send, Sends, Usage
from tests.clients.truth import KINDS, Kind, Said, Truth

FIELDS: dict[Kind, str] = {"text": "content", "reasoning": "reasoning_text", "refusal": "refusal"}

_FINISHES = {
    "stop": "stop",
    "tool-calls": "tool_calls",
    "length": "length",
    "content-filter": "content_filter",
}
_GOOD = {"stop", "tool_calls"}


@dataclass(slots=True)
class Call:
    """A call as the stream has told it so far; another may have come between its fragments."""

    id: str
    name: str
    arguments: str = ""
    interrupted: bool = False


@dataclass(slots=True)
class Reader:
    """Takes the chunks of one stream in turn; all choices are one answer in order of arrival."""

    said: dict[Kind, str] = field(default_factory=lambda: dict.fromkeys(KINDS, ""))
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
        # OpenAI names the role in a choice's first delta and in no other.
        begins = choice.index not in self._begun
        self._begun.add(choice.index)
        assert choice.delta.role == ("assistant" if begins else None)
        for kind, value in said(choice.delta).items():
            self.said[kind] += value
        for fragment in choice.delta.tool_calls or ():
            self._fragment(choice.index, fragment)
        if choice.finish_reason:
            self.reasons[choice.index] = choice.finish_reason

    def _fragment(self, choice: int, fragment: Any) -> None:
        function = fragment.function
        call = self.calls.get((choice, fragment.index))
        if call is None:
            assert fragment.type == "function"
            call = self.calls[choice, fragment.index] = Call(fragment.id, function.name)
        else:
            assert (fragment.id, function.name, fragment.type) == (None, None, None)
            call.interrupted |= self._newest[choice] is not call
        call.arguments += function.arguments
        self._newest[choice] = call


def said(told: Any) -> dict[Kind, str]:
    """The content of a delta or of a message; OpenAI's types have no reasoning."""
    values = {**(told.model_extra or {}), "content": told.content, "refusal": told.refusal}
    return {kind: values.get(name) or "" for kind, name in FIELDS.items()}


def expect_read(reader: Reader, truth: Truth) -> None:
    """The stream was read whole, and is the scenario's."""
    expect_streamed(reader, truth)
    expect_reason(reader.reasons[0], truth.first_choice)
    assert len(reader.ids) == 1


def expect_streamed(reader: Reader, truth: Truth) -> None:
    expect_content(reader.said, [*reader.calls.values()], truth)


def expect_content(found: Said, calls: list[Call], truth: Truth) -> None:
    """The content is the scenario's, and so are the calls, as far as they are complete."""
    assert found == truth.streamed
    by_id = {call.id: call for call in calls}
    assert len(by_id) == len(calls)
    if truth.story.outcome == "completed":
        assert by_id.keys() == truth.calls.keys()
    for id_, (name, input_) in truth.calls.items():
        assert by_id[id_].name == name
        assert json.loads(by_id[id_].arguments) == input_


def expect_reason(reason: str | None, truth: Truth) -> None:
    """The finish reason is the scenario's; where the scenario leaves it open, it is a good one."""
    assert truth.story.outcome != "failed"
    if truth.story.reason:
        assert reason == _FINISHES[truth.story.reason]
    else:
        assert (reason in _GOOD) == (truth.story.outcome == "completed")


def expect_completion(completion: Any, truth: Truth) -> None:
    """A completion that is there as a whole; its first choice is the one that counts."""
    assert completion.object == "chat.completion"
    choice, alone = completion.choices[0], truth.first_choice
    calls = [
        Call(call.id, call.function.name, call.function.arguments)
        for call in choice.message.tool_calls or ()
    ]
    expect_content(said(choice.message), calls, alone)
    expect_reason(choice.finish_reason, alone)


def expect_told(message: str, code: str | None, truth: Truth) -> None:
    """A failure is told in the words of the upstream."""
    error = truth.story.error
    assert error
    assert (message, code) == (error.message, error.code)


def expect_usage(usage: Mapping[str, Any] | None, truth: Truth) -> None:
    """The usage, once it was asked for: what the script says, if it says any."""
    if not tells_usage(truth):
        assert usage is None
        return
    assert usage
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    steps = truth.script.steps if isinstance(truth.script, Says) else ()
    for told in (step for step in steps if isinstance(step, Usage)):
        assert usage["prompt_tokens"] == told.input
        assert usage["completion_tokens"] == told.output


def tells_usage(truth: Truth) -> bool:
    """A script always does where it ends well; a list of chunks where it has one."""
    match truth.script:
        case Says():
            return truth.story.outcome != "failed"
        case Sends(steps):
            return any(isinstance(step, Send) and step.type == "usage" for step in steps)
    return False
