"""Each part is beside the event for which it came; what was due and did not come is said there."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.traits import Traits
from conformance.contract.transcript import (
    CheckpointResult,
    Emitted,
    End,
    ReportedError,
    Request,
    SentEvent,
    Transcript,
)
from conformance.findings.finding import Finding
from conformance.report import summary, timeline
from conformance.report.drawing import draw_text
from conformance.report.rows import Row
from conformance.rules.turns import turns_of
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from tests.findings.made import found
from tests.suite.test_timeline import event, text, transcript

Json = dict[str, Any]

SCENARIO = b"""
title: Two calls and two texts
turns:
  - says:
      - start: {text: t}
      - delta: {t: "Let me "}
      - start: {call: c, id: call_1, name: read_file}
      - delta: {t: "look."}
      - end: t
      - delta: {c: '{"path":"a.py"}'}
      - end: c
      - call: {id: call_2, name: stop, input: {}}
"""
CASE = Case(load(SCENARIO, "own/two.yaml", "own/two"), "openresponses")


def _item(n: int, call_id: str, name: str) -> Json:
    return {"type": "function_call", "id": f"fc_{n}", "call_id": call_id, "name": name}


def _call_events(n: int, at: int, call_id: str, name: str, arguments: str) -> list[SentEvent]:
    item = _item(n, call_id, name)
    return [
        event(at, "function_call_arguments.delta", output_index=n, delta=arguments),
        event(at + 1, "function_call_arguments.done", output_index=n, arguments=arguments),
        event(at + 2, "output_item.done", output_index=n, item={**item, "status": "completed"}),
    ]


def _added(at: int, n: int, call_id: str, name: str) -> SentEvent:
    item = {**_item(n, call_id, name), "status": "in_progress"}
    return event(at, "output_item.added", output_index=n, item=item)


def _text(at: int, delta: str) -> SentEvent:
    return event(at, "output_text.delta", output_index=0, content_index=0, delta=delta)


# Each event is sent 10 ms after the one before it.
SENT = tuple(
    replace(each, at=each.n / 100)
    for each in (
        event(0, "created"),
        _text(1, "Let me "),
        _added(2, 1, "call_1", "read_file"),
        _text(3, "look."),
        *_call_events(1, 4, "call_1", "read_file", '{"path":"a.py"}'),
        _added(7, 2, "call_2", "stop"),
        *_call_events(2, 8, "call_2", "stop", "{}"),
        event(11, "completed", response={"status": "completed", "output": []}),
    )
)
LATE = 1.0
READ = {"type": "toolCall", "callId": "call_1", "name": "read_file", "input": {"path": "a.py"}}
EMPTY = {**READ, "input": {}}
STOP = {"type": "toolCall", "callId": "call_2", "name": "stop", "input": {}}
LET, LOOK = text("Let me "), text("look.")


def played(*parts: Json | tuple[Json, float], **fields: Any) -> Transcript:
    """A run; a part without a time came when all events had been sent."""
    timed = [part if isinstance(part, tuple) else (part, LATE) for part in parts]
    emitted = tuple(Emitted(n, at, part) for n, (part, at) in enumerate(timed))
    request = Request(0, -0.01, "POST", "/v1/responses", 200, 0, events=SENT)
    ends = fields.pop("ends", (End(2.0, "completed"),))
    return replace(transcript(ends=ends), requests=(request,), parts=emitted, **fields)


def rows_of(run: Transcript, case: Case | None = CASE) -> list[Row]:
    return timeline.of_run(turns_of(run, Traits(), case))


def places(rows: list[Row]) -> list[int | str | None]:
    """For each part in order, the number of the event beside it, or the words of its row."""
    return [
        row.left.strip() if row.event is None else row.event
        for row in rows
        for line in row.right
        if not line.startswith("⏹")
    ]


OWN_ID = {**READ, "callId": "own"}
INVENTED = {**OWN_ID, "input": {"a": 1}}
UNKNOWN = {**INVENTED, "callId": "unknown", "name": "other"}
CHECKPOINT = CheckpointResult("here", 4, 1, False, 1.0)

PLACES: list[tuple[str, Transcript, list[int | str]]] = [
    ("right and in time", played(LET, LOOK, READ, STOP), [1, 3, 5, 9]),
    ("texts held back until a call", played(READ, LET, LOOK, STOP), [5, 5, 5, 9]),
    ("a call before its arguments, by order", played(LET, EMPTY, LOOK, STOP), [1, 3, 3, 9]),
    ("a call before its arguments, by time", played(LET, (EMPTY, 0.025)), [1, 2]),
    ("a call with wrong arguments at its end", played(LET, LOOK, EMPTY, STOP), [1, 3, 5, 9]),
    ("a call before a text of earlier events", played(LET, READ, LOOK), [1, 3, 3]),
    ("a delta that was left out", played(LOOK, READ), [3, 5]),
    ("a text twice", played(LET, LET, LOOK, LOOK), [1, 1, 3, 3]),
    ("a call twice, the second after the last call", played(READ, STOP, READ), [5, 9, 9]),
    ("a call with another id", played(LET, LOOK, OWN_ID, STOP), [1, 3, 5, 9]),
    ("an invented call, beside the part before it", played(LET, UNKNOWN, LOOK), [1, 1, 3]),
    ("an invented text", played(LET, text("Hm."), LOOK), [1, 1, 3]),
    ("an altered text", played(text("Let me l00k."), READ), [3, 5]),
    ("a text in halves of a surrogate pair", played(text("Let \ud83d"), text("me ")), [1, 1]),
    ("white space that was not sent", played(LET, text("\n"), LOOK), [1, 1, 3]),
    (
        "a part before the stream",
        played((text("Hello"), -0.005), LET),
        ["(before the first event)", 1],
    ),
    ("a part after the end", played(LET, (LOOK, 3.0)), [1, "(after the end)"]),
    (
        "a text that was not there at a checkpoint after it",
        played((LET, 0.03), (LOOK, 1.5), checkpoints=(CHECKPOINT,)),
        [1, 5],
    ),
    # A verdict over HTTP: parts have the time of the request.
    ("parts without times", played((LET, -0.01), (READ, -0.01)), [1, 5]),
]


@pytest.mark.parametrize(("name", "run", "right"), PLACES, ids=[name for name, *_ in PLACES])
def test_a_part_is_beside_the_event_for_which_it_came(
    name: str, run: Transcript, right: list[int | str]
) -> None:
    assert places(rows_of(run)) == right, name


def _chunk(n: int, delta: Json, finish: str | None = None) -> SentEvent:
    return SentEvent(
        n, 0.0, "event", "chunk", {"choices": [{"delta": delta, "finish_reason": finish}]}
    )


def test_a_call_whose_input_cannot_be_read_is_where_the_upstream_completes_it() -> None:
    call = {"type": "tool-call", "toolCallId": "call_1", "toolName": "read_file", "input": "gAAA"}
    run = played(LET, call, LOOK, vocabulary="stream")
    assert places(rows_of(run, None))[1] == 5


def test_calls_in_another_order_than_the_upstream_completed_them_are_not_early() -> None:
    sent = (
        _added(0, 1, "call_1", "read_file"),
        _added(1, 2, "call_2", "stop"),
        event(2, "function_call_arguments.done", output_index=2, arguments="{}"),
        _arguments_done(3),
    )
    assert places(rows_of(transcript(READ, STOP, sent=sent), None)) == [3, 3]


def _fragment(at: int, **call: Any) -> SentEvent:
    return _chunk(at, {"tool_calls": [{"index": 0, **call}]})


PIECES = ('{"path":"a.py",', '"text":"The yeär was')
CUT_SHORT = (
    _chunk(0, {"role": "assistant"}),
    _fragment(1, id="call_1", function={"name": "write", "arguments": PIECES[0]}),
    _fragment(2, function={"arguments": PIECES[1]}),
    _chunk(3, {}, "length"),
)


@pytest.mark.parametrize("input_", ["{}", PIECES[0], '{"path":' * 5000])
def test_a_call_that_no_event_completes_is_where_it_is_announced(input_: str) -> None:
    part = {"type": "tool-call", "toolName": "write", "toolCallId": "call_1", "input": input_}
    run = replace(transcript(part, sent=CUT_SHORT, vocabulary="stream"), dialect="chat")
    assert places(rows_of(run, None)) == [1]


MISSING: list[tuple[str, Transcript, dict[int, list[str]]]] = [
    ("nothing", played(LET, LOOK, READ, STOP), {}),
    ("nothing, in one text", played(text("Let me look."), READ, STOP), {}),
    ("a text", played(LET, READ, STOP), {3: ["text 'look.'"]}),
    ("the rest of a text", played(LET, text("lo"), READ, STOP), {3: ["text 'ok.'"]}),
    ("a call", played(LET, LOOK, STOP), {5: ['toolCall call_1 read_file {"path":"a.py"}']}),
    (
        "all after a crash",
        played(LET, verdict="crashed", ends=(End(2.0, "error"),)),
        {
            3: ["text 'look.'"],
            5: ['toolCall call_1 read_file {"path":"a.py"}'],
            9: ["toolCall call_2 stop {}"],
        },
    ),
    ("not a call that came late", played(LET, LOOK, STOP, READ), {}),
    ("not a call that came after the end", played(LET, LOOK, STOP, (READ, 3.0)), {}),
]


@pytest.mark.parametrize(("name", "run", "right"), MISSING, ids=[name for name, *_ in MISSING])
def test_what_was_due_and_did_not_come_is_said_at_its_event(
    name: str, run: Transcript, right: dict[int, list[str]]
) -> None:
    shown = {row.event: row.missing for row in rows_of(run) if row.missing}
    assert shown == {at: [f"did not come: {part}" for part in due] for at, due in right.items()}, (
        name
    )


def _crashed(at: float, *parts: Json | tuple[Json, float]) -> list[Row]:
    return rows_of(played(*parts, verdict="crashed", ends=(End(at, "error"),)))


STOPPED: list[tuple[str, list[Row], list[int | str], dict[int, str]]] = [
    (
        "the whole stream may have been read",
        _crashed(2.0, LET),
        [1, "(nothing came after this: the adapter crashed)", 2],
        {3: "", 5: "", 9: ""},
    ),
    (
        "later events were sent after it",
        _crashed(0.035, (LET, 0.02)),
        [1, "(nothing came after this: the adapter crashed)", 2],
        {3: "", 5: " (the run had ended)", 9: " (the run had ended)"},
    ),
    (
        "nothing came at all",
        _crashed(2.0),
        [0, "(nothing came: the adapter crashed)", 1],
        {1: "", 3: "", 5: "", 9: ""},
    ),
]


@pytest.mark.parametrize(("name", "rows", "around", "due"), STOPPED, ids=[n for n, *_ in STOPPED])
def test_a_row_says_after_which_part_a_run_stopped(
    name: str, rows: list[Row], around: list[int | str], due: dict[int, str]
) -> None:
    order = [row.event if row.event is not None else row.right[0] for row in rows]
    at = next(n for n, each in enumerate(order) if str(each).startswith("(nothing came"))
    assert order[max(at - 1, 0) : at + 2] == around, name
    ends = {row.event: row.missing[0] for row in rows if row.missing}
    assert {n: line.endswith("(the run had ended)") for n, line in ends.items()} == {
        n: bool(ending) for n, ending in due.items()
    }, name


FAILED = (End(2.0, "failed", error=ReportedError("upstream", "No.")),)


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (played(LET, LOOK, READ, STOP, verdict="crashed", ends=(End(2.0, "error"),)), True),
        (played(LET, verdict="failed", ends=FAILED), True),
        (played(LET, LOOK, READ, STOP, verdict="failed", ends=FAILED), False),
        (played(LET), False),
    ],
)
def test_a_run_stopped_if_it_crashed_or_failed_with_parts_due(run: Transcript, says: bool) -> None:
    shown = [line for row in rows_of(run) for line in row.right]
    assert any(line.startswith("(nothing came after this: the ") for line in shown) is says


def _cited(at: int, n: int) -> SentEvent:
    page = {"type": "url_citation", "url": f"https://example.org/{n}", "title": "Page"}
    place = {"output_index": 0, "content_index": 0}
    return event(at, "output_text.annotation.added", **place, annotation=page)


MUST = found("citation-routed", "must", "nowhere", "there", "a source", event=1)
CITED = transcript(LET, sent=(_text(0, "Let me "), _cited(1, 1), _cited(2, 2), _text(3, "look.")))


@pytest.mark.parametrize(
    ("findings", "traits", "missing", "silent"),
    [
        (
            [MUST],
            Traits(),
            {1: ["did not come: citation https://example.org/1"]}
            | {2: ["did not come: citation https://example.org/2"]},
            {3: "nothing came"},
        ),
        (
            [replace(MUST, rule="text-exact", level="should", event=3)],
            Traits(),
            {3: ["did not come: text 'look.'"]},
            dict.fromkeys((1, 2), "nothing came"),
        ),
        ([], Traits(), {}, dict.fromkeys((1, 2, 3), "nothing came")),
        (
            [],
            Traits(annotations="hidden"),
            {},
            dict.fromkeys((1, 2), "not shown (annotations: hidden)") | {3: "nothing came"},
        ),
    ],
)
def test_content_of_which_nothing_came_did_not_come_where_a_finding_says_so(
    findings: list[Finding],
    traits: Traits,
    missing: dict[int | None, list[str]],
    silent: dict[int | None, str],
) -> None:
    rows = timeline.of_run(turns_of(CITED, traits), findings)[:4]
    assert {row.event: row.missing for row in rows if row.missing} == missing
    assert {row.event: row.silent for row in rows if row.silent and not row.missing} == silent


def test_a_finding_is_below_what_did_not_come_if_that_is_at_its_event() -> None:
    finding = found("text-exact", "must", "lacks", "the text", "a source", event=1, part=0)
    rows = timeline.of_run(turns_of(played(LOOK, READ, STOP), Traits(), CASE), [finding])
    (at,) = [row for row in rows if row.findings]
    assert (at.event, at.missing) == (1, ["did not come: text 'Let me '"])
    assert at.places == {finding: "event 1, part 0 at event 3"}


def _done(at: int) -> SentEvent:
    item = {**_item(1, "call_1", "read_file"), "arguments": '{"path":"a.py"}'}
    return event(at, "output_item.done", output_index=1, item={**item, "status": "completed"})


def _arguments_done(at: int) -> SentEvent:
    return event(at, "function_call_arguments.done", output_index=1, arguments='{"path":"a.py"}')


def _text_done(at: int, said: str) -> SentEvent:
    return event(at, "output_text.done", output_index=0, content_index=0, text=said)


ADDED = _added(0, 1, "call_1", "read_file")
ITEM = (
    ADDED,
    event(0, "function_call_arguments.delta", output_index=1, delta='{"path":"a.py"}'),
    _arguments_done(0),
    _done(0),
)
HM = text("Hm.")
AGAIN: list[tuple[str, tuple[SentEvent, ...], tuple[Json, ...], list[int]]] = [
    ("the end of its item", (ADDED, _arguments_done(1), _done(2)), (READ, READ), [1, 2]),
    ("no event", (ADDED, _arguments_done(1)), (READ, READ), [1, 1]),
    (
        "the full text",
        (_text(0, "Let me "), _text(1, "look."), _text_done(2, "Let me look.")),
        (LET, LOOK, text("Let me look.")),
        [0, 1, 2],
    ),
    ("the text at its end", (_text(0, "Hm."), _text_done(1, "Hm.")), (HM, HM), [0, 1]),
]


@pytest.mark.parametrize(("name", "sent", "parts", "right"), AGAIN, ids=[row[0] for row in AGAIN])
def test_a_part_that_repeats_another_is_beside_the_next_event_that_has_it(
    name: str, sent: tuple[SentEvent, ...], parts: tuple[Json, ...], right: list[int]
) -> None:
    numbered = tuple(replace(each, n=n) for n, each in enumerate(sent))
    assert places(rows_of(transcript(*parts, sent=numbered), None)) == right, name


def _item_event(at: int, end: str, item: Json) -> SentEvent:
    return event(at, f"output_item.{end}", output_index=0, item=item)


MESSAGE = {"type": "message", "id": "msg_1"}
HELLO = tuple(
    replace(each, at=each.n / 100)
    for each in (
        event(0, "created"),
        _item_event(1, "added", MESSAGE),
        event(2, "output_text.delta", output_index=0, item_id="msg_1", delta="Hello"),
        event(3, "output_text.done", output_index=0, item_id="msg_1", text="Hello"),
        _item_event(4, "done", MESSAGE),
        _item_event(5, "done", MESSAGE),
        SentEvent(
            6,
            0.0,
            "raw",
            "raw",
            'event: response.output_item.added\ndata: {"type":"response.output_item.added",'
            '"output_index":1,"item":null}\n\n',
        ),
        _text(7, " there"),
        event(8, "completed", response={"status": "completed", "output": [MESSAGE]}),
    )
)
START, END = {"type": "text-start", "id": "msg_1"}, {"type": "text-end", "id": "msg_1"}
DELTA = {"type": "text-delta", "id": "msg_1", "delta": "Hello"}
THERE = {"type": "text-delta", "id": "2", "delta": " there"}
FINISH = {"type": "finish", "finishReason": "stop", "usage": {}}
OWN = {"type": "text-end", "id": "own"}
ERROR = {"type": "error", "error": {"message": "No."}}
NUMBERED = [{**part, "id": "msg_1:0"} for part in (START, DELTA, END)]

FRAMED: list[tuple[str, tuple[Json | tuple[Json, float], ...], list[int | str]]] = [
    ("an end is at the next event that names its block", (START, DELTA, END, FINISH), [1, 2, 3, 8]),
    ("an end that came before that", (START, DELTA, (END, 0.025), FINISH), [1, 2, 2, 8]),
    ("an end of an own id is beside the part before it", (DELTA, OWN, THERE), [2, 2, 7]),
    ("an end of a block numbered in its item", (*NUMBERED, FINISH), [1, 2, 3, 8]),
    ("an error is beside the part before it", (DELTA, ERROR, THERE), [2, 2, 7]),
]


@pytest.mark.parametrize(("name", "parts", "right"), FRAMED, ids=[row[0] for row in FRAMED])
def test_a_part_without_content_is_beside_the_next_event_of_its_block_or_the_part_before_it(
    name: str, parts: tuple[Json | tuple[Json, float], ...], right: list[int | str]
) -> None:
    run = replace(played(*parts), vocabulary="stream")
    run = replace(run, requests=(replace(run.requests[0], events=HELLO),))
    assert places(rows_of(run, None)) == right, name


def test_the_result_of_an_approved_call_is_at_its_item_under_whatever_id_it_was_asked_for() -> None:
    asks = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "zip", "arguments": "{}"}
    made = {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "mcpr_1", "output": "ok"}
    then = {"type": "message", "id": "msg_1", "content": []}
    sent = (
        event(0, "output_item.done", output_index=0, item=asks),
        event(1, "output_item.done", output_index=1, item=made),
        event(2, "output_item.added", output_index=2, item=then),
        event(3, "completed", response={"status": "completed", "output": []}),
    )
    asked = {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": "own"}
    result = {"type": "tool-result", "toolCallId": "own", "toolName": "zip", "result": "ok"}
    run = transcript(
        asked, result, {"type": "text-start", "id": "msg_1"}, sent=sent, vocabulary="stream"
    )
    assert places(rows_of(run, None)) == [0, 1, 2]


CLOSES = {
    "clean": "(closed by the upstream, without an ending)",
    "cut": "(the connection is closed, before the answer is over)",
    "reset": "(the connection is reset)",
    "half-close": "(the upstream ends its side of the connection, before the answer is over)",
    "stall": "(nothing more comes; the connection stays open)",
}


@pytest.mark.parametrize("how", CLOSES)
def test_how_the_upstream_closed_an_answer_without_an_ending_is_a_row(how: str) -> None:
    said = "      - start: {text: t}\n      - delta: {t: Hello}\n"
    source = (
        f"title: It breaks\nconduct: violation\nturns:\n  - says:\n{said}      - close: {how}\n"
    )
    expect = "    expect: {outcome: failed, parts: [{text: Hello}]}\n"
    case = Case(load((source + expect).encode(), "own/cut.yaml", "own/cut"), "openresponses")
    planned = render(case, 0).plan.sent
    sent = tuple(SentEvent(e.n, 0.0, e.kind, e.type, e.data) for e in planned)
    run = transcript(text("Hello"), sent=sent)
    shown = [row.left for row in rows_of(run, case) if row.event is None]
    assert shown == [CLOSES[how], ""]
    left_before = transcript(text("Hello"), sent=sent[:-1])
    assert CLOSES[how] not in [row.left for row in rows_of(left_before, case)]


@pytest.mark.parametrize("repeated", [1, 8])
def test_an_ending_is_in_the_adapters_column_however_long_it_is(repeated: int) -> None:
    end = End(2.0, "error", error=ReportedError("unknown", "KeyError: " + "choices " * repeated))
    shown = timeline.of_run(turns_of(played(LET, verdict="crashed", ends=(end,)), Traits()))
    head, *drawn = draw_text(shown, "the upstream sent", "mine emitted", 80).splitlines()
    column = head.index("mine emitted")
    at = next(n for n, line in enumerate(drawn) if "⏹" in line)
    assert drawn[at][column:].startswith("⏹ crashed: KeyError: choices")
    assert not any(line[: column - 1].strip() for line in drawn[at:])
    assert next(line for line in drawn if "(nothing came after" in line)[column] == "("


def test_an_event_whose_content_came_elsewhere_says_where() -> None:
    silent = {row.event: row.silent for row in rows_of(played(text("Let me look."), STOP, READ))}
    assert (silent[1], silent[5]) == ("shown at event 3", "shown at event 9")


def test_without_the_case_an_event_without_a_part_says_only_that() -> None:
    rows = rows_of(played(LET, verdict="crashed", ends=()), None)
    assert {row.event for row in rows if row.silent == "nothing came"} == {3, 5, 9}
    assert not any(row.missing for row in rows)


PARTS = st.sampled_from(
    [
        *(LET, LOOK, READ, EMPTY, STOP, text("Let me look."), text("me"), text(" "), text("é"), {}),
        *(OWN_ID, INVENTED, {**READ, "input": "{"}),
        {"type": "tool-input-start", "id": "call_1", "toolName": "read_file"},
        {"type": "tool-input-end", "id": "call_1"},
        {"type": "text-end", "id": "own"},
        {"type": "error", "error": "No."},
    ]
)
TIMES = st.lists(st.floats(-0.02, 2.5), max_size=8).map(sorted)


@st.composite
def runs(draw: st.DrawFn) -> Transcript:
    timed = [(draw(PARTS), at) for at in draw(TIMES)]
    return played(*timed)


@given(runs())
def test_every_part_is_shown_once_in_order_and_not_after_it_came(run: Transcript) -> None:
    rows = rows_of(run)
    shown = [line for row in rows for line in row.right if not line.startswith("⏹")]
    assert shown == [summary.of_part(emitted.part) for emitted in run.parts]
    for emitted, place in zip(run.parts, places(rows), strict=True):
        if isinstance(place, int):
            assert SENT[place].at <= emitted.at or emitted.at == run.requests[0].at


@given(runs())
def test_a_label_claims_no_part_that_did_not_come(run: Transcript) -> None:
    rows = {row.event: row for row in rows_of(run)}
    came = {part.part.get("callId") for part in run.parts}
    for row in rows.values():
        for line in row.missing:
            assert not any(str(id_) in line for id_ in came if id_)
        if row.silent.startswith("shown at event "):
            assert rows[int(row.silent.rpartition(" ")[2])].right
        assert "emitted" not in row.silent
