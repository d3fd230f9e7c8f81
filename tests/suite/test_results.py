"""The results file: its lines, and how a reader recognises an incomplete one."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from execnet.script import socketserver
from jsonschema import Draft202012Validator

from conformance.findings.finding import Finding
from conformance.findings.values import ErrorValue, RightEndings, UpstreamValue
from conformance.findings.words import finding_json, message_of
from conformance.report.recorded import read_results
from conformance.report.results import Result, result_from_json
from conformance.rules.honest_ending import Crashed
from mockserver.foundation.faults import Place
from mockserver.foundation.shipped import schema
from tests.findings.made import found
from tests.suite import (
    DOUBLING,
    FEW,
    PATIENCE,
    PYTEST,
    TRACEBACK,
    Outputs,
    adapter,
    environment,
    own_scenarios,
    run,
    run_all,
    scenario,
    spoilt,
)

Json = dict[str, Any]

# Emits values that are not JSON, not text and not Unicode; the results file is JSON all the same.
GARBAGE = """
import math
emit({"type": "text", "value": "half \\ud83d"})
emit({"type": "data", "mimeType": "x", "data": math.nan})
emit(object())
return await self.inner.run(run, emit, cancel)
"""
KILLED = """
import os, signal
self.runs = getattr(self, "runs", 0) + 1
if self.runs == 3:
    os.kill(os.getpid(), signal.SIGKILL)
return await self.inner.run(run, emit, cancel)
"""


_LISTENS = re.compile(r"Entering Accept loop \('127\.0\.0\.1', (\d+)\)")


@contextmanager
def host(folder: Path) -> Iterator[str]:
    """A server of execnet that has a folder of its own; yields how xdist names it."""
    folder.mkdir()
    command = [sys.executable, "-u", str(socketserver.__file__), "127.0.0.1:0"]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = _LISTENS.search(process.stdout.readline())
        assert found
        yield f"socket=127.0.0.1:{found[1]}"
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    doubling = spoilt(folder, "doubling", DOUBLING)
    own = own_scenarios(folder / "scenarios")
    scenario(own, "own/broken", "title: A typing mistake\nturns:\n  - sayz: []\n")
    mine: list[str | Path] = ["--scenarios", own, "-k", "own/", "--adapter"]

    def to(name: str) -> list[str | Path]:
        return ["--results", folder / f"{name}.jsonl"]

    with host(folder / "left") as left, host(folder / "right") as right:
        hosts = ["-d", "--tx", left, "--tx", right]
        suite = ["-m", "pytest", "--pyargs", *FEW[2:], *hosts]
        # With "=", since xdist takes a path that is a word of its own for one to copy.
        files = [f"--adapter={doubling}", f"--results={folder / 'together.jsonl'}"]
        together = run(*suite, *files, cwd=folder)
    return {"together": together} | run_all(
        {
            "alone": [*FEW, "--adapter", doubling, *to("alone")],
            "garbage": [*FEW, *mine, adapter(folder, "garbage", GARBAGE), *to("garbage")],
            "killed": [*FEW, "--adapter", adapter(folder, "killed", KILLED), *to("killed")],
            "nowhere": [*FEW, "--results", folder / "nowhere" / "out.jsonl"],
            "a folder": [*FEW, "--results", folder],
        }
    )


@pytest.fixture(scope="module")
def lines(ran: Outputs, folder: Path) -> dict[str, list[Json]]:
    return {name: read(folder / f"{name}.jsonl") for name in ("alone", "together", "garbage")}


def read(path: Path) -> list[Json]:
    """A file's lines as strict JSON: no NaN, no Infinity."""
    return [json.loads(line, parse_constant=no_json) for line in path.read_bytes().splitlines()]


def no_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def test_a_results_file_has_a_header_a_line_for_each_case_and_a_footer(
    lines: dict[str, list[Json]], ran: Outputs, folder: Path
) -> None:
    header, *results, footer = lines["alone"]
    assert (header["kind"], footer["kind"]) == ("header", "footer")
    assert header["kit"]["name"] == "streamproof"
    (described,) = header["adapters"]
    assert (described["name"], described["file"]) == ("doubling", str(folder / "doubling.yaml"))
    assert header["scenarios"] == []
    assert {result["kind"] for result in results} == {"result"}
    assert len({result["case"] for result in results}) == len(results)
    assert f"{len(results)} cases against doubling" in ran["alone"].text
    # The adapter does not claim cancel.
    kinds = ("passed", "failed", "not-applicable")
    counted = {kind: sum(r["status"] == kind for r in results) for kind in kinds}
    assert footer == {"kind": "footer", "counts": counted, "exit": 1}
    assert ran["alone"].code == 1


def test_every_line_satisfies_the_schema(lines: dict[str, list[Json]]) -> None:
    validator = Draft202012Validator(schema("results"))
    everything = [line for each in lines.values() for line in each]
    assert [e.message for line in everything for e in validator.iter_errors(line)] == []


def test_every_transcript_satisfies_the_schema(lines: dict[str, list[Json]]) -> None:
    validator = Draft202012Validator(schema("transcript"))
    transcripts = [
        line["transcript"] for each in lines.values() for line in each if line.get("transcript")
    ]
    assert len(transcripts) > 20
    assert [e.message for t in transcripts for e in validator.iter_errors(t)] == []


def sent(line: Json) -> list[Json]:
    events: list[Json] = line["transcript"]["requests"][0]["events"]
    return events


def essence(results: list[Json]) -> dict[str, Any]:
    """The fields of results that do not depend on how a run was distributed to workers.

    Whether [DONE] is sent depends on how soon the adapter disconnects after the last event.
    """
    return {
        line["case"]: (
            line["status"],
            line["verdict"],
            line["findings"],
            [emitted["part"] for emitted in line["transcript"]["parts"]],
            [event["type"] for event in sent(line) if event["kind"] != "done"],
        )
        for line in results
        if line["transcript"]
    }


def test_two_hosts_write_the_same_results_as_one_process(lines: dict[str, list[Json]]) -> None:
    alone, together = lines["alone"], lines["together"]
    assert together[0] == alone[0]
    assert together[-1] == alone[-1]
    assert {"passed", "failed"} <= {line["status"] for line in alone[1:-1]}
    assert essence(together[1:-1]) == essence(alone[1:-1])


def test_a_broken_scenario_has_a_line_without_a_transcript(lines: dict[str, list[Json]]) -> None:
    (broken,) = [line for line in lines["garbage"] if line.get("case") == "own/broken"]
    assert (broken["status"], broken["verdict"]) == ("broken", "not-run")
    assert broken["transcript"] is None
    assert "unknown key 'sayz'" in broken["why"]


def test_a_part_that_is_not_json_is_recorded_by_its_repr(lines: dict[str, list[Json]]) -> None:
    (case,) = [line for line in lines["garbage"] if line.get("case", "").startswith("own/greeting")]
    parts = [emitted["part"] for emitted in case["transcript"]["parts"]]
    assert parts[0] == {"type": "text", "value": "half \ud83d"}
    assert parts[1]["type"].startswith("not a JSON object: {'type': 'data'")
    assert parts[2]["type"].startswith("not a JSON object: <object object at")


def test_a_killed_run_has_no_footer_and_is_read_as_incomplete(ran: Outputs, folder: Path) -> None:
    assert ran["killed"].code == -signal.SIGKILL
    recording = read_results(folder / "killed.jsonl")
    assert list(recording.traits) == ["killed"]
    played = [each for each in recording.results.values() if each.status != "not-applicable"]
    assert [result.status for result in played] == ["passed", "passed"]
    assert recording.exit is None
    assert recording.incomplete.endswith(
        "killed.jsonl is incomplete: its run did not come to its end"
    )


@pytest.mark.parametrize("name", ["nowhere", "a folder"])
def test_an_unwritable_file_is_an_error_of_the_command_line(ran: Outputs, name: str) -> None:
    assert ran[name].code == 4
    assert "cannot be written: " in ran[name].text
    assert TRACEBACK not in ran[name].text
    assert "INTERNALERROR" not in ran[name].text


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_is_reported_in_one_line_and_the_run_goes_on() -> None:
    ran = run(*PYTEST, "-k", "any/re", "--results", FULL)
    message = "/dev/full: No space left on device; the results are incomplete"
    assert ran.text.count(message) == 1
    assert re.search(r"[1-9]\d* passed", ran.text)
    assert ran.code == 4
    assert TRACEBACK not in ran.text


LOST = found("call-none-lost", "should", "lost", "one", "lm-stream-semantics § 3.2", turn=1)


@pytest.mark.parametrize("explained", [(), (LOST, LOST)], ids=["alone", "with what follows"])
def test_a_result_is_read_back_as_it_was_written(explained: tuple[Finding, ...]) -> None:
    source = "lm-stream-semantics § 3.2"
    finding = found("call-once", "must", "twice", "once", source, 4, None, 1, explained)
    place = Place("list.yaml", 3, 1)
    result = Result("any/a@openresponses", "mine", "failed", (finding,), None, "why", place=place)
    assert result_from_json(json.loads(json.dumps(result.to_json()))) == result


def test_a_result_without_explained_findings_is_read() -> None:
    written = Result("any/a@openresponses", "mine", "failed", (LOST,)).to_json()
    assert "explains" not in written["findings"][0]
    assert result_from_json(written).findings == (LOST,)


@pytest.mark.parametrize(
    ("message", "is_whole"), [("KeyError: 'usage'", True), (f"KeyError: {'x' * 5000}", False)]
)
def test_a_kind_is_read_back_with_its_cause_even_if_its_values_are_cut(
    message: str, is_whole: bool
) -> None:
    error, upstream = ErrorValue(message, message, "KeyError"), UpstreamValue("no-request")
    kind = Crashed(upstream, RightEndings(("completed",)), error)
    finding = Finding("end-honest", "must", kind, "a document")
    written = Result("any/hello", "mine", "failed", (finding,)).to_json()
    (read,) = result_from_json(json.loads(json.dumps(written))).findings
    assert (read.kind == kind) == is_whole
    assert read.kind.same() == kind.same() == ("KeyError",)
    assert finding_json(read) == finding_json(finding)


def test_a_kind_that_the_kit_does_not_have_keeps_its_words() -> None:
    finding = found("end-honest", "must", "it went wrong", "it went right", "a document")
    written = Result("any/hello", "mine", "failed", (finding,)).to_json()
    (read,) = result_from_json(written).findings
    assert (message_of(read), read.kind.same()) == ("it went wrong", ())
