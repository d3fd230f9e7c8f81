"""Judges parts that were emitted outside of the suite: posted over HTTP, or made by a decoder.

A test in any framework says what an adapter has emitted for a run and how the run ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import relevance

from conformance.contract.traits import Traits, parse_traits
from conformance.contract.transcript import (
    VERDICTS,
    Cancelled,
    Emitted,
    End,
    Transcript,
    TurnInput,
    end_of,
)
from conformance.findings.finding import Finding
from conformance.findings.words import finding_json
from conformance.rules.judge import judge_turns
from conformance.rules.turns import PlayedTurn, turns_of
from conformance.suite.offered_tools import tools_of, type_of
from conformance.suite.play import requests_of
from conformance.vocabularies import VSCODE, Vocabulary, vocabulary_named
from mockserver.cases.case import Case
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.foundation.schemas import deepest
from mockserver.foundation.shipped import schema

if TYPE_CHECKING:
    from mockserver.server.runs import Run


@dataclass(frozen=True, slots=True)
class Posted:
    """The parts and the ending of a run, as posted by a test in another framework.

    ``cancelled`` is the number of parts emitted before the run was cancelled. ``turn`` is the turn
    of the conversation, counted from 0, and ``asked`` the request that the host made for it.
    """

    parts: list[Any]
    end: End | None
    vocabulary: str
    traits: Traits
    adapter: str
    cancelled: int | None
    turn: int
    asked: TurnInput | None


def read_posted(body: Any, case: Case) -> Posted:
    """Parts and an ending from an untrusted JSON value. Raises UserError."""
    if not isinstance(body, dict) or not isinstance(body.get("parts"), list):
        raise UserError(
            Problem(
                "the body has no list of parts",
                hint='{"parts": [...], "end": {"type": "done", "outcome": "completed"}}',
            )
        )
    for name in body:
        if name not in _KEYS:
            raise UserError(Problem(f"unknown key {name[:80]!r}", hint=did_you_mean(name, _KEYS)))
    vocabulary = _vocabulary(body)
    return Posted(
        [vocabulary.text(part) if isinstance(part, str) else part for part in body["parts"]],
        ending(body.get("end")),
        vocabulary.name,
        parse_traits(body.get("traits", {})),
        str(body.get("adapter", "posted")),
        _cancelled(body.get("cancelled")),
        turn_number(0 if body.get("turn") is None else body["turn"], case),
        _asked(body.get("messages"), case),
    )


def _vocabulary(body: Mapping[str, Any]) -> Vocabulary:
    """The vocabulary of the parts. Texts alone, which have no framing, are of the default one."""
    named = vocabulary_named(body.get("vocabulary", VSCODE.name))
    parts = body["parts"]
    return VSCODE if parts and all(isinstance(part, str) for part in parts) else named


def turn_number(turn: Any, case: Case) -> int:
    """Check that a value is the number of a turn of the case. Raises UserError."""
    turns = len(case.scenario.turns)
    if not isinstance(turn, int) or isinstance(turn, bool) or not 0 <= turn < turns:
        raise UserError(f"{case} has no turn {turn!r:.80}; it has {turns}, counted from 0")
    return turn


def verdict_of(run: Run, posted: Posted, moment: float) -> dict[str, Any]:
    """The findings about posted parts, with the timeline and the transcript, as JSON data.

    ``moment`` is when they were posted, in seconds of the monotonic clock. The notes on a failed
    run say what the test itself may have left out; they are below the timeline, too.
    """
    transcript = _transcript(run, posted, moment)
    turns = turns_of(transcript, posted.traits, run.case)
    findings = judge_turns(turns)
    failed = any(finding.level == "must" for finding in findings)
    notes = list(_notes(run.case, transcript)) if failed else []
    timeline = _timeline(turns, findings)
    return {
        "case": str(run.case),
        "status": "failed" if failed else "passed",
        "findings": [finding_json(finding) for finding in findings],
        "timeline": "\n\n".join((timeline, *(f"note: {note}" for note in notes))),
        "notes": notes,
        "traits": asdict(posted.traits),
        "transcript": transcript.to_json(),
    }


def _notes(case: Case, transcript: Transcript) -> Iterator[str]:
    """The functions that the scenario calls, and that no request of the test offered."""
    requests = [each for each in transcript.requests if each.turn == transcript.turn]
    offered: set[str] = set()
    for each in requests:
        # The journal keeps a large body only by its size.
        known = isinstance(each.body, dict)
        tools = (
            DIALECTS[case.dialect].requests.read(each.body, each.headers).tools if known else None
        )
        if tools is None:
            return
        offered |= {name for name, _ in tools}
    for tool in tools_of(case.scenario):
        if requests and type_of(tool) == "function" and tool["name"] not in offered:
            yield (
                f"the request offered no tool {tool['name']!r}, which the scenario calls: offer it "
                "in the test, since some adapters refuse calls of other tools"
            )


def _timeline(turns: Sequence[PlayedTurn], findings: Sequence[Finding]) -> str:
    """The timeline of a run as text; a posted part that is no object is shown inside of one."""
    # What draws is imported by its first use: a server starts sooner.
    from conformance.report import timeline
    from conformance.report.drawing import draw_text

    (turn,) = turns
    transcript = turn.transcript
    parts = tuple(
        each if isinstance(each.part, dict) else replace(each, part={"no object": each.part})
        for each in transcript.parts
    )
    if parts != transcript.parts:
        turn = replace(turn, transcript=replace(transcript, parts=parts))
    rows = timeline.of_run([turn], findings)
    return draw_text(rows, "the upstream sent", f"{transcript.adapter} emitted")


def _transcript(run: Run, posted: Posted, moment: float) -> Transcript:
    began = run.exchanges[0].at if run.exchanges else moment
    cancelled = posted.cancelled
    several = len(run.case.scenario.turns) > 1
    requests = tuple(
        each for each in requests_of(run, began) if not several or each.turn in (posted.turn, None)
    )
    # The times of parts are not posted: they count as emitted after the last request.
    at = max((request.at for request in requests), default=0.0)
    return Transcript(
        case=str(run.case),
        scenario=run.case.scenario.id,
        dialect=run.case.dialect,
        vocabulary=posted.vocabulary,
        adapter=posted.adapter,
        verdict=VERDICTS[posted.end.outcome] if posted.end else "hung",
        requests=requests,
        parts=tuple(Emitted(n, at, part) for n, part in enumerate(posted.parts)),
        # The time of the cancellation is not posted; the latest possible one is used.
        cancelled=None
        if cancelled is None
        else Cancelled(moment - began, cancelled, "after_parts"),
        ends=(replace(posted.end, at=at),) if posted.end else (),
        turn=posted.turn,
        asked=posted.asked,
    )


_KEYS = ("parts", "end", "vocabulary", "traits", "adapter", "cancelled", "turn", "messages")


def _asked(messages: Any, case: Case) -> TurnInput | None:
    if messages is None:
        return None
    contract = {"$defs": schema("driver")["$defs"], "$ref": "#/$defs/run/properties/messages"}
    wrong = max(Draft202012Validator(contract).iter_errors(messages), key=relevance, default=None)
    if wrong:
        error = deepest(wrong)
        hint = "what the host handed over, as drive/1 has it: see docs/adapters.md#a-conversation"
        where = error.json_path.replace("$", "messages", 1)
        raise UserError(Problem(f"{where[:80]}: {error.message[:200]}", hint=hint))
    return TurnInput(tuple(messages), options=case.scenario.host.options)


def _cancelled(value: Any) -> int | None:
    if value is None:
        return None
    parts = value.get("parts") if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(parts, int) or isinstance(parts, bool) or parts < 0:
        hint = '"cancelled": {"parts": 2}, or null'
        raise UserError(
            Problem("'cancelled' says how many parts were out when it was cancelled", hint=hint)
        )
    return parts


def ending(message: Any) -> End | None:
    """The ending in an untrusted JSON value; None if the run never ended. Raises UserError."""
    if message is None:
        return None
    checked = {"id": "posted", **message} if isinstance(message, dict) else message
    error = next(Draft202012Validator(schema("driver")).iter_errors(checked), None)
    if error or checked.get("type") not in _ENDINGS:
        raise UserError(_no_ending(message, error and deepest(error)))
    return end_of(checked, 0.0)


_ENDINGS = ("done", "error", "unsupported")


def _no_ending(message: Any, error: ValidationError | None) -> Problem:
    """What is wrong with an ending: the field that is, as every caller calls it, or all of it."""
    if error is None or not isinstance(message, dict) or message.get("type") not in _ENDINGS:
        hint = f"its 'type' is one of {', '.join(_ENDINGS)}: see schemas/driver.json"
        return Problem("'end' is no ending", hint=hint)
    field = ".".join(map(str, error.path))
    known: Any = error.validator_value
    if error.validator == "enum":
        hint = did_you_mean(str(error.instance), known)
        return Problem(f"{field} is none of {', '.join(known)}: {error.instance!r:.80}", hint=hint)
    if error.validator == "additionalProperties":
        contract: Any = error.schema
        given: Any = error.instance
        name = next(each for each in given if each not in contract["properties"])
        hint = did_you_mean(name, contract["properties"])
        return Problem(f"{field or 'the ending'} has no key {name[:80]!r}", hint=hint)
    where = f"{field}: " if field else "'end' is no ending: "
    return Problem(where + error.message[:200], hint="see schemas/driver.json")
