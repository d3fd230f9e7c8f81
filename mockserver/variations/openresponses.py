"""Variations of OpenResponses events: what real servers do differently, all else being equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.dialect import Event, Step
from mockserver.dialects.given import text
from mockserver.dialects.openresponses.events import TERMINAL
from mockserver.variations.variation import Variation

Data = dict[str, Any]

_OBFUSCATED = frozenset(
    {
        "response.output_text.delta",
        "response.reasoning.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
    }
)
_PREAMBLE = frozenset({"response.created", "response.queued", "response.in_progress"})


def _each(change: Callable[[int, Data], Data]) -> Callable[[Sequence[Step]], Sequence[Step]]:
    """A change to the data of every event, which is told its number."""

    def changed(steps: Sequence[Step]) -> Sequence[Step]:
        return [
            replace(step, data=change(n, step.data)) if isinstance(step, Event) else step
            for n, step in enumerate(steps)
        ]

    return changed


def _without(*types: str) -> Callable[[Sequence[Step]], Sequence[Step]]:
    def left_out(steps: Sequence[Step]) -> Sequence[Step]:
        return _renumbered(
            step for step in steps if not (isinstance(step, Event) and step.type in types)
        )

    return left_out


def _renumbered(steps: Iterator[Step]) -> list[Step]:
    """Sequence numbers without gaps, where events had them."""
    result: list[Step] = []
    number = 0
    for step in steps:
        if isinstance(step, Event):
            if "sequence_number" in step.data:
                step = replace(step, data={**step.data, "sequence_number": number})
            number += 1
        result.append(step)
    return result


def _rotated(n: int, data: Data) -> Data:
    """Another id for the same item, and for the response, in every event."""
    changed = dict(data)
    if "item_id" in data:
        changed["item_id"] = f"{data['item_id']}-{n}"
    if "item" in data:
        changed["item"] = _renamed(data["item"], n)
    if isinstance(response := data.get("response"), dict):
        changed["response"] = {**response, "id": f"resp-{n}"}
        if isinstance(output := response.get("output"), list):
            changed["response"]["output"] = [_renamed(each, n) for each in output]
    return changed


def _renamed(item: Any, n: int) -> Any:
    return {**item, "id": f"{item['id']}-{n}"} if isinstance(item, dict) and "id" in item else item


def _obfuscated(n: int, data: Data) -> Data:
    if text(data.get("type")) not in _OBFUSCATED:
        return data
    return {**data, "obfuscation": "x7Qz"[: n % 4 + 1]}


def _flat_error(_n: int, data: Data) -> Data:
    if data.get("type") != "error" or not isinstance(data.get("error"), dict):
        return data
    error = {name: data["error"].get(name) for name in ("code", "message", "param")}
    told = {name: value for name, value in error.items() if value is not None}
    return {name: value for name, value in data.items() if name != "error"} | told


def _with_heartbeats(steps: Sequence[Step]) -> Sequence[Step]:
    """An event of a vendor's own behind every event before the end."""
    result: list[Step] = []
    for step in steps:
        result.append(step)
        if isinstance(step, Event) and step.type not in TERMINAL and step.type != "error":
            result.append(Event("acme:heartbeat", _HEARTBEAT, ignorable=True))
    return _renumbered(iter(result))


_HEARTBEAT: Data = {"type": "acme:heartbeat", "sequence_number": 0, "note": "still here"}

_SPOKEN = ("openresponses",)

OPENRESPONSES = (
    Variation(
        "rotating-ids",
        "every event of an item has another id, as GitHub Copilot's upstream sends them",
        events=_each(_rotated),
        dialects=_SPOKEN,
    ),
    Variation(
        "obfuscation",
        "deltas carry a padding field (OpenResponses, stream_options.include_obfuscation)",
        events=_each(_obfuscated),
        dialects=_SPOKEN,
    ),
    Variation(
        "flat-error",
        "the error event is flat, as the types of the openai packages have it",
        events=_each(_flat_error),
        dialects=_SPOKEN,
    ),
    Variation(
        "heartbeats",
        "a vendor's own event follows every event (OpenResponses, extension events)",
        events=_with_heartbeats,
        dialects=_SPOKEN,
    ),
    Variation(
        "no-preamble",
        "the stream starts without response.created and response.in_progress",
        events=_without(*_PREAMBLE),
        dialects=_SPOKEN,
    ),
)
