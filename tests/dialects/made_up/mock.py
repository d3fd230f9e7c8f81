"""The mock's part of ``plain``: what it can express, how scripts become events, its requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from mockserver import conversation as neutral
from mockserver.dialects import Inbound, NonStreamingAnswer
from mockserver.dialects.dialect import LookUp
from mockserver.dialects.json_fields import integer, mapping
from mockserver.dialects.profile import Profile
from mockserver.dialects.schema_problems import problems_of
from mockserver.faults import Problem
from mockserver.scenario import needs as features
from mockserver.scenario import script as scripts
from mockserver.wire.event import Event, Step
from mockserver.wire.slots import Values, values
from mockserver.wire.variation import Variation

LAST = ("end", "fail")
"""The types of the events that say how a response ended."""

_LACKS = {
    features.CITATIONS: "plain has no event for a citation",
    features.QUEUED: "plain has no event for a response that waits",
    features.OTHER_REASONS: "plain has only its own four reasons to end",
    features.REFUSALS: "plain has no event for a refusal",
    features.REASONING: "plain has no event for reasoning",
    features.OPEN_BLOCKS: "plain sends one block after the other",
}


@cache
def validator(name: str) -> Draft202012Validator:
    """The validator of a schema of this dialect: ``events`` or ``requests``."""
    path = Path(__file__).parent / "schemas" / name / "plain.json"
    return Draft202012Validator(json.loads(path.read_text("utf-8")))


def _events(steps: Sequence[scripts.SayStep | scripts.SendStep]) -> Iterator[Step]:
    """The steps as events; a call is sent when it is complete."""
    calls: dict[str, dict[str, str]] = {}
    for step in steps:
        match step:
            case scripts.Start(block, "call"):
                calls[block] = {"id": step.call_id, "name": step.name, "arguments": ""}
            case scripts.Delta(block, value) if block in calls:
                calls[block]["arguments"] += value
            case scripts.Delta(_, value):
                yield Event("say", {"say": value})
            case scripts.End(block) if block in calls:
                yield Event("call", {"call": calls.pop(block)})
            case scripts.Usage(input_, output):
                yield Event("usage", {"usage": {"input": input_, "output": output}})
            case scripts.Finish(reason) | scripts.Incomplete(reason):
                yield Event("end", {"end": reason})
            case scripts.Failed(code, message):
                yield Event("fail", {"fail": {"code": code, "message": message}})
            case scripts.Send(type_, fields, known):
                yield Event(type_, dict(fields), ignorable=not known)
            case (
                scripts.Pause()
                | scripts.Checkpoint()
                | scripts.Comment()
                | scripts.Raw()
                | scripts.Close()
            ):
                yield step


def _entry(entry: Mapping[str, Any]) -> neutral.Entry:
    """An entry of a valid request's conversation in neutral form."""
    ((kind, value),) = entry.items()
    if kind == "call":
        return neutral.ToolCall(value["id"], value["name"], value["arguments"])
    if kind == "result":
        return neutral.ToolResult(value["id"], value["output"])
    return neutral.Message(kind, value)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Plain:
    name: str = "plain"
    aliases: tuple[str, ...] = ()
    operations: tuple[str, ...] = ("models/{model}:talk",)
    lookups: Mapping[str, LookUp] = field(default_factory=dict)
    says_call_complete: bool = True
    names_events: bool = False
    closing: str = ""
    id_prefix: str = "plain-"
    capabilities: frozenset[str] = frozenset({"codes"})
    unsupported: Mapping[str, str] = field(default_factory=lambda: _LACKS)
    variations: tuple[Variation, ...] = ()
    profiles: tuple[Profile, ...] = ()
    generations: tuple[str, ...] = ()
    response_headers: Mapping[str, str] = field(default_factory=dict)
    forms: tuple[str, ...] = ("",)
    request_headers: tuple[str, ...] = ()

    def apply_form(self, steps: Sequence[Step], form: str) -> Sequence[Step]:
        return steps

    def is_terminal(self, type_: str, data: Any) -> bool:
        return any(name in mapping(data) for name in LAST)

    def is_last(self, type_: str) -> bool:
        return type_ in LAST

    def check(self, script: scripts.Says | scripts.Sends, conduct: str) -> list[Problem]:
        return []

    def of_format_1(self, send: scripts.Send) -> scripts.Send:
        return send

    def steps(self, script: scripts.Says | scripts.Sends, turn: int) -> tuple[Step, ...]:
        return tuple(_events(script.steps))

    def non_streaming_answer(self, steps: Sequence[Step], form: str) -> NonStreamingAnswer | None:
        return None

    def inbound(self, body: Any, headers: Mapping[str, str], path: str = "") -> Inbound:
        asked = path.removeprefix("models/").removesuffix(":talk")
        if problems := problems_of(validator("requests"), body):
            return Inbound(problems, stream=True, model=asked)
        return Inbound(
            (),
            stream=True,
            model=asked,
            conversation=tuple(map(_entry, body["conversation"])),
            tools=tuple((tool["name"], tool.get("input")) for tool in body.get("tools", ())),
            limit=integer(body.get("max_tokens")),
        )

    def sample(self) -> Values:
        return values()

    def refusal(self, status: int, message: str, *, param: str | None = None) -> dict[str, Any]:
        return {"error": {"code": str(status), "message": message}}


PLAIN = _Plain()
