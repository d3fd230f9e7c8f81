"""What Copilot Chat's parser hands on: deltas of a choice, and a completion at the end of it.

Only what leaves as ``copilotToolCalls`` is a call; that one begins, and how its arguments grow, is
told for show. How the response ended is what its completion says, and its host knows no other
way: a response without one has failed, as has one that ended for any reason but a few.

Where a response has several choices, the first of them is the answer (``choices: alternatives``),
or all of them are one answer in the order of their arrival (``merge``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conformance.contract.reading import Reading
from conformance.contract.transcript import End, ReportedError
from conformance.vocabularies.fold import Found, bad_part, counted, objects, settled
from conformance.vocabularies.vocabulary import ANYTHING, BadPart
from mockserver.call_arguments import read_arguments
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from conformance.contract.traits import Traits
    from mockserver.scenario.model import Citation

# What a field of a delta would have added, had the part been one.
_SPOILS = {
    "text": frozenset({"text"}),
    "thinking": frozenset({"thinking"}),
    "copilotToolCalls": frozenset({"calls"}),
    "_deprecatedCopilotFunctionCalls": frozenset({"calls"}),
}
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


@dataclass(frozen=True, slots=True)
class _Copilot:
    name: str = "copilot"
    # There is no part for a source or for bytes.
    impossible: Mapping[str, frozenset[str]] = field(
        default_factory=lambda: {"annotations": frozenset({"data"})}
    )
    merges: bool = False

    def under(self, traits: Traits) -> _Copilot:
        return replace(self, merges=traits.choices == "merge")

    def bad(self, part: Any) -> BadPart | None:
        return bad_part(self.name, part, _spoilt)

    def ended(
        self, parts: Sequence[Any], end: End | None, *, cancelled: bool = False
    ) -> End | None:
        if end is None:
            return None
        completions = [part for part in self._heard(parts) if part.get("type") == "completion"]
        told = _failure(completions) or _invalid(self._deltas(parts))
        # Whoever is cancelled need not complete, and an ending of the run's own says it, too.
        if not completions and not (cancelled or end.finish):
            told = ReportedError("upstream", "the response has no completion")
        return settled(
            end,
            told if end.outcome in ("completed", "failed") else None,
            failed=told is not None,
            finish=end.finish or _finish(completions),
            usage=_usage(completions),
        )

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        found = Found()
        functions = 0  # Those never had an id, and are counted through.
        for n, delta in self._deltas(parts):
            found.thinking.append(_thought(delta.get("thinking")))
            found.text.add(text(delta.get("text")), n)
            for call, legacy in _calls(delta):
                id_ = f"function_call_{functions}" if legacy else call.get("id")
                functions += legacy
                name, input_ = call.get("name"), read_arguments(call.get("arguments"))
                if isinstance(id_, str) and isinstance(name, str) and input_.usable:
                    found.call(id_, name, input_.value, n)
        return found.reading(self.ended(parts, end))

    def _heard(self, parts: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
        """The parts of the choices that are the answer."""
        for part in parts:
            index: Any = part.get("index") if isinstance(part, dict) else None
            whole = type(index) in (int, float) and index % 1 == 0
            if whole and (self.merges or index == 0):
                yield part

    def _deltas(self, parts: Sequence[Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for n, part in enumerate(parts):
            for heard in self._heard([part]):
                if heard.get("type") == "delta" and isinstance(heard.get("delta"), dict):
                    yield n, heard["delta"]

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


def _spoilt(part: Mapping[str, Any]) -> frozenset[str]:
    delta = part.get("delta")
    if part.get("type") == "completion":
        return frozenset({"end"})
    if part.get("type") != "delta" or not isinstance(delta, dict):
        return ANYTHING
    return frozenset().union(*(_SPOILS.get(name, frozenset[str]()) for name in delta))


def _thought(thinking: Any) -> str:
    said = mapping(thinking).get("text")
    return "".join(map(text, said if isinstance(said, list) else [said]))


def _calls(delta: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Whole calls, and whether they are of the kind without ids."""
    for name, legacy in _CALLS.items():
        for call in objects(delta.get(name)):
            yield call, legacy


def _invalid(deltas: Iterator[tuple[int, Mapping[str, Any]]]) -> ReportedError | None:
    """What the host itself makes of a call that it cannot parse."""
    calls = (call for _, delta in deltas for call, _ in _calls(delta))
    invalid = not all(read_arguments(call.get("arguments")).usable for call in calls)
    return (
        ReportedError("decode", "the arguments of a call are no JSON object") if invalid else None
    )


def _failure(completions: Sequence[Mapping[str, Any]]) -> ReportedError | None:
    for completion in completions:
        reason = completion.get("reason")
        if not (isinstance(reason, str) and reason in _FINISHES):
            told = mapping(completion.get("error"))
            message, code = told.get("message"), told.get("code")
            return ReportedError(
                "upstream",
                message if isinstance(message, str) else "the response did not end well",
                str(code) if type(code) in (str, int) else "",
            )
    return None


def _finish(completions: Sequence[Mapping[str, Any]]) -> str | None:
    """The finish that says most: a failure, that an answer is cut short, that calls were made."""
    reasons = (completion.get("reason") for completion in completions)
    known = [_FINISHES.get(r, "error") if isinstance(r, str) else "error" for r in reasons]
    return next((f for f in ("error", *_CUT, "tool-calls", "stop") if f in known), None)


def _usage(completions: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """Tokens of either side, as far as the last completion tells any."""
    for completion in reversed(completions):
        usage = mapping(completion.get("usage"))
        if tokens := counted({side: usage.get(name) for side, name in _SIDES.items()}):
            return tokens
    return None


COPILOT = _Copilot()
