"""The timeline: each part and finding is beside the event that it belongs to."""

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from conformance.contract.traits import Traits
from conformance.contract.transcript import (
    Cancelled,
    CheckpointResult,
    Emitted,
    End,
    PlainAnswer,
    ReportedError,
    Request,
    SentEvent,
    Transcript,
)
from conformance.expectation.match import Match
from conformance.expectation.projection import Expected, ExpectedCall
from conformance.findings.finding import Finding
from conformance.report import timeline
from conformance.report.drawing import draw, draw_text
from conformance.report.outline import CancelPoint, rows_of_scenario
from conformance.report.rows import Row
from conformance.report.timeline import in_order
from conformance.rules.turns import turns_of
from conformance.vocabularies import VSCODE
from tests.findings.made import altered, found

Json = dict[str, Any]

CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file"}
ARGUMENTS = '{"path":"a.py"}'


def event(n: int, type_: str, **data: Any) -> SentEvent:
    type_ = f"response.{type_}"
    return SentEvent(n, 0.0, "event", type_, {"type": type_, **data})


SENT = (
    event(0, "created"),
    event(1, "output_text.delta", output_index=0, content_index=0, delta="Let me "),
    event(2, "output_item.added", output_index=1, item={**CALL, "status": "in_progress"}),
    event(3, "output_text.delta", output_index=0, content_index=0, delta="look."),
    event(4, "function_call_arguments.delta", output_index=1, delta=ARGUMENTS),
    event(5, "function_call_arguments.done", output_index=1, arguments=ARGUMENTS),
    event(6, "output_item.done", output_index=1, item={**CALL, "status": "completed"}),
    event(7, "completed", response={"status": "completed", "output": []}),
)
IMAGE = {"type": "image_generation_call", "result": "AAAA"}
CALLED = {"type": "toolCall", "callId": "call_1", "name": "read_file", "input": {"path": "a.py"}}


def text(value: str) -> Json:
    return {"type": "text", "value": value}


def transcript(*parts: Json, sent: tuple[SentEvent, ...] = SENT, **fields: Any) -> Transcript:
    return Transcript(
        case="any/a@openresponses",
        scenario="any/a",
        dialect="openresponses",
        vocabulary=fields.pop("vocabulary", "vscode"),
        adapter="mine",
        verdict=fields.pop("verdict", "completed"),
        requests=(Request(0, 0.0, "POST", "/v1/responses", 200, 0, events=sent),) if sent else (),
        parts=tuple(Emitted(n, 0.0, part) for n, part in enumerate(parts)),
        ends=fields.pop("ends", (End(1.0, "completed"),)),
        **fields,
    )


def right(rows: list[Row]) -> dict[int, list[str]]:
    """The lines in the adapter's column of a timeline, by the number of the event beside them."""
    return {row.event: row.right for row in rows if row.event is not None and row.right}


def timeline_of(
    run: Transcript, findings: Sequence[Finding] = (), *, traits: Traits | None = None
) -> list[Row]:
    return timeline.of_run(turns_of(run, traits or Traits()), findings)


def test_parts_are_beside_the_events_that_they_came_from() -> None:
    rows = timeline_of(transcript(text("Let me "), text("look."), CALLED))
    assert right(rows) == {
        1: ["text 'Let me '"],
        3: ["text 'look.'"],
        5: ['toolCall call_1 read_file {"path":"a.py"}'],
    }


def test_a_part_with_the_text_of_several_events_is_beside_the_last_of_them() -> None:
    rows = timeline_of(transcript(text("Let me look.")))
    assert right(rows) == {3: ["text 'Let me look.'"]}


def test_parts_that_split_one_event_are_beside_it() -> None:
    rows = timeline_of(transcript(text("Let "), text("me ")))
    assert right(rows) == {1: ["text 'Let '", "text 'me '"]}


def test_a_call_is_found_under_the_prefix_that_the_adapter_declares() -> None:
    part = {**CALLED, "callId": "gw-call_1"}
    rows = timeline_of(transcript(part), traits=Traits(call_id_prefix="gw-"))
    assert list(right(rows)) == [5]


def test_citations_and_images_are_beside_the_events_that_carry_them() -> None:
    pages = [{"url": f"https://example.org/{n}", "title": "Page"} for n in (1, 2, 1)]
    sent = (
        event(0, "output_text.delta", output_index=0, content_index=0, delta="Hot."),
        *(
            event(
                n + 1,
                "output_text.annotation.added",
                output_index=0,
                content_index=0,
                annotation={"type": "url_citation", **page},
            )
            for n, page in enumerate(pages)
        ),
        replace(event(4, "output_item.done", output_index=1, item=IMAGE), ignorable=True),
    )
    mime = "application/vnd.vscode.citation+json"
    cited = [
        {"type": "data", "mimeType": mime, "data": b64encode(json.dumps(page).encode()).decode()}
        for page in pages
    ]
    image = {"type": "data", "mimeType": "image/png", "data": "AAAA"}
    rows = timeline_of(
        transcript(text("Hot."), *cited, image, sent=sent), traits=Traits(annotations="data")
    )
    assert {row: len(parts) for row, parts in right(rows).items()} == dict.fromkeys(range(5), 1)


def test_a_repeated_call_is_beside_the_next_event_that_has_it() -> None:
    rows = timeline_of(transcript(CALLED, CALLED))
    assert [len(parts) for parts in right(rows).values()] == [1, 1]


def test_parts_keep_their_order_even_if_it_is_wrong() -> None:
    rows = timeline_of(transcript(CALLED, text("Let me ")))
    shown = [line for row in rows for line in row.right[:2]]
    assert shown[0].startswith("toolCall")
    assert shown[1] == "text 'Let me '"


def test_a_call_that_no_event_explains_is_beside_the_part_before_it() -> None:
    call = {"type": "toolCall", "callId": "call_9", "name": "other", "input": {}}
    rows = timeline_of(transcript(text("Let me "), call, text("look.")))
    assert {row: len(lines) for row, lines in right(rows).items()} == {1: 2, 3: 1}


@pytest.mark.parametrize(
    "part",
    [
        {"type": "data", "mimeType": "image/png", "data": "AAAA"},
        {"type": "not a JSON object: None"},
        {"type": ["no", "string"]},
        {"type": "thinking", "value": ["a", 1]},
        {},
    ],
)
def test_a_part_that_no_event_explains_is_where_it_came(part: Json) -> None:
    rows = timeline_of(transcript(text("Let me "), part, text("look.")))
    assert [row for row, lines in right(rows).items()] == [1, 3]
    assert len(right(rows)[1]) == 2


def test_text_that_was_not_sent_is_where_it_came() -> None:
    rows = timeline_of(transcript(text("Let me look."), text(" And more.")))
    assert right(rows) == {3: ["text 'Let me look.'", "text ' And more.'"]}


def test_reasoning_is_matched_apart_from_text() -> None:
    sent = (
        event(0, "reasoning_text.delta", output_index=0, content_index=0, delta="2 + 2"),
        event(1, "output_text.delta", output_index=1, content_index=0, delta="It is 4."),
    )
    thinking = {"type": "thinking", "value": ["2 +", " 2"]}
    rows = timeline_of(transcript(thinking, text("It is 4."), sent=sent))
    assert list(right(rows)) == [0, 1]


def test_reasoning_that_came_as_text_is_at_its_own_event_though_an_answer_resembles_it() -> None:
    thought, said = ("Counting ", "the seats."), ("Eleven seat", "s are free.")
    at = {"output_index": 0, "content_index": 0}
    sent = (
        *(event(n, "reasoning_text.delta", **at, delta=each) for n, each in enumerate(thought)),
        *(event(n, "output_text.delta", **at, delta=each) for n, each in enumerate(said, 2)),
    )
    rows = timeline_of(transcript(*map(text, (*thought, *said)), sent=sent))
    assert list(right(rows)) == [0, 1, 2, 3]
    assert not any(row.silent or row.missing for row in rows)


def test_an_event_shows_what_it_adds_where_its_own_words_do_not() -> None:
    call = {**CALL, "status": "completed", "arguments": ARGUMENTS}
    said = [{"type": "summary_text", "text": "Hm."}]
    head = {"type": "output_text", "text": "Let "}
    sent = (
        event(0, "content_part.added", output_index=0, content_index=0, part=head),
        event(1, "output_text.delta", output_index=0, content_index=0, delta="me"),
        event(2, "output_item.done", output_index=1, item={"type": "reasoning", "summary": said}),
        event(3, "completed", response={"status": "completed", "output": [call]}),
    )
    assert [row.left[4:] for row in timeline_of(transcript(sent=sent))[:4]] == [
        "content_part.added [0] text 'Let '",
        "output_text.delta [0] 'me'",
        "output_item.done [1] reasoning 'Hm.'",
        "completed with call call_1",
    ]


def _with_ids(*ids: tuple[int, str]) -> tuple[SentEvent, ...]:
    deltas = [
        event(n, "output_text.delta", output_index=index, item_id=id_, delta="a")
        for n, (index, id_) in enumerate(ids)
    ]
    return (*deltas, event(len(ids), "completed", response={"id": "resp_1"}))


IDS: list[tuple[str, tuple[SentEvent, ...], list[str]]] = [
    ("one for each item", _with_ids((0, "m_1"), (0, "m_1"), (1, "m_2")), ["", "", "", ""]),
    ("they rotate", _with_ids((0, "m_1"), (0, "m_2"), (1, "m_3")), [" m_1", " m_2", "", ""]),
    ("two items share one", _with_ids((0, "m_1"), (1, "m_1")), [" m_1", " m_1", ""]),
    ("long ones", _with_ids((0, "m" * 99), (0, "n")), [f" {'m' * 15}…", " n", ""]),
]


@pytest.mark.parametrize(("name", "sent", "ids"), IDS, ids=[name for name, *_ in IDS])
def test_ids_of_items_are_shown_where_they_differ(
    name: str, sent: tuple[SentEvent, ...], ids: list[str]
) -> None:
    rows = timeline_of(transcript(sent=sent))
    assert [row.left[4:] for row in rows[: len(sent)]] == [
        *(
            f"output_text.delta [{each.data['output_index']}]{id_} 'a'"
            for each, id_ in zip(sent[:-1], ids[:-1], strict=True)
        ),
        f"completed{ids[-1]}",
    ], name


def test_an_index_may_be_anything() -> None:
    sent = (event(0, "output_text.delta", output_index=[], item_id="a", delta="a"),)
    row, *_ = timeline_of(transcript(sent=sent))
    assert row.left == "  0 output_text.delta [[]] 'a'"


def test_an_event_without_a_part_says_why() -> None:
    rows = timeline_of(transcript(text("Let me "), text("look."), CALLED))
    silent = {row.event: row.silent for row in rows if row.event is not None}
    assert silent == {
        0: "lifecycle", 1: "", 2: "tracking", 3: "", 4: "buffering", 5: "", 6: "nothing new",
        7: "lifecycle",
    }  # fmt: skip


def _raw(n: int, said: str) -> SentEvent:
    return SentEvent(n, 0.0, "raw", "raw", f"data: {said}\n\n")


HALF = '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}'
SAID = '{"choices":[{"delta":{"content":"Hm."}}]}'


@pytest.mark.parametrize(
    ("said", "silent"),
    [
        (HALF, ["buffering"] * 2),
        (SAID, ["sent as raw bytes"] * 2),
        ("no JSON", ["sent as raw bytes"] * 2),
        ("[DONE]", ["end of stream"] * 2),
        ("{}", ["lifecycle"] * 2),
    ],
)
def test_an_event_in_raw_bytes_says_why_nothing_is_expected(said: str, silent: list[str]) -> None:
    run = replace(transcript(sent=(_raw(0, said), _raw(1, said))), dialect="chat")
    assert [row.silent for row in timeline_of(run)[:2]] == silent


def test_what_comes_after_done_is_after_the_end() -> None:
    chunk = SentEvent(1, 0.0, "event", "chunk", {"choices": [{"finish_reason": "stop"}]})
    run = replace(transcript(sent=(_raw(0, "[DONE]"), chunk)), dialect="chat")
    assert [row.silent for row in timeline_of(run)[:2]] == ["end of stream", "after the end"]


def test_content_of_another_choice_did_not_come_and_that_may_be_right() -> None:
    sent = tuple(
        SentEvent(n, 0.0, "event", "chunk", {"choices": [{"index": n, "delta": {"content": "a"}}]})
        for n in range(2)
    )
    run = replace(transcript(text("a"), sent=sent), dialect="chat")
    assert [row.silent for row in timeline_of(run)[:2]] == ["", "nothing came"]


def _block(what: str, id_: str, **fields: str) -> Json:
    return {"type": f"text-{what}", "id": id_, **fields}


OPENED, SAYS = _block("start", "a"), {"delta": "Let me "}
BLOCKS: list[tuple[str, tuple[Json, ...], str]] = [
    ("of the open block", (OPENED, _block("delta", "a", **SAYS)), "text-delta 'Let me '"),
    ("of another block", (OPENED, _block("delta", "b", **SAYS)), "text-delta b 'Let me '"),
    ("without an id", (OPENED, _block("delta", "", **SAYS)), "text-delta '' 'Let me '"),
    ("where no block begins", (_block("delta", "a", **SAYS),), "text-delta 'Let me '"),
    (
        "of one of two",
        (OPENED, _block("start", "b"), _block("delta", "b", **SAYS)),
        "text-delta b 'Let me '",
    ),
    (
        "after the end",
        (OPENED, _block("end", "a"), _block("delta", "a", **SAYS)),
        "text-delta a 'Let me '",
    ),
]


@pytest.mark.parametrize(("name", "parts", "words"), BLOCKS, ids=[name for name, *_ in BLOCKS])
def test_a_delta_has_its_id_unless_it_is_that_of_the_open_block(
    name: str, parts: tuple[Json, ...], words: str
) -> None:
    rows = timeline_of(transcript(*parts, vocabulary="stream"))
    assert words in [line for lines in right(rows).values() for line in lines], name


FINDING = found("call-once", "must", "twice", "once", "lm-stream-semantics § 3.2")


@pytest.mark.parametrize(
    ("finding", "event", "place"),
    [
        (replace(FINDING, part=1), 5, "event 5, part 1"),
        (replace(FINDING, event=3), 3, "event 3"),
        # The part is nearer than the event.
        (replace(FINDING, part=1, event=3), 5, "event 5, part 1"),
        # A part number that does not exist.
        (replace(FINDING, part=7, event=3), 3, "event 3, part 7"),
        (replace(FINDING, event=70), None, ""),
        (FINDING, None, ""),
    ],
)
def test_a_finding_is_at_its_part_or_its_event_or_at_the_end(
    finding: Finding, event: int | None, place: str
) -> None:
    rows = timeline_of(transcript(text("Let me look."), CALLED), [finding])
    (at,) = [row for row in rows if row.findings]
    assert at.findings == [finding]
    assert at.event == event
    assert at.places == {finding: place}


def test_a_part_that_a_finding_names_has_its_number() -> None:
    again = found("call-once", "must", "", "", "a source", values={"again": 0, "times": 12})
    findings = [altered(FINDING, part=2), again]
    rows = timeline_of(transcript(text("Let me "), text("look."), CALLED), findings)
    assert right(rows) == {
        1: ["#0 text 'Let me '"],
        3: ["text 'look.'"],
        5: ['#2 toolCall call_1 read_file {"path":"a.py"}'],
    }


def _asks(*tools: str) -> Json:
    offered = [{"type": "function", "name": name, "parameters": {}} for name in tools]
    said = [{"type": "message", "role": "user", "content": "How long is it?"}]
    return {"model": "mock", "input": said, "tools": offered}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (_asks("a", "b"), ["offers a, b"]),
        (_asks(), ["offers no tool"]),
        ({**_asks("a"), "max_output_tokens": 99}, ["offers a", "allows 99 output tokens"]),
    ],
)
def test_a_finding_about_the_request_is_above_the_stream_with_what_it_asks(
    body: Json, words: list[str]
) -> None:
    run = transcript(text("Let me "))
    run = replace(run, requests=(replace(run.requests[0], body=body),))
    finding = replace(FINDING, rule="turn-tools")
    request, note, first, *rest = timeline_of(run, [finding, FINDING])
    assert (request.left, request.findings) == ("(the request)", [finding])
    assert request.right == ["user 'How long is it?'", *words]
    assert note.right == ["(not judged: the request is wrong)"]
    assert (first.event, rest[-1].findings) == (0, [FINDING])


def test_after_a_should_about_the_request_the_output_is_judged() -> None:
    finding = replace(FINDING, rule="turn-tools", level="should")
    rows = timeline_of(transcript(text("Let me ")), [finding])
    assert not any("(not judged" in line for row in rows for line in row.right)


def test_a_request_that_no_turn_answered_has_its_status_and_what_is_wrong_with_it() -> None:
    first = transcript(text("Let me "))
    request = Request(0, 0.0, "POST", "/v1/responses", 400, problems=("input: is not a list",))
    second = replace(first, requests=(request,), parts=(), turn=1, before=(first,))
    rows = timeline_of(second, [FINDING])
    heading = next(n for n, row in enumerate(rows) if row.left == "— turn 1 —")
    assert rows[heading + 1].right == ["(not judged: turn 0 failed)"]
    assert [row.left for row in rows[heading + 2 : -1]] == ["HTTP 400", "input: is not a list"]
    unanswered = replace(first, requests=(replace(request, status=404, problems=(), why="No."),))
    assert [row.left for row in timeline_of(unanswered)] == ["HTTP 404", "No.", ""]


def test_findings_of_a_row_are_in_the_order_of_the_headlines() -> None:
    findings = [replace(FINDING, level="should"), replace(FINDING, rule="end-once")]
    rows = timeline_of(transcript(text("Let me ")), findings)
    assert rows[-1].findings == in_order(findings) == findings[::-1]


def test_the_usage_of_an_event_is_shown_where_a_finding_is_about_it() -> None:
    usage = {"input_tokens": 12, "output_tokens": 7, "total_tokens": 19}
    sent = (*SENT[:-1], event(7, "completed", response={"status": "completed", "usage": usage}))
    about = replace(FINDING, rule="usage-last")
    shown = {
        name: timeline_of(transcript(sent=sent), findings)[7].left
        for name, findings in {"usage": [about], "other": [FINDING]}.items()
    }
    assert shown == {"usage": "  7 completed usage: 12 in, 7 out", "other": "  7 completed"}


ENDINGS: list[tuple[Json, str]] = [
    ({}, "⏹ completed"),
    ({"ends": (End(1.0, "completed", "tool-calls"),)}, "⏹ completed (tool-calls)"),
    (
        {"verdict": "failed", "ends": (End(1.0, "failed", error=ReportedError("http", "429")),)},
        "⏹ failed: 429",
    ),
    ({"verdict": "hung", "ends": ()}, "⏹ hung, no ending"),
    (
        {"verdict": "timed-out", "ends": (End(1.0, "cancelled"),)},
        "⏹ cancelled when its time was over",
    ),
    (
        {"verdict": "timed-out", "ends": (End(1.0, "completed", "stop"),)},
        "⏹ completed (stop) when its time was over",
    ),
    (
        {"verdict": "broke-protocol", "ends": (End(1.0, "completed"),)},
        "⏹ completed, but the adapter broke the driver protocol",
    ),
    # The failure is in a part, as the vocabulary has it.
    (
        {"ends": (End(1.0, "failed", "error", error=ReportedError("upstream", "No.")),)},
        "⏹ failed (error): No.",
    ),
]


@pytest.mark.parametrize(("fields", "message"), ENDINGS)
def test_the_last_line_says_how_it_ended(fields: Json, message: str) -> None:
    assert timeline_of(transcript(**fields))[-1].right == [message]


def test_a_run_in_which_nothing_was_sent_is_shown() -> None:
    finding = replace(FINDING, part=0)
    rows = timeline_of(transcript(text("from nowhere"), sent=()), [finding])
    assert (rows[0].left, rows[0].right) == ("(nothing was sent)", ["#0 text 'from nowhere'"])
    assert rows[0].findings == [finding]


CANCELS: list[tuple[Cancelled, tuple[CheckpointResult, ...], dict[int, list[str]]]] = [
    (
        Cancelled(0.0, 1, "after_parts"),
        (),
        {1: ["text 'Let '", "✂ cancelled", "text 'me '"], 3: ["text 'look.'"]},
    ),
    (
        Cancelled(0.0, 3, "after_parts"),
        (),
        {1: ["text 'Let '", "text 'me '"], 3: ["text 'look.'", "✂ cancelled"]},
    ),
    (
        Cancelled(0.0, 0, "after_parts"),
        (),
        {0: ["✂ cancelled"], 1: ["text 'Let '", "text 'me '"], 3: ["text 'look.'"]},
    ),
    # The text of a checkpoint, here after the call's announcement, was emitted before.
    (
        Cancelled(0.0, 2, "checkpoint"),
        (CheckpointResult("here", 2, 2, True, 0.0),),
        {1: ["text 'Let '", "text 'me '"], 2: ["✂ cancelled"], 3: ["text 'look.'"]},
    ),
]


@pytest.mark.parametrize(("cancelled", "reached", "shown"), CANCELS)
def test_the_timeline_shows_where_the_run_was_cancelled(
    cancelled: Cancelled, reached: tuple[CheckpointResult, ...], shown: dict[int, list[str]]
) -> None:
    parts = (text("Let "), text("me "), text("look."))
    run = transcript(*parts, cancelled=cancelled, checkpoints=reached)
    assert right(timeline_of(run)) == shown


def test_the_timeline_shows_the_cancellation_of_a_run_in_which_nothing_was_sent() -> None:
    run = transcript(sent=(), cancelled=Cancelled(0.0, 0, "after_parts"))
    assert timeline_of(run)[0].right == ["✂ cancelled"]


# Drawing


def lines(rows: list[Row], width: int = 100) -> list[str]:
    return draw_text(rows, "the upstream sent", "mine emitted", width).splitlines()


def test_the_words_beside_events_without_parts_are_explained_once() -> None:
    shown = lines([Row(0, "  0 created", silent="lifecycle"), Row(1, "  1 x", silent="tracking")])
    assert [" ".join(line.split()) for line in shown[1:]] == [
        "(· no output expected, and why)",
        "0 created · lifecycle",
        "1 x · tracking",
    ]
    assert "·" not in lines([Row(0, "  0 x", ["text 'a'"], silent="tracking")])[1]


def test_what_is_right_instead_is_said_once_of_findings_of_one_rule() -> None:
    other = altered(FINDING, right="not at all")
    shown = lines([Row(0, "  0 x", findings=[FINDING, other]), Row(1, "  1 x", findings=[FINDING])])
    assert [line.strip() for line in shown if "right:" in line] == [
        "right: once",
        "right: not at all",
    ]


ENDS = [("failed", "upstream failed"), ("completed", "upstream completed"), ("queued", "")]


@pytest.mark.parametrize(("type_", "said"), ENDS)
@pytest.mark.parametrize("rule", ["end-honest", "call-once"])
def test_an_event_that_ends_the_response_is_not_said_to_need_no_output_if_a_finding_is_about_it(
    type_: str, said: str, rule: str
) -> None:
    run = transcript(sent=(event(0, type_, response={"output": []}),))
    row, *_ = timeline_of(run, [replace(FINDING, rule=rule)])
    assert row.ends == (said if rule == "end-honest" else "")
    shown = lines([row])
    assert any("·" in line for line in shown) == (not row.ends)


@pytest.mark.parametrize(
    ("rule", "left"),
    [("error-told", '  0 error {"error":{"message":"No."}}'), ("call-once", "  0 error No.")],
)
def test_the_fields_of_an_error_are_shown_if_a_finding_is_about_how_it_was_reported(
    rule: str, left: str
) -> None:
    data = {"type": "error", "sequence_number": 0, "error": {"message": "No."}}
    run = transcript(sent=(SentEvent(0, 0.0, "event", "error", data),))
    row, *_ = timeline_of(run, [replace(FINDING, rule=rule)])
    assert row.left == left


LONG = "0123456789" * 12


def test_the_left_column_is_cut_in_the_middle_and_the_right_one_is_wrapped() -> None:
    shown = lines([Row(0, f"  0 output_text.delta [0] '{LONG}'", [f"text '{LONG}'"])])
    assert len(shown) > 2
    left, right = zip(*((line[:54], line[54:].strip()) for line in shown[1:]), strict=True)
    assert re.fullmatch(r"  0 output_text\.delta \[0\] '\d+…\d+'", left[0])
    assert not "".join(left[1:]).strip()
    assert "".join(right).replace(" ", "") == f"text'{LONG}'"
    assert all(len(line) <= 100 for line in shown)


CUTS = [
    (
        """  3 function_call_arguments.delta [0] '{"a":1}'""",
        """  3 function_call….delta [0] '{"a":1}'""",
    ),
    (
        '  3 function_call_arguments.delta [0] \'{"path":"/srv/www/a.py"}\'',
        "  3 function_call….delta [0] '{\"pat…a.py\"}'",
    ),
    (
        "  3 output_text.delta [0] 'The capital of France is Paris.'",
        "  3 output_text.delta [0] 'The cap… Paris.'",
    ),
    (
        "  3 output_item.added [10] function_call call_abcdef",
        "  3 output_item.added [10] functio…l_abcdef",
    ),
    (
        "  3 failed server_error The engine has gone away.",
        "  3 failed server_error The engine has gon…",
    ),
    (
        """  3 chunk c_1 read_file '{"path":' [1] c_2 ls '{"a":'""",
        """  3 chunk c_1 read_file '…' [1] c_2 ls '{…'""",
    ),
    (
        "messages: the 'id' is not " + "of a call " * 9,
        "messages: the 'id' is not of a call of a c…",
    ),
    ("  3 " + "unknown" * 9, f"  3 {('unknown' * 9)[:37]}…n"),
]


@pytest.mark.parametrize(("left", "shown"), CUTS)
def test_a_long_event_keeps_its_index_and_the_end_of_its_value(left: str, shown: str) -> None:
    (_, drawn) = lines([Row(0, left, ["text 'a'"])], width=80)
    event, _, part = drawn.partition("  text")
    assert part == " 'a'"
    assert cell_len(shown) <= 43
    assert event.rstrip() == shown


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_every_line_fits_the_width(width: int) -> None:
    finding = altered(FINDING, message=f"the text is {LONG!r}, and {'so on ' * 30}")
    rows = timeline_of(transcript(text("Let me 日本語 👩‍👩‍👧"), CALLED), [replace(finding, part=1)])
    shown = lines(rows, width)
    assert all(cell_len(line) <= width for line in shown)
    assert all(line == line.rstrip() for line in shown)


def test_a_finding_is_below_its_line_with_what_would_be_right() -> None:
    shown = lines(timeline_of(transcript(CALLED), [replace(FINDING, part=0)]))
    at = next(n for n, line in enumerate(shown) if line.startswith("  5 "))
    assert shown[at + 1 : at + 4] == [
        "    ✗ call-once (must): twice",
        "      right: once",
        "      source: lm-stream-semantics § 3.2 (docs/semantics.md#call-atomicity)",
    ]


def test_control_characters_are_not_printed() -> None:
    nasty = "\x1b[2J\r\n\x07\u202e\ud83d"
    part = {**CALLED, "callId": nasty, "name": nasty}
    sent = (*SENT[:-1], event(7, f"completed{nasty}"))
    finding = altered(FINDING, message=nasty, right=nasty)
    rows = timeline_of(transcript(text(nasty), part, sent=sent), [finding])
    shown = "\n".join(lines(rows))
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert shown.encode("utf-8")


def test_many_parts_beside_one_event_are_counted_and_not_all_shown() -> None:
    findings = [replace(FINDING, part=n) for n in range(5000)]
    rows = timeline_of(transcript(*[text("")] * 5000), findings)
    shown = lines(rows)
    assert len(shown) < 120
    assert sum("and 4,960 more parts" in line for line in shown) == 1
    assert sum("and 4,990 more findings" in line for line in shown) == 1


def test_colours_are_used_on_terminals() -> None:
    rows = timeline_of(transcript(CALLED), [replace(FINDING, part=0)])
    plain, coloured = StringIO(), StringIO()
    draw(rows, "left", "right", Console(file=plain, width=100))
    draw(rows, "left", "right", Console(file=coloured, width=100, force_terminal=True))
    assert "\x1b" not in plain.getvalue()
    assert "\x1b" in coloured.getvalue()


# A scenario without a run


def expected(**fields: Any) -> Expected:
    call = ExpectedCall("gw-call_1", "read_file", {"path": "a.py"}, 0, 12)
    right: Json = {
        "text": Match(("Let me look.",)),
        "thinking": Match(),
        "calls": (call,),
        "upstream": "completed",
        "outcomes": ("completed",),
    }
    return Expected(**{**right, **fields})


def refused(at: float, attempt: int, body: str = "Away\n") -> Request:
    plain = PlainAnswer({"Retry-After": "1"}, body)
    path = "/v1/responses"
    return Request(0, at, "POST", path, 503, 0, attempt=attempt, answer=plain)


def test_a_plain_answer_shows_its_status_headers_and_the_beginning_of_its_body() -> None:
    one = replace(transcript(text("Error: Away")), requests=(refused(0.0, 1),))
    rows = timeline_of(one)
    assert [row.left for row in rows] == ["HTTP 503", "Retry-After: 1", "Away\n", ""]
    assert rows[0].right == ["text 'Error: Away'"]


def test_attempts_follow_each_other_with_the_parts_between_them() -> None:
    again = Request(1, 2.0, "POST", "/v1/responses", 200, 0, events=SENT, attempt=2)
    parts = (Emitted(0, 1.0, text("Oh. ")), Emitted(1, 2.0, text("Let me ")))
    one = transcript(ends=(End(3.0, "completed"),))
    one = replace(one, requests=(refused(0.0, 1, ""), again), parts=parts)
    finding = found("a-rule", "must", "what was seen", "what is right", "a source", event=3)
    rows = timeline_of(one, [finding])
    assert [row.left for row in rows[:4]] == [
        "HTTP 503", "Retry-After: 1", "(no body)", "attempt 2",
    ]  # fmt: skip
    assert rows[0].right == ["text 'Oh. '"]
    assert right(rows) == {1: ["text 'Let me '"]}
    assert [row.event for row in rows if row.findings] == [3]


def of_scenario(
    sent: tuple[SentEvent, ...] = SENT, until: CancelPoint | None = None, **fields: Any
) -> list[Row]:
    traits = Traits(call_id_prefix="gw-")
    right = expected(**fields)
    return rows_of_scenario(sent, "openresponses", right, VSCODE.with_traits(traits), traits, until)


def test_a_scenario_shows_when_a_correct_adapter_emits_each_part() -> None:
    rows = of_scenario()
    assert right(rows) == {
        1: ["text 'Let me '"],
        3: ["text 'look.'"],
        5: ['toolCall gw-call_1 read_file {"path":"a.py"}'],
    }
    assert rows[-1].right == ["⏹ completed"]


@pytest.mark.parametrize(
    ("until", "shown"),
    [
        (CancelPoint(parts=1), {1: ["text 'Let me '", "✂ cancelled"]}),
        (CancelPoint(parts=0), {0: ["✂ cancelled"]}),
        (CancelPoint(event=3), {1: ["text 'Let me '"], 3: ["text 'look.'", "✂ cancelled"]}),
        (CancelPoint(event=2), {1: ["text 'Let me '"], 2: ["✂ cancelled"]}),
    ],
)
def test_a_cancelled_scenario_shows_nothing_after_the_cancellation(
    until: CancelPoint, shown: dict[int, list[str]]
) -> None:
    rows = of_scenario(until=until)
    assert right(rows) == shown
    assert rows[-1].right == ["⏹ cancelled or completed"]


def test_a_part_that_no_event_brings_is_beside_the_last_event() -> None:
    rows = of_scenario(SENT[:2])
    assert right(rows)[1] == [
        "text 'Let me '",
        "text 'look.'",
        'toolCall gw-call_1 read_file {"path":"a.py"}',
    ]


def test_events_that_no_expected_part_needs_have_no_part() -> None:
    assert right(of_scenario(text=Match(("Let me lo",)), calls=())) == {
        1: ["text 'Let me '"],
        3: ["text 'lo'"],
    }


def test_all_correct_outcomes_are_listed() -> None:
    rows = of_scenario(outcomes=("completed", "failed"), reason="max_output_tokens")
    assert rows[-1].right == ["⏹ completed or failed (max_output_tokens)"]


def test_a_scenario_that_sends_nothing_is_shown() -> None:
    assert of_scenario((), calls=())[-1].right == ["⏹ completed"]
