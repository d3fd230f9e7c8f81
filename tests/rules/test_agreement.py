"""The compiled schema and the ``must`` rules agree about any reading."""

import copy
import dataclasses
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.contract.citations import danger_in, link
from conformance.contract.traits import THINKING_PREFIX, Traits
from conformance.contract.transcript import (
    VERDICTS,
    Cancelled,
    Emitted,
    End,
    ReportedError,
    Request,
    SentEvent,
    Transcript,
)
from conformance.dialects.ledger import ledger
from conformance.expectation.content import ExpectedContent
from conformance.expectation.early_endings import RESOLVED, as_cancelled, refusals
from conformance.expectation.expected_parts import expected_parts
from conformance.expectation.projection import Expected, expectations
from conformance.expectation.reading_schema import compile_schema
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.rules import RULES
from conformance.rules.cancellation import CrashedWhenCancelled
from conformance.rules.declared_traits import traits_kept
from conformance.rules.honest_ending import AnswerFailed
from conformance.rules.judge import judge
from conformance.rules.streams import judge_stream
from conformance.rules.turns import PlayedTurn
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.scenario.script import Citation
from mockserver.wire.slots import fill_json
from tests.rules.scripts import cases

CATALOGUE = Catalogue.shipped()
# A schema judges by what is declared, and cannot say that less was done.
OF_READINGS = [rule for rule in RULES if rule is not traits_kept]
# The imagined adapter has no approvals, and is not asked for any, like others without that claim.
CASES = [
    Case(entry.scenario, dialect)
    for entry in CATALOGUE.entries()
    if entry.scenario
    if not any(turn.then and turn.then.approvals for turn in entry.scenario.turns)
    for dialect in entry.scenario.dialects
]
ANY_CASE = st.one_of(cases(), st.sampled_from(CASES))

Part = dict[str, Any]

TRAITS = st.builds(
    Traits,
    call_id_prefix=st.sampled_from(["", "gw-"]),
    reasoning=st.sampled_from(["thinking", "text", "prefixed", "hidden"]),
    refusal=st.sampled_from(["text", "error", "hidden"]),
    annotations=st.sampled_from(["link", "data", "hidden"]),
    errors=st.sampled_from(["reject", "text"]),
    emit_call_at=st.sampled_from(["complete", "item", "end"]),
    choices=st.sampled_from(["alternatives", "merge"]),
    blank_before_call=st.booleans(),
    strict=st.booleans(),
)

# That ids of the adapter's own are unique is in no schema, so random changes are not made to them.
WITH_OWN_IDS = st.builds(dataclasses.replace, TRAITS, call_id=st.just("own"))


@dataclass
class Draft:
    """The output of an imagined adapter: correct parts, to which random changes are made."""

    parts: list[Part]
    outcome: str
    finish: str | None
    error: ReportedError | None
    cancelled: bool = False


class Subject:
    """A case and the traits of an adapter, with their expectations; all is derived once."""

    def __init__(self, case: Case, traits: Traits) -> None:
        self.case = case
        self.traits = traits
        right = expectations(case, traits)
        self.expectations = [
            (content, expected)
            for content, expected in [*right, *refusals(case, right, traits)]
            if not _has_dangerous_link(content, expected)
        ]
        self._sent: dict[int, tuple[SentEvent, ...]] = {}

    def sent(self, attempt: int) -> tuple[SentEvent, ...]:
        """The events that the mock sends in this attempt, rendered once."""
        if attempt not in self._sent:
            sample = DIALECTS[self.case.dialect].sample()
            self._sent[attempt] = tuple(
                SentEvent(s.n, s.at, s.kind, s.type, fill_json(s.data, sample), s.ignorable)
                for s in render(self.case, 0, attempt).plan.sent
            )
        return self._sent[attempt]


def _has_dangerous_link(content: ExpectedContent, expected: Expected) -> bool:
    """Whether the text has a link that runs code or that a title breaks out of: a ``should``."""
    cited = (citation for citation in content.citations if danger_in(citation))
    return any(link(citation) in expected.text.text for citation in cited)


_ERROR_PREFIX = "\n\nError: "


def right_draft(subject: Subject, expected: Expected, attempt: int) -> Draft:
    entries = ledger(subject.case.dialect, subject.sent(attempt), subject.traits)
    ideal = expected_parts(entries, expected, VSCODE.with_traits(subject.traits), subject.traits)
    parts = [copy.deepcopy(dict(part)) for part, _ in ideal]
    if expected.text.tail is not None:
        parts.append({"type": "text", "value": f"{_ERROR_PREFIX}{expected.text.tail or 'cut'}"})
    error = (
        ReportedError("upstream", expected.error.message, expected.error.code)
        if expected.error
        else None
    )
    outcome = expected.outcomes[0]
    finish = expected.reason or ("other" if expected.upstream == "incomplete" else None)
    return Draft(parts, outcome, finish, error if outcome == "failed" else None)


def _cancelled(draw: st.DrawFn, whole: Draft) -> Draft:
    """A draft cancelled at a random place, which may be inside its last text."""
    parts = copy.deepcopy(whole.parts[: draw(st.integers(0, len(whole.parts)))])
    # An error message and the prefix of reasoning are never cut.
    if parts and not parts[-1].get("value", _ERROR_PREFIX).startswith(_ERROR_PREFIX):
        value = parts[-1]["value"]
        least = len(THINKING_PREFIX) if value.startswith(THINKING_PREFIX) else 0
        parts[-1]["value"] = value[: draw(st.integers(least, len(value)))]
    return Draft(parts, draw(st.sampled_from(RESOLVED)), None, None, cancelled=True)


def judged_both_ways(subject: Subject, draft: Draft, attempt: int) -> tuple[list[Finding], bool]:
    """The findings of the rules, and whether the schema of the attempt accepts the reading."""
    case = subject.case
    end = End(2.0, draft.outcome, draft.finish, None, draft.error)  # type: ignore[arg-type]
    transcript = Transcript(
        case=str(case),
        scenario=case.scenario.id,
        dialect=case.dialect,
        vocabulary="vscode",
        adapter="drawn",
        verdict=VERDICTS[end.outcome],
        requests=(_request(subject.sent(attempt), attempt),),
        # Parts after a cancellation are judged by time, not by the reading, so there are none.
        cancelled=Cancelled(1.0, len(draft.parts), "after_parts") if draft.cancelled else None,
        parts=tuple(Emitted(n, 1.0, part) for n, part in enumerate(draft.parts)),
        ends=(end,),
    )
    reading = VSCODE.with_traits(subject.traits).read(draft.parts, end).to_json()
    right = [
        as_cancelled(expected) if draft.cancelled else expected
        for content, expected in subject.expectations
        if content.attempt == attempt
    ]
    if judge_stream(transcript.sent, None, case.dialect):
        # A reason to finish is not judged where the upstream breaks its protocol.
        right = [dataclasses.replace(expected, finishes=frozenset()) for expected in right]
    schema = compile_schema(right)
    findings = judge(PlayedTurn(transcript, subject.traits), subject.expectations, OF_READINGS)
    if draft.outcome == "failed" and any(expected.refused for expected in right):
        # That the stream was refused is noted; how much that weighs depends on the stream.
        findings = [each for each in findings if not isinstance(each.kind, AnswerFailed)]
    # A reading has no classes of errors, so a schema accepts each that ends a cancelled run.
    findings = [each for each in findings if not isinstance(each.kind, CrashedWhenCancelled)]
    return findings, Draft202012Validator(schema).is_valid(reading)


def _request(sent: tuple[SentEvent, ...], attempt: int) -> Request:
    return Request(0, 0.0, "POST", "/v1/responses", 200, 0, events=sent, ended=1.0, attempt=attempt)


def _change(draw: st.DrawFn, draft: Draft) -> None:
    kinds = ["outcome", "finish", "text", "thinking", "invent", "attach"]
    if draft.parts:
        kinds += ["drop", "double", "move", "hold", "hurry", "edit"]
    kind = draw(st.sampled_from(kinds))
    if kind == "outcome":
        draft.outcome = draw(st.sampled_from(["completed", "failed", "cancelled", "error"]))
        if draft.outcome == "failed":
            draft.error = draw(st.sampled_from(FAILURES))
    elif kind == "finish":
        finishes = [None, "stop", "tool-calls", "length", "content-filter", "error", "other"]
        draft.finish = draw(st.sampled_from(finishes))
    elif kind == "invent":
        call = {"type": "toolCall", "callId": "call_x", "name": "delete", "input": {}}
        draft.parts.insert(draw(st.integers(0, len(draft.parts))), call)
    elif kind == "attach":
        place = draw(st.integers(0, len(draft.parts)))
        draft.parts.insert(place, draw(st.sampled_from(ATTACHED)))
    elif kind in ("text", "thinking"):
        value = draw(st.sampled_from([" ", "\n", "x", "", "Rate limit reached for requests."]))
        place = draw(st.integers(0, len(draft.parts)))
        draft.parts.insert(place, {"type": kind, "value": value})
    else:
        _change_part(draw, draft.parts, kind)


def _change_part(draw: st.DrawFn, parts: list[Part], kind: str) -> None:
    n = draw(st.integers(0, len(parts) - 1))
    if kind == "drop":
        del parts[n]
    elif kind == "double":
        parts.insert(draw(st.integers(n, len(parts))), copy.deepcopy(parts[n]))
    elif kind == "move":
        part = parts.pop(n)
        parts.insert(draw(st.integers(0, len(parts))), part)
    elif kind in ("hold", "hurry"):
        calls = [part for part in parts if part["type"] == "toolCall"]
        others = [part for part in parts if part["type"] != "toolCall"]
        parts[:] = [*others, *calls] if kind == "hold" else [*calls, *others]
    elif parts[n]["type"] == "data":
        parts[n] = draw(st.sampled_from([*ATTACHED, {**parts[n], "mimeType": "image/gif"}]))
    elif parts[n]["type"] == "toolCall":
        field, value = draw(st.sampled_from(EDITS))
        parts[n][field] = value
    else:
        parts[n]["value"] = draw(st.sampled_from(["", "?", parts[n]["value"].strip()]))


ATTACHED: list[Part] = [
    VSCODE.citation(Citation("https://example.org/a", "A")),
    VSCODE.citation(Citation("https://example.org/a")),
    VSCODE.citation(Citation(title="A")),
    VSCODE.citation(Citation(file_id="file_1", filename="a.pdf")),
    VSCODE.data("stateful_marker", "AAAA"),
    VSCODE.data("image/png", "AAAA"),
    VSCODE.data("application/vnd.vscode.citation+json", "AAAA"),
    {"type": "text", "value": " [A](https://example.org/a)"},
]

FAILURES = [
    ReportedError("truncated", "the stream ended"),
    ReportedError("timeout", "no event came", "ETIMEDOUT"),
    ReportedError("truncated", "Maximum length reached"),
    ReportedError("transport", "cut", "response.incomplete"),
    ReportedError("upstream", "something went wrong"),
    ReportedError("binding", "the final text is another"),
]

EDITS = [
    ("callId", "call_other"), ("callId", "gw-call_1"), ("name", "other"), ("name", "read_file"),
    ("input", {}), ("input", {"path": "/src"}), ("input", {"path": True}),
]  # fmt: skip


@given(st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_rules_and_schema_agree_on_any_reading(data: st.DataObject) -> None:
    subject = Subject(data.draw(ANY_CASE), data.draw(TRAITS))
    content, expected = data.draw(st.sampled_from(subject.expectations))
    draft = right_draft(subject, expected, content.attempt)

    @st.composite
    def changed(draw: st.DrawFn) -> Draft:
        own = dataclasses.replace(draft, parts=copy.deepcopy(draft.parts))
        if draw(st.booleans()):
            own = _cancelled(draw, own)
        for _ in range(draw(st.integers(0, 3))):
            _change(draw, own)
        return own

    drawn = data.draw(changed())
    findings, accepted = judged_both_ways(subject, drawn, content.attempt)
    musts = [
        f"{finding.rule}: {message_of(finding)}" for finding in findings if finding.level == "must"
    ]
    assert accepted == (not musts), (subject.case, subject.traits, drawn, musts)


@given(ANY_CASE, st.one_of(TRAITS, WITH_OWN_IDS))
def test_rules_and_schema_accept_what_a_correct_adapter_emits(case: Case, traits: Traits) -> None:
    subject = Subject(case, traits)
    for content, expected in subject.expectations:
        right = right_draft(subject, expected, content.attempt)
        findings, accepted = judged_both_ways(subject, right, content.attempt)
        assert accepted
        assert findings == []


@given(st.data())
def test_rules_and_schema_accept_a_correct_adapter_cancelled_anywhere(data: st.DataObject) -> None:
    subject = Subject(data.draw(ANY_CASE), data.draw(TRAITS))
    for content, expected in subject.expectations:
        whole = right_draft(subject, expected, content.attempt)
        draft = data.draw(st.composite(_cancelled)(whole))
        findings, accepted = judged_both_ways(subject, draft, content.attempt)
        assert accepted
        assert findings == []
