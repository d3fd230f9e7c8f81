"""What the messages about an ending say: the event that was sent, or what came instead of one.

Transcripts are made from what a case renders, so that no adapter and no upstream is played.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import (
    VERDICTS,
    Cancelled,
    Disconnect,
    Emitted,
    End,
    PlainAnswer,
    ReportedError,
    Request,
    SentEvent,
    Transcript,
    Try,
    Verdict,
)
from conformance.findings.finding import Finding
from conformance.findings.words import message_of, right_of
from conformance.report.failure import headline
from conformance.report.sources import link
from conformance.report.timeline import ending
from conformance.rules.judge import judge_case
from conformance.rules.single_ending import NotEndedWithoutRequest
from conformance.rules.turns import PlayedTurn
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from mockserver.server.journal import answer_to_json
from tests.rows import row

CATALOGUE = Catalogue.shipped()
IN_PARTS = Traits(errors="part")


def case_of(id_: str) -> Case:
    name, _, dialect = id_.partition("@")
    scenario = CATALOGUE.get(name)
    assert scenario, id_
    return Case(scenario, dialect or scenario.dialects[0])


def request_of(case: Case) -> Request:
    """The first request of a case, which the upstream has answered as the scenario says."""
    rendered = render(case, 0)
    sent = (SentEvent(s.n, 0.0, s.kind, s.type, s.data, s.ignorable) for s in rendered.plan.sent)
    answer = rendered.answer
    return Request(
        0,
        0.0,
        "POST",
        "/r/x/v1/responses",
        answer.status if answer else 200,
        0,
        events=tuple(sent),
        ended=1.0,
        answer=PlainAnswer(**answer_to_json(answer)) if answer else None,
        close=rendered.plan.close,
    )


def transcript_of(id_: str, **fields: Any) -> Transcript:
    """A run of a case that has emitted nothing."""
    case = case_of(id_)
    requests = (request_of(case),)
    made = Transcript(str(case), case.scenario.id, case.dialect, "stream", "mine", "completed")
    return replace(made, **{"requests": requests, **fields})


def ended(id_: str, end: End, **fields: Any) -> Transcript:
    return transcript_of(id_, ends=(end,), verdict=VERDICTS[end.outcome], **fields)


def messages(transcript: Transcript, rule: str, traits: Traits = IN_PARTS) -> list[str]:
    """The messages of a rule, those of findings with a cause included."""
    findings = judge_case(case_of(transcript.case), transcript, traits)
    return [message_of(finding) for finding in _all(findings) if finding.rule == rule]


def _all(findings: Sequence[Finding]) -> Iterator[Finding]:
    for finding in findings:
        yield finding
        yield from _all(finding.explains)


COMPLETED = End(2.0, "completed")

HIDDEN = {
    "openresponses/failed-after-text": "sent response.failed (event 6): server_error The model "
    "produced invalid content.",
    "openresponses/error-alone": "sent error (event 5): bad_gateway The backend closed the "
    "connection.",
    # Of two endings, the one that hosts may not overlook.
    "openresponses/failed-then-completed": "sent response.failed (event 5): storage_full There is "
    "no room left.",
    "openresponses/completed-says-failed": "sent an error in response.completed (event 5): "
    "server_error The worker was killed.",
    "openresponses/malformed-event": "sent the bytes 'event: acme:trace\\ndata: "
    """{"type":"acme:tr'… (event 5), which is not an event""",
    "any/fails-at-once@vercel-ui": "sent error (event 2): You have sent too many requests today.",
    "any/cut-inside-text@openresponses": "cut the connection after response.output_text.delta "
    "(event 5)",
    "any/connection-reset@chat": "reset the connection after delta (event 2)",
    "any/stream-ends-without-an-ending@openresponses": "ended the stream after "
    "response.output_item.done (event 12), without response.completed, response.incomplete or "
    "response.failed",
    "any/stream-ends-without-an-ending@chat": "ended the stream after delta (event 4), without a "
    "finish_reason",
    "any/nothing-at-all@chat": "ended the stream before any event",
    "any/arguments-that-do-not-parse@vercel-fullstream": "sent 2 calls that cannot be "
    "executed, and were dropped silently: 'call_x1', 'call_x2'",
    "chat/half-a-call-at-stop": "sent a call that cannot be executed, and was dropped "
    "silently: 'call_rm'",
    "openresponses/fields-are-missing": "sent text that did not come out, up to "
    "response.completed (event 14)",
    "chat/finish-network-error": "sent finish (event 1): network_error",
    "chat/error-beside-a-finish": "sent an error in chunk (event 1): 502 The provider returned an "
    "error.",
    "any/status-503-without-body@chat": "answered with HTTP 503",
    "any/status-200-html@chat": "answered with HTTP 200 and text/html, not with a stream",
    "any/status-200-without-body@chat": "answered with HTTP 200 and no content, not with a stream",
}


def test_a_hidden_failure_is_named_by_what_the_upstream_sent() -> None:
    for id_ in HIDDEN:
        with row(id_):
            (message,) = messages(ended(id_, COMPLETED), "end-honest")
            assert message == f"the run ended as 'completed', but the upstream {HIDDEN[id_]}"


def test_a_refusal_that_the_adapter_declares_as_a_failure_is_named() -> None:
    (message,) = messages(
        ended("any/refusal@chat", COMPLETED), "end-honest", replace(IN_PARTS, refusal="error")
    )
    assert message == "the run ended as 'completed', but the upstream refused to answer"


def test_a_silent_upstream_is_not_said_to_have_ended() -> None:
    transcript = ended("any/cancel-in-a-stall@chat", COMPLETED)
    (message,) = messages(transcript, "end-honest")
    assert message.endswith("but the upstream fell silent after delta (event 2)")
    left = replace(transcript.requests[0], left=Disconnect(9.0, "closed"))
    (message,) = messages(replace(transcript, requests=(left,)), "end-honest")
    assert message.endswith("had sent nothing more after delta (event 2) when the client left")


def test_a_half_closed_connection_is_named_although_only_the_client_can_end_it() -> None:
    transcript = ended("any/half-closed-inside-text@chat", COMPLETED)
    left = replace(transcript.requests[0], left=Disconnect(9.0, "closed"))
    for requests in (transcript.requests, (left,)):
        (message,) = messages(replace(transcript, requests=requests), "end-honest")
        assert message.endswith(
            "the upstream ended its side of the connection after delta (event 2)"
        )


def test_an_upstream_whose_client_left_early_is_not_said_to_have_completed() -> None:
    full = transcript_of("any/two-equal-messages@openresponses")
    cut = replace(full.requests[0], events=full.sent[:6], left=Disconnect(0.5, "closed"))
    end = End(1.0, "failed", error=ReportedError("unknown", "too fast"))
    transcript = replace(full, requests=(cut,), ends=(end,), verdict="failed")
    (message,) = messages(transcript, "end-honest")
    assert message.startswith(
        "the run failed with 'too fast', but the upstream was still answering when the client "
        "left, after "
    )
    assert "completed" not in message


def _failed(message: str, kind: str = "unknown") -> End:
    return End(2.0, "failed", error=ReportedError(kind, message))


GOOD = "any/two-equal-messages@openresponses"
SENT = "the upstream sent response.completed (event 18)"
ENDINGS = [
    (_failed("no finish reason"), f"the run failed with 'no finish reason', but {SENT}"),
    (
        _failed("Wrapper: Error: Wrapped. Original exception: ApiError: KeyError: no 'usage'"),
        f"""the run failed with "KeyError: no 'usage'", but {SENT}""",
    ),
    (_failed(""), f"the run failed with no message, but {SENT}"),
    (_failed("Not an event:\n" + "x" * 500), f"the run failed with 'Not an event', but {SENT}"),
    (
        End(2.0, "error", error=ReportedError(message="KeyError: 'usage'\nat line 7")),
        f"""the adapter crashed with "KeyError: 'usage'"; {SENT}""",
    ),
    (End(2.0, "error"), f"the adapter crashed with no message; {SENT}"),
    (
        End(2.0, "error", error=ReportedError(message="the library raised KeyError: 'usage'")),
        f"the adapter crashed with KeyError: 'usage'; {SENT}",
    ),
    (End(2.0, "cancelled"), f"the run ended as 'cancelled', but nobody cancelled it, and {SENT}"),
    (
        End(2.0, "unsupported", error=ReportedError(message="not today")),
        "the run was refused as unsupported, although adapter.yaml claims it: 'not today'",
    ),
    (End(2.0, "completed", finish="length"), f"the run finished as 'length', but {SENT}"),
]


def test_an_ending_that_the_upstream_did_not_give_is_named_by_what_the_adapter_did() -> None:
    for end, message in ENDINGS:
        with row(message):
            assert messages(ended(GOOD, end), "end-honest") == [message]


@pytest.mark.parametrize(
    "error",
    [
        "x" * 1000,
        "Cannot read properties of undefined (reading 'summaryParts')",
        'it "is" bad: ' * 20,
    ],
)
@pytest.mark.parametrize(
    ("outcome", "joint", "says"),
    [("failed", ", but ", "failed with "), ("error", "; ", "crashed with ")],
)
def test_of_a_long_error_the_headline_shows_its_beginning_before_what_the_upstream_sent(
    error: str, outcome: str, joint: str, says: str
) -> None:
    end = End(2.0, outcome, error=ReportedError(message=error))  # type: ignore[arg-type]
    transcript = ended(GOOD, end)
    (found,) = judge_case(case_of(transcript.case), transcript, IN_PARTS)
    assert message_of(found).endswith(f"{joint}{SENT}")
    assert len(message_of(found)) < 250
    line = headline(found)
    assert line.startswith(f"✗ end-honest: {says}")
    assert error[:40] in line
    assert error[60:] in line or "…" in line
    assert "response.completed" not in line


INCOMPLETE = "any/cut-short-by-content-filter@openresponses"
CUT_SHORT = "the upstream sent response.incomplete (event 9): content-filter"
DENIED = [
    (End(2.0, "completed", finish="stop"), f"the run finished as 'stop', but {CUT_SHORT}"),
    (COMPLETED, f"nothing says that the answer is incomplete, but {CUT_SHORT}"),
    (
        _failed("the stream ended", "truncated"),
        "the run failed with 'the stream ended' instead of ending as incomplete (content-filter), "
        f"although {CUT_SHORT}",
    ),
    (
        _failed("No answer."),
        "the failure does not say that the response is incomplete (content-filter), but "
        "'No answer.'",
    ),
]


@pytest.mark.parametrize(("end", "message"), DENIED)
def test_a_response_that_was_cut_short_is_named_with_its_reason(end: End, message: str) -> None:
    assert messages(ended(INCOMPLETE, end), "end-honest") == [message]


LIMIT = "cancelled at the time limit"
UNENDED: list[tuple[str, dict[str, Any], str]] = [
    ("timed-out", {}, f"the run ended only when it was {LIMIT}, although {SENT}"),
    ("hung", {}, f"the run did not end, even when {LIMIT}, although {SENT}"),
    (
        "hung",
        {"notes": ("the adapter blocked its event loop",)},
        f"the run did not end, although {SENT}; the adapter blocked its event loop",
    ),
    (
        "hung",
        {"requests": ()},
        f"the run did not end, even when {LIMIT}, and no request reached the run's base URL",
    ),
    (
        "hung",
        {"cancelled": Cancelled(0.5, 2, "after_parts")},
        "the run did not end, although it was cancelled after 2 parts",
    ),
    (
        "timed-out",
        {"cancelled": Cancelled(0.5, 2, "after_parts")},
        "the run ended only at the time limit, although it was cancelled after 2 parts",
    ),
    (
        "crashed",
        {"notes": ("it exited with 7 in the middle of a run",)},
        "the adapter crashed: it exited with 7 in the middle of a run",
    ),
    (
        "crashed",
        {
            "notes": (
                "it exited with 1 in the middle of a run",
                "on stderr it said:\nTraceback (most recent call last):\n  File x\n"
                "KeyError: 'choices'",
            )
        },
        "the adapter crashed: KeyError: 'choices'; it exited with 1 in the middle of a run",
    ),
    (
        "crashed",
        {
            "notes": (
                "it exited with 1",
                "on stderr it said:\nTypeError: x is null\n    at f (a.js)",
            )
        },
        "the adapter crashed: TypeError: x is null; it exited with 1",
    ),
    (
        "broke-protocol",
        {"notes": ("on stderr it said:\nValueError: no", "its part 1 came where part 0 was due")},
        "the adapter broke the protocol between it and the kit: its part 1 came where part 0 was "
        "due",
    ),
    ("crashed", {}, "the adapter crashed before the run had ended"),
    (
        "not-run",
        {"notes": ("'adapter.py' cannot be started: No such file or directory",)},
        "the adapter could not be driven any further: 'adapter.py' cannot be started: No such file "
        "or directory",
    ),
]


def test_a_run_without_an_ending_is_named_by_how_it_was_stopped_or_lost() -> None:
    for verdict, fields, message in UNENDED:
        with row(message):
            assert messages(transcript_of(GOOD, verdict=verdict, **fields), "end-once") == [message]


OPEN = "any/cancel-in-a-stall@openresponses"
SILENT = "openresponses/silence-after-completed@openresponses"
DUE = [
    (GOOD, {}, "one ending that says completed, soon after response.completed (event 18)"),
    (
        SILENT,
        {},
        "one ending that says completed, soon after response.completed (event 9), although the "
        "connection stays open",
    ),
    (OPEN, {}, "one ending, at the latest once the run is cancelled"),
    (
        GOOD,
        {"cancelled": Cancelled(0.5, 2, "after_parts")},
        "one ending, once the run is cancelled",
    ),
    (
        "any/cut-inside-text@openresponses",
        {},
        "one ending that says failed, once the upstream's answer is over",
    ),
    (GOOD, {"ends": (COMPLETED, COMPLETED)}, "one ending"),
]


@pytest.mark.parametrize(("id_", "fields", "right"), DUE)
def test_findings_say_when_a_run_should_end(id_: str, fields: dict[str, Any], right: str) -> None:
    run = transcript_of(id_, **{"verdict": "hung", **fields})
    (found,) = (f for f in judge_case(case_of(id_), run, IN_PARTS) if f.rule == "end-once")
    assert right_of(found) == right


OTHER_OUTCOMES = [
    ("any/fails-with-half-a-call@openresponses", COMPLETED, "an ending that says failed"),
    (
        "openresponses/one-call-id-for-two-calls@openresponses",
        End(2.0, "cancelled"),
        "an ending that says completed, or failed with the call 'call_grep'",
    ),
]


@pytest.mark.parametrize(("id_", "end", "right"), OTHER_OUTCOMES)
def test_endings_that_are_right_with_other_parts_are_said_as_well(
    id_: str, end: End, right: str
) -> None:
    found = judge_case(case_of(id_), ended(id_, end), IN_PARTS)
    assert right in {right_of(f) for f in found if f.rule == "end-honest"}


UNASKED = [
    ({"ends": (COMPLETED,)}, ", and the run ended as 'completed'"),
    ({"ends": (_failed("no key"),)}, ", and the run ended as 'failed': 'no key'"),
    (
        {"ends": (End(2.0, "error", error=ReportedError(message="KeyError: 1\nx")),)},
        ": the adapter crashed: KeyError: 1",
    ),
]


@pytest.mark.parametrize(("fields", "message"), UNASKED)
def test_a_run_without_a_request_is_named_by_what_the_adapter_did_instead(
    fields: dict[str, Any], message: str
) -> None:
    without = transcript_of(GOOD, requests=(), **fields)
    assert messages(without, "request-valid") == [f"no request reached the run's base URL{message}"]
    assert messages(transcript_of(GOOD, **fields), "request-valid") == []


@pytest.mark.parametrize("verdict", ["hung", "timed-out"])
def test_a_run_that_neither_asks_nor_ends_hangs_and_has_no_wrong_request(verdict: Verdict) -> None:
    held = transcript_of(GOOD, requests=(), parts=(), verdict=verdict, ends=())
    (found,) = judge_case(case_of(GOOD), held, IN_PARTS)
    assert (found.rule, found.level) == ("end-once", "must")
    assert isinstance(found.kind, NotEndedWithoutRequest)


@pytest.mark.parametrize(
    ("busy", "idle"),
    [
        (None, ""),
        (0.5, ""),
        (0.0, "; in its last seconds here the adapter neither ran nor waited for a processor"),
    ],
)
def test_a_run_that_ends_in_another_try_hangs_sometimes(busy: float | None, idle: str) -> None:
    tries = (Try("hung", "late", busy), Try("completed"), Try("timed-out"))
    held = transcript_of(GOOD, verdict="hung", ends=(), tries=tries, busy=busy)
    assert messages(held, "end-once") == [f"the run did not end in 2 of 3 tries{idle}"]
    passed = transcript_of(GOOD, ends=(COMPLETED,), tries=tries)
    assert messages(passed, "end-once") == []


def test_a_request_that_no_turn_answered_is_named_with_the_reason() -> None:
    right = transcript_of(GOOD).requests[0]
    lost = replace(right, path="/r/1/v1/v1/responses", status=404, turn=None, why="no such route")
    found = ended(GOOD, COMPLETED, requests=(lost,))
    assert messages(found, "request-valid") == [
        "no request was for the run's case: POST '/r/1/v1/v1/responses' got HTTP 404 "
        "(no such route)"
    ]
    found = ended(GOOD, COMPLETED, requests=(lost, right))
    assert messages(found, "request-valid") == []


@pytest.mark.parametrize(
    ("status", "how"), [(400, "was refused with HTTP 400"), (200, "is invalid")]
)
def test_a_request_is_said_to_be_refused_only_if_it_was(status: int, how: str) -> None:
    right = transcript_of(GOOD).requests[0]
    wrong = replace(right, status=status, problems=("input: 7 is not of type 'array'",))
    (message,) = messages(ended(GOOD, COMPLETED, requests=(wrong,)), "request-valid")
    assert message == f"the request {how}: input: 7 is not of type 'array'"


@pytest.mark.parametrize(
    ("id_", "source"),
    [
        (GOOD, "OpenResponses § CreateResponseBody"),
        ("any/refusal@chat", "OpenAI § Chat completion request"),
        ("any/refusal@vercel-gateway", "@ai-sdk/provider § LanguageModelV4CallOptions"),
        ("any/refusal@vercel-fullstream", "AI SDK Core § streamText"),
        ("any/refusal@vercel-ui", "AI SDK UI § Transport"),
    ],
)
def test_a_request_is_held_against_the_clause_of_its_own_dialect(id_: str, source: str) -> None:
    findings = judge_case(case_of(id_), ended(id_, COMPLETED, requests=()), IN_PARTS)
    (found,) = (finding for finding in findings if finding.rule == "request-valid")
    assert found.source == source
    assert link(source).startswith("https://")


def test_every_message_about_an_ending_begins_in_lower_case_and_is_short() -> None:
    for case in [*HIDDEN, GOOD, INCOMPLETE]:
        with row(case):
            for end in (COMPLETED, _failed("no"), End(2.0, "error"), End(2.0, "cancelled")):
                for message in messages(ended(case, end), "end-honest"):
                    assert re.match("[a-z]", message)
                    assert len(message) < 400


TWO_CHOICES, CUSTOM = "chat/calls-in-two-choices@chat", "openresponses/custom-tool-call"
SQL = "select 1"
NOT_RUN = [
    (
        TWO_CHOICES,
        "call_1",
        '{"path":"/src"}"a.py"}',
        'not JSON: {"path":"/src"}"a.py"}',
        'read_file({"path":"a.py"}) with id \'call_1\'',
    ),
    (
        TWO_CHOICES,
        "call_1",
        '["a.py"]',
        'no JSON object: ["a.py"]',
        'read_file({"path":"a.py"}) with id \'call_1\'',
    ),
    (CUSTOM, "call_1", SQL, "not JSON: select 1", "no call with arguments that cannot be read"),
    (
        CUSTOM,
        "call_sql",
        SQL,
        "not JSON: select 1",
        r"run_sql\(.+\) with id 'call_sql', or no call",
    ),
]


@pytest.mark.parametrize(("case", "id_", "input_", "why", "right"), NOT_RUN)
def test_a_call_that_no_host_can_run_is_named_and_is_not_the_ending_of_the_adapter(
    case: str, id_: str, input_: str, why: str, right: str
) -> None:
    call = {"type": "tool-call", "toolCallId": id_, "toolName": "read_file", "input": input_}
    end = End(2.0, "completed", finish="tool-calls")
    run = ended(case, end, parts=(Emitted(0, 1.0, call),))
    findings = _all(judge_case(case_of(case), run, IN_PARTS))
    (found,) = (each for each in findings if each.rule == "end-honest")
    assert message_of(found) == f"no host can run the call {id_!r}: its arguments are {why}"
    assert right_of(found) == right or re.fullmatch(right, right_of(found))
    assert found.part == 0
    assert ending(PlayedTurn(run, IN_PARTS)) == "⏹ completed (tool-calls)"
    in_part = {"type": "error", "error": {"message": "It is no object."}}
    reported = replace(run, parts=(*run.parts, Emitted(1, 1.0, in_part)))
    assert ending(PlayedTurn(reported, IN_PARTS)) == "⏹ failed (tool-calls): It is no object."
