"""Reading of results files and transcripts, and the messages about invalid ones."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.traits import Traits
from conformance.expectation.content import ExpectedContent
from conformance.expectation.projection import Expected, expectations
from conformance.findings.words import finding_json
from conformance.report import recorded, timeline
from conformance.report.recorded import parse_results, parse_runs, read_results
from conformance.report.results import Result, Writer
from conformance.rules.judge import judge
from conformance.rules.turns import PlayedTurn, turns_of
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import UserError
from tests.findings.made import found
from tests.suite.recordings import CASE, RIGHT, Json, changed, footer, header, result, written

COMPLETE = written(header({"refusal": "hidden"}), result(), footer(passed=1))
FINDING = found("call-once", "must", "twice", "once", "lm-stream-semantics § 3.2", 4, None)

CAUSE = finding_json(replace(FINDING, explains=(FINDING,)))


def test_a_file_of_the_writer_is_read(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    writer = Writer(path)
    writer.open({"kit": {"name": "streamproof", "version": "7"}, "adapters": header()["adapters"]})
    for n, status in enumerate(("passed", "known", "passed", "not-applicable")):
        case = f"any/{n}@openresponses"
        writer.add(Result(case, "mine", status).to_json())  # type: ignore[arg-type]
    writer.close(1)
    recording = read_results(path)
    assert (recording.version, recording.exit, recording.incomplete) == ("7", 1, "")
    assert recording.counts == {"passed": 2, "known": 1, "not-applicable": 1}
    assert [(line, each.case) for line, each in recording.results.items()] == [
        (n + 2, f"any/{n}@openresponses") for n in range(4)
    ]


def test_every_run_of_a_results_file_is_read_with_its_line_and_traits() -> None:
    left_out = result(None, "not-applicable", case="any/x", why="the adapter does not claim it")
    data = written(header({"refusal": "hidden"}), left_out, result(), footer(passed=1))
    first, second = parse_runs(data, "out.jsonl").runs
    assert first.transcript is None
    assert first.why == "any/x: not-applicable: the adapter does not claim it"
    assert second.transcript is not None
    assert second.transcript.case == CASE
    assert second.traits == Traits(refusal="hidden")
    assert str(second.place) == "out.jsonl:3: $.transcript"


def test_findings_that_a_finding_explains_are_read_with_it() -> None:
    cause = replace(FINDING, explains=(FINDING,))
    recording = parse_results(written(header(), result(RIGHT, "failed", cause)), "out.jsonl")
    assert recording.results[2].findings == (cause,)


ALONE: list[tuple[str, Any, Traits | None]] = [
    ("a transcript", RIGHT, None),
    ("a line of a results file", result(), None),
    ("a verdict", {"transcript": RIGHT, "traits": {"errors": "text"}}, Traits(errors="text")),
]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(("document", "traits"), [a[1:] for a in ALONE], ids=[a[0] for a in ALONE])
def test_a_file_may_be_one_transcript(document: Json, traits: Traits | None, indent: int) -> None:
    runs = parse_runs(json.dumps(document, indent=indent).encode(), "f.json")
    (run,) = runs.runs
    assert run.transcript is not None
    document = json.loads(json.dumps(run.transcript.to_json()))
    assert document == changed(RIGHT, ("requests", 0, "events", 0, "ignorable"), False)
    assert run.traits == traits
    assert runs.incomplete == ""


EVENT = RIGHT["requests"][0]["events"][0]


@pytest.mark.parametrize("cut", range(1, len(written(footer(passed=1))) - 1, 7))
def test_a_file_that_was_cut_off_is_incomplete_and_its_complete_lines_are_kept(cut: int) -> None:
    runs = parse_runs(COMPLETE[: -cut - 1], "out.jsonl")
    assert len(runs.runs) == 1
    assert runs.incomplete == "out.jsonl is incomplete: its run did not come to its end"


def test_a_file_without_its_last_line_break_is_complete() -> None:
    assert parse_runs(COMPLETE.rstrip(), "out.jsonl").incomplete == ""


def test_a_result_that_was_cut_off_is_dropped() -> None:
    lines = written(header(), result(), result()).splitlines(keepends=True)
    recording = parse_results(b"".join(lines[:2]) + lines[2][:40], "out.jsonl")
    assert len(recording.results) == 1
    assert recording.exit is None


def deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


def tampered(*place: str | int, value: Any) -> bytes:
    """A results file in which one value of a result is replaced."""
    return written(header(), changed(result(), place, value), footer(passed=1))


def headed(*place: str | int, value: Any) -> bytes:
    return written(changed(header(), place, value), footer())


REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "f: the file is empty"),
    "blanks": (b" \n\n", "f: the file is empty"),
    "words": (b"hello\n", "f:1:1: not JSON: Expecting value"),
    "a list": (b"[]\n", "f: $: [] is a list; a mapping is expected"),
    "a broken transcript": (b'{\n"case": \n}', "f:3:1: not JSON: Expecting value"),
    "two transcripts": (b"{}\n{}\n", "f:2:1: not JSON: Extra data"),
    "no UTF-8": (b'{"case": "\xff"}', "f: $: not JSON of ours: 'utf-8' codec can't decode"),
    "NaN": (b'{"case": NaN}', "f: $: not JSON of ours: NaN is not a JSON number"),
    "an infinity": (b'{"case": 1e999}', "1e999 does not fit a number"),
    "many digits": (b'{"case": ' + b"9" * 5000 + b"}", "not JSON of ours: Exceeds the limit"),
    "too deep": (deep(300).encode(), "f: $: not JSON of ours: nested deeper than 220 levels"),
    "far too deep": (b"[" * 500_000, "f: $: not JSON of ours: nested deeper than 220 levels"),
    "missing keys": (b"{}", "f: $: the key 'case' is missing here"),
    "a stranger's key": (
        json.dumps({**RIGHT, "verdct": 1}).encode(),
        "f: $: unknown key 'verdct'\n    did you mean 'verdict'?",
    ),
    "an old format": (b'{"kind":"header","format":2}\n', "f:1: $: no results file of ours: format"),
    "two headers": (written(header(), header()), "f:2: $: no results file of ours: one header"),
    "after the footer": (written(header(), footer(), footer()), "f:3: $: no results file of ours"),
    "an empty line": (written(header()) + b"\n\n", "f:2:1: not JSON: Expecting value"),
    "a line in the middle": (written(header()) + b'{"kind"\n{}\n', "f:2:8: not JSON: Expecting"),
    "another line": (written(header(), {"kind": "note"}), 'f:2: $.kind: "note" is not one of'),
    "a wrong trait": (
        headed("adapters", 0, "traits", "reasoning", value="loud"),
        "f:1: $.adapters[0]: not a trait: reasoning: 'loud' is not one of",
    ),
    "an unknown trait": (headed("adapters", 0, "traits", value={"x": "y"}), "unknown trait 'x'"),
    "a stranger's result": (tampered("adapter", value="x"), "$.adapter: the header has no adapter"),
    "a wrong finding": (tampered("findings", value=[1]), "f:2: $.findings[0]: 1 is a whole number"),
    "another's transcript": (
        tampered("transcript", "case", value="any/x@openresponses"),
        "f:2: $.transcript.case: the result and its transcript are not of the same case",
    ),
    "a wrong type": (
        tampered("transcript", "requests", 0, "events", 0, "kind", value="frame"),
        'f:2: $.transcript.requests[0].events[0].kind: "frame" is not one of event',
    ),
    "a wrong number": (
        tampered("transcript", "requests", 0, "events", 0, "n", value=7),
        "f:2: $.transcript.requests[0].events[0].n: 7 stands where 0 is due",
    ),
    "a fraction": (
        tampered("transcript", "parts", 0, "n", value=0.0),
        "f:2: $.transcript.parts[0].n: 0.0 stands where 0 is due",
    ),
    "a fraction of a place": (
        tampered("findings", value=[finding_json(FINDING) | {"event": 1.0}]),
        "f:2: $.findings[0].event: 1.0 is no number of ours",
    ),
    "a fraction below a finding": (
        tampered("findings", value=[CAUSE | {"explains": [finding_json(FINDING) | {"part": 2.0}]}]),
        "f:2: $.findings[0].explains[0].part: 2.0 is no number of ours",
    ),
    "a cause below a cause": (
        tampered("findings", value=[CAUSE | {"explains": [CAUSE]}]),
        "f:2: $.findings[0].explains[0]: unknown key 'explains'",
    ),
    "a fraction of the parts": (
        tampered("transcript", "cancelled", value={"at": 1, "parts": 2.0, "by": "checkpoint"}),
        "f:2: $.transcript.cancelled.parts: 2.0 is no number of ours",
    ),
    "a fraction of bytes": (
        tampered("transcript", "requests", 0, "wire", value={"bytes": 7.0, "sha256": "0" * 64}),
        "f:2: $.transcript.requests[0].wire.bytes: 7.0 is no number of ours",
    ),
    "wrong traits beside": (
        json.dumps({"transcript": RIGHT, "traits": []}).encode(),
        "f: $.traits: not a trait: [] is not of type 'object'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_invalid_file_is_refused_with_the_place(name: str) -> None:
    data, message = REFUSED[name]
    with pytest.raises(UserError) as raised:
        parse_runs(data, "f")
    assert message in str(raised.value)


def test_a_results_file_must_begin_with_its_header() -> None:
    with pytest.raises(UserError, match=r"f:1: .*one header, and it comes first"):
        parse_results(written(result(), header()), "f")


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "MAX_BYTES", 1000)
    with pytest.raises(UserError, match="f: more than 1,000 bytes"):
        parse_runs(b"[" * 1001, "f")


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file or directory"):
        read_results(tmp_path / "nowhere.jsonl")


# Where a file may hold any JSON: events and parts.

KEYS = (
    "type", "item", "id", "call_id", "name", "response", "output", "delta", "output_index",
    "content_index", "summary_index", "error", "arguments", "value", "callId", "input",
)  # fmt: skip
ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.text(max_size=6) | st.floats(-9, 9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
TYPES = (
    "response.created", "response.output_item.added", "response.output_item.done",
    "response.completed", "response.function_call_arguments.done", "response.output_text.delta",
    "response.output_text.done", "response.reasoning_summary_text.done", "error", "x",
)  # fmt: skip


@cache
def _expectations_of_a_refusal() -> list[tuple[ExpectedContent, Expected]]:
    scenario = Catalogue.shipped().get("any/refusal")
    assert scenario is not None
    return expectations(Case(scenario, "openresponses"), Traits())


@given(st.lists(st.tuples(st.sampled_from(TYPES), ANY), max_size=4), st.lists(ANY, max_size=3))
def test_any_events_and_parts_are_judged_and_drawn(
    sent: list[tuple[str, Any]], emitted: list[Any]
) -> None:
    events = [
        {**EVENT, "n": n, "type": type_, "data": data} for n, (type_, data) in enumerate(sent)
    ]
    parts = [
        {"n": n, "at": 0, "part": part if isinstance(part, dict) else {"type": part}}
        for n, part in enumerate(emitted)
    ]
    document = changed(RIGHT, ("requests", 0, "events"), events) | {"parts": parts}
    (run,) = parse_runs(json.dumps(document).encode(), "f").runs
    assert run.transcript is not None
    findings = judge(PlayedTurn(run.transcript, Traits()), _expectations_of_a_refusal())
    assert findings
    assert timeline.of_run(turns_of(run.transcript, Traits()), findings)
