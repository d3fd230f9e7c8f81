"""The output of Copilot Chat's parser: the deltas of each choice, and its completion at the end.

Only ``copilotToolCalls`` are calls; begins and updates of calls are for display. The host learns
how a response ended from the completion alone: a response without one has failed, and so has one
whose reason is not among the known good ones.

If a response has several choices, the first one is the answer (``choices: alternatives``), or all
of them together are the answer, in order of arrival (``merge``). An adapter that has asked for
several hands on all of them, so these are judged together.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.reading import ReadError, Reading
from conformance.contract.transcript import End, ReportedError
from conformance.vocabularies.vocabulary import (
    ANYTHING,
    NO_OBJECT_ARGUMENTS,
    CallNotRun,
    ReadingBuilder,
    Vocabulary,
    call_not_run,
    merge_end,
    objects_in,
    token_counts,
)
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Citation

# The fields that hold calls, and whether those are function calls without ids.
_CALLS = {"copilotToolCalls": False, "_deprecatedCopilotFunctionCalls": True}
_FINISHES = {
    "stop": "stop",
    "client-trimmed": "stop",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "length",
    "content_filter": "content-filter",
}
_CUT = ("length", "content-filter")
_SIDES = {"input": "prompt_tokens", "output": "completion_tokens"}


class _Copilot(Vocabulary):
    def pieces_of(self, part: Mapping[str, Any]) -> frozenset[str]:
        delta = part.get("delta")
        if part.get("type") == "completion":
            return frozenset({"end"})
        if part.get("type") != "delta" or not isinstance(delta, dict):
            return ANYTHING
        return frozenset().union(*(self.pieces.get(name, frozenset[str]()) for name in delta))

    def fold_end(self, parts: Sequence[Any], end: End, cancelled: bool) -> End:
        completions = [
            part for part in self._answer_parts(parts) if part.get("type") == "completion"
        ]
        not_run = (
            ReportedError("decode", NO_OBJECT_ARGUMENTS) if self.calls_not_run(parts) else None
        )
        error = _reported_failure(completions) or not_run
        # A cancelled run needs no completion, nor does one that reports a finish itself.
        if not completions and not (cancelled or end.finish):
            error = ReportedError("truncated", "the response has no completion")
        return merge_end(
            end,
            error if end.outcome in ("completed", "failed") else None,
            failed=error is not None,
            finish=end.finish or _finish(completions),
            usage=_usage(completions),
        )

    def calls_not_run(self, parts: Sequence[Any]) -> tuple[CallNotRun, ...]:
        return tuple(
            call_not_run(call.get("id"), arguments, n)
            for n, delta in self._deltas(parts)
            for call, _ in _calls(delta)
            if not (arguments := read_arguments(call.get("arguments"))).usable
        )

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        builder = ReadingBuilder()
        functions = 0  # Function calls have no ids, so they are numbered.
        for n, delta in self._deltas(parts):
            builder.thinking.append(_thinking_text(delta.get("thinking")))
            builder.text.add(text(delta.get("text")), n)
            for call, legacy in _calls(delta):
                id_ = f"function_call_{functions}" if legacy else call.get("id")
                functions += legacy
                name, input_ = call.get("name"), read_arguments(call.get("arguments"))
                if isinstance(id_, str) and isinstance(name, str) and input_.usable:
                    builder.add_call(id_, name, input_.value, n)
        return builder.build(self.ended(parts, end), tuple(self._error(parts)))

    def _error(self, parts: Sequence[Any]) -> Iterator[ReadError]:
        """The first completion that reports a failure, since each choice has one."""
        for n, part in enumerate(parts):
            for each in self._answer_parts([part]):
                is_completion = each.get("type") == "completion"
                if is_completion and (error := _reported_failure([each])):
                    yield ReadError(error, n)
                    return

    def _answer_parts(self, parts: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
        """The parts of the choices that make up the answer."""
        for part in parts:
            index: Any = part.get("index") if isinstance(part, dict) else None
            is_integer = type(index) in (int, float) and index % 1 == 0
            if is_integer and (self.traits.choices == "merge" or index == 0):
                yield part

    def _deltas(self, parts: Sequence[Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for n, part in enumerate(parts):
            for each in self._answer_parts([part]):
                if each.get("type") == "delta" and isinstance(each.get("delta"), dict):
                    yield n, each["delta"]

    def text(self, value: str) -> dict[str, Any]:
        return _delta(text=value)

    def thinking(self, value: str) -> dict[str, Any]:
        return _delta(text="", thinking={"text": value})

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]:
        arguments = json.dumps(input_, ensure_ascii=False)
        call = {"id": call_id, "name": name, "arguments": arguments}
        return _delta(text="", copilotToolCalls=[call])

    def citation(self, citation: Citation) -> dict[str, Any]:
        return _delta(text="", copilotReferences=[citation.fields()])

    def data(self, mime_type: str, data: str) -> dict[str, Any]:
        return _delta(text="", copilotReferences=[{"mimeType": mime_type, "data": data}])


def _delta(**fields: Any) -> dict[str, Any]:
    return {"type": "delta", "index": 0, "delta": fields}


def _thinking_text(thinking: Any) -> str:
    said = mapping(thinking).get("text")
    return "".join(map(text, said if isinstance(said, list) else [said]))


def _calls(delta: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """The complete calls in a delta, and whether each is a function call without an id."""
    for name, legacy in _CALLS.items():
        for call in objects_in(delta.get(name)):
            yield call, legacy


def _reported_failure(completions: Sequence[Mapping[str, Any]]) -> ReportedError | None:
    for completion in completions:
        reason = completion.get("reason")
        if not (isinstance(reason, str) and reason in _FINISHES):
            error = mapping(completion.get("error"))
            message, code = error.get("message"), error.get("code")
            return ReportedError(
                "upstream",
                message if isinstance(message, str) else "the response did not end well",
                str(code) if type(code) in (str, int) else "",
            )
    return None


def _finish(completions: Sequence[Mapping[str, Any]]) -> str | None:
    """The most significant finish: failure, then an incomplete answer, then calls, then a stop."""
    reasons = (completion.get("reason") for completion in completions)
    known = [_FINISHES.get(r, "error") if isinstance(r, str) else "error" for r in reasons]
    return next((f for f in ("error", *_CUT, "tool-calls", "stop") if f in known), None)


def _usage(completions: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """The tokens in the last completion that reports any."""
    for completion in reversed(completions):
        usage = mapping(completion.get("usage"))
        if tokens := token_counts({side: usage.get(name) for side, name in _SIDES.items()}):
            return tokens
    return None


# The pieces are those of the fields of a delta. There is no part for sources or data.
COPILOT = _Copilot(
    "copilot",
    {
        "text": frozenset({"text"}),
        "thinking": frozenset({"thinking"}),
        "copilotToolCalls": frozenset({"calls"}),
        "_deprecatedCopilotFunctionCalls": frozenset({"calls"}),
    },
    unsupported_traits={"annotations": frozenset({"data"}), "reasoning": frozenset({"prefixed"})},
    has_choices=True,
    runs_every_call=True,
)
