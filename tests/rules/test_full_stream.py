"""Each broken framing of one correct run in the vocabulary `fullstream` is one finding."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.contract.transcript import Cancelled, Emitted, End
from conformance.drivers.python import Emit, PythonDriver
from conformance.rules.judge import judge_case
from conformance.suite.session import Session
from conformance.suite.workbench import run as play
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.rows import row
from tests.rules import test_framing as framing
from tests.rules.broken.framing import in_a_step
from tests.rules.made_runs import request_of
from tests.rules.test_attempts import REFUSED_FIRST
from tests.rules.test_broken_adapters import described
from tests.wireless import Wireless

Part = dict[str, Any]


def full_stream(parts: list[Part]) -> list[Part]:
    return [each for part in parts for each in in_a_step(part)]


def findings(
    parts: list[Part], played: Case | None = None, end: End = framing.COMPLETED
) -> list[tuple[str, str]]:
    return framing.findings(parts, played, end, "fullstream")


CORRECT = full_stream(framing.CORRECT)
START, START_STEP, *CONTENT, FINISH_STEP, FINISH = CORRECT
CALL = next(part for part in CONTENT if part.get("toolCallId") == "call_1")


def result(**fields: Any) -> Part:
    known = {"toolCallId": "call_1", "toolName": "search", "input": CALL["input"]}
    return {"type": "tool-result", **known, "output": {"ok": True}, **fields}


def test_a_correct_full_stream_breaks_no_rule() -> None:
    assert findings(CORRECT) == []


# These are about parts that a full stream does not have, or about the tools of the host.
_OF_PROVIDERS = {
    "a late stream-start", "two stream-starts", "metadata twice", "metadata after the finish",
    "a result of the host's call", "no finish", "two finishes", "a call after the finish",
}  # fmt: skip
SAME = {name: case for name, case in framing.BROKEN.items() if name not in _OF_PROVIDERS}


def test_a_framing_that_is_wrong_for_a_provider_is_wrong_in_a_full_stream() -> None:
    for name, (parts, rule, level) in SAME.items():
        with row(name):
            assert findings(full_stream(parts)) == [(rule, level)]


BROKEN: dict[str, tuple[list[Part], str, str]] = {
    "no start": (CORRECT[1:], "step-framing", "must"),
    "two starts": ([START, *CORRECT], "step-framing", "must"),
    "a start in the step": ([START, START_STEP, START, *CORRECT[2:]], "step-framing", "must"),
    "no start of the step": ([START, *CORRECT[2:]], "step-framing", "must"),
    "a step in a step": ([START, START_STEP, *CORRECT[1:]], "step-framing", "must"),
    "no finish of the step": ([*CORRECT[:-2], FINISH], "step-framing", "must"),
    "a step that finishes twice": ([*CORRECT[:-1], FINISH_STEP, FINISH], "step-framing", "must"),
    "text before the step": (
        [START, *CONTENT[3:7], START_STEP, *CONTENT[:3], *CONTENT[7:], FINISH_STEP, FINISH],
        *("step-framing", "must"),
    ),
    "no finish": (CORRECT[:-1], "finish-last", "must"),
    "two finishes": ([*CORRECT, FINISH], "finish-last", "must"),
    "a call after the finish": (
        [*(each for each in CORRECT if each is not CALL), CALL],
        *("finish-last", "must"),
    ),
    "a result of no call": (
        [*CORRECT[:-2], result(toolCallId="call_9"), FINISH_STEP, FINISH],
        *("result-of-call", "must"),
    ),
    "an error of no call": (
        [
            *(*CORRECT[:-2], result(type="tool-error", toolCallId="call_9", error="No.")),
            *(FINISH_STEP, FINISH),
        ],
        *("result-of-call", "must"),
    ),
}


def test_a_broken_full_stream_is_one_finding() -> None:
    for name, (parts, rule, level) in BROKEN.items():
        with row(name):
            assert findings(parts) == [(rule, level)]


ALLOWED: dict[str, list[Part]] = {
    "a result of a tool of the host": [*CORRECT[:-2], result(), FINISH_STEP, FINISH],
    "previews before the result": [
        *(*CORRECT[:-2], result(preliminary=True), result()),
        *(FINISH_STEP, FINISH),
    ],
    "a tool that fails": [
        *(*CORRECT[:-2], result(type="tool-error", error={"message": "No."})),
        *(FINISH_STEP, FINISH),
    ],
    "raw parts and pings anywhere": [
        part
        for each in CORRECT
        for part in (each, {"type": "raw", "rawValue": 1}, {"type": "ping"})
    ],
    "a second step without content": [*CORRECT[:-1], START_STEP, FINISH_STEP, FINISH],
}


def test_what_hosts_rely_on_breaks_no_rule() -> None:
    for name, parts in ALLOWED.items():
        with row(name):
            assert findings(parts) == []


def block(text: str, *, ends: bool = True) -> list[Part]:
    parts: list[Part] = [
        {"type": "text-start", "id": "0"},
        {"type": "text-delta", "id": "0", "text": text},
    ]
    return [*parts, {"type": "text-end", "id": "0"}] if ends else parts


FINISHED: list[Part] = [
    {"type": "finish-step", "finishReason": "stop", "usage": {}},
    {"type": "finish", "finishReason": "stop", "totalUsage": {}},
]


def test_the_ids_of_a_step_may_be_used_in_the_next_one() -> None:
    said = framing.case_of({"text": "Hi there"})
    steps = [START_STEP, *block("Hi ", ends=False), FINISHED[0], START_STEP, *block("there")]
    assert findings([START, *steps, *FINISHED], said) == [("block-framing", "must")]
    steps = [START_STEP, *block("Hi "), FINISHED[0], START_STEP, *block("there")]
    assert findings([START, *steps, *FINISHED], said) == []


def test_an_error_needs_no_step() -> None:
    failed = framing.case_of({"failed": {"message": "Busy", "code": "busy"}})
    error = {"type": "error", "error": {"message": "Busy", "code": "busy"}}
    assert findings([START, error], failed, framing.FAILED) == []


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ([{"type": "abort", "reason": "AbortError"}], []),
        ([{"type": "text-end", "id": "0"}, {"type": "abort"}], [("cancel-stops", "must")]),
    ],
    ids=["an abort", "the end of a text"],
)
def test_only_an_abort_may_follow_a_cancellation(
    late: list[Part], expected: list[tuple[str, str]]
) -> None:
    said = framing.case_of({"text": "Hi there"})
    parts = [START, START_STEP, *block("Hi ", ends=False)]
    run = framing.transcript(said, [*parts, *late], End(9.0, "cancelled"), "fullstream")
    released = replace(run.requests[0], ended=1.1)
    cancelled = Cancelled(1.0, len(parts), "checkpoint")
    run = replace(run, requests=(released,), cancelled=cancelled)
    found = judge_case(said, run, Traits(errors="part"))
    assert [(each.rule, each.level) for each in found] == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [([START], []), ([START, START_STEP], ["retry-clean"])],
    ids=["the start", "the start of the step"],
)
def test_the_start_of_a_run_may_precede_a_retry(before: list[Part], expected: list[str]) -> None:
    played = REFUSED_FIRST
    answer = [START_STEP, *block("Hi"), *FINISHED]
    parts = [*((1.5, each) for each in before), *((2.5, each) for each in answer)]
    run = framing.transcript(played, [], vocabulary="fullstream")
    emitted = tuple(Emitted(n, at, part) for n, (at, part) in enumerate(parts))
    requests = tuple(request_of(played, n) for n in (1, 2))
    found = judge_case(played, replace(run, requests=requests, parts=emitted), Traits())
    assert [each.rule for each in found if each.level == "must"] == expected


class RecordsRuns:
    """Keeps the messages of its runs, and plays none."""

    def __init__(self) -> None:
        self.runs: list[dict[str, Any]] = []

    def hello(self) -> dict[str, Any]:
        return {"type": "hello", "protocol": 1, "adapter": {"name": "records", "version": "1"}}

    async def run(self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event) -> dict[str, Any]:
        self.runs.append(run)
        return {"type": "unsupported", "id": run["id"], "reason": "it only records"}


@pytest.mark.parametrize(
    ("scenario", "vocabulary", "after"),
    [
        ("any/cancel-in-a-burst", "vscode", 2),
        ("any/cancel-in-a-burst", "fullstream", 3),
        ("any/cancel-before-the-first-part", "fullstream", 0),
    ],
)
def test_a_cancellation_after_parts_does_not_count_the_start_of_a_full_stream(
    scenario: str, vocabulary: str, after: int
) -> None:
    adapter, traits = RecordsRuns(), Traits()
    adapted = described("records", traits, Claims(cancel=True), vocabulary)
    with Wireless(Catalogue.shipped()) as upstream:
        driver = PythonDriver(adapter)
        play(Session(adapted, driver, upstream), framing.of_scenario(scenario, "openresponses"))
        driver.close()
    assert [each["cancel"] for each in adapter.runs] == [{"after_parts": after}]
