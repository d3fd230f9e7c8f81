"""The suite against adapters that are programs: correct ones pass, and each claim is checked."""

import json
import re
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.contract.adapter import Description
from conformance.drivers import servers
from conformance.drivers.recorder import Recorder
from conformance.drivers.servers import ServeDriver
from conformance.findings.words import message_of
from conformance.report.results import Result
from conformance.suite.adapter_yaml import read_description
from conformance.suite.claims import DIALECT, LIVE
from conformance.suite.offered_tools import tools_of
from conformance.suite.session import DEADLINE_MS
from conformance.suite.tries import MORE_TRIES
from conformance.suite.workbench import Workbench, items, with_claims
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import AdapterError
from tests.drivers import HAS_PROC, PYTHON, message
from tests.drivers.misbehaving import PRELUDE
from tests.suite import PYTEST, TRACEBACK, run_all
from tests.suite.few_scenarios import FEW, VARIATIONS

CATALOGUE = Catalogue.shipped()
ALL = frozenset(CATALOGUE.ids())
PROGRAMS = Path(__file__).parent / "programs"
OVER_STDIO = ["python", str(PROGRAMS / "over_stdio.py")]
GATEWAY = [*PYTHON[:-1], str(PROGRAMS / "passing_on.py")]
PREFIXED = {"call_id_prefix": "gw-"}
REFUSAL = "any/refusal@openresponses"
HOSTED = re.compile(r"the adapter does not claim (tools of the type \w+|approvals: true)")
# Less than the deadline of a run.
LEAST_DEADLINE = DEADLINE_MS / 2000
# Several scenarios use it.
TOOL = "read_file"


def acting(source: str) -> list[str]:
    """The command line of a program that plays every run with this source, without the upstream."""
    return [*PYTHON, f"{PRELUDE}\n{source}\nserve()"]


@dataclass
class Bench:
    """A workbench, and adapter descriptions written to a test's folder."""

    workbench: Workbench
    folder: Path

    def adapter(self, name: str, way: str, argv: list[str], **more: object) -> Description:
        path = self.folder / f"{name}.yaml"
        value = {
            "name": name,
            "drive": {way: argv},
            "dialects": ["openresponses"],
            "vocabulary": "vscode",
            **more,
        }
        path.write_text(json.dumps(value), "utf-8")
        return read_description(path)

    def results(
        self,
        adapter: Description,
        scenarios: Collection[str] = ALL,
        variations: Collection[str] | None = None,
    ) -> dict[str, Result]:
        """The results of the claims and of these scenarios' cases, as the suite plays them.

        Only these variations are played, if they are given, and the cases without any.
        """
        found = [
            item
            for item in with_claims(items(CATALOGUE, [adapter]))
            if item.case is None
            or (
                item.case.scenario.id in scenarios
                and (variations is None or "+".join(item.case.variations) in ("", *variations))
            )
        ]
        self.workbench.look_ahead(found)
        return {item.id: self.workbench.result(item) for item in found}

    def result(self, adapter: Description, id_: str) -> Result:
        found = with_claims(items(CATALOGUE, [adapter]))
        return self.workbench.result(next(item for item in found if item.id == id_))


@pytest.fixture
def bench(groups: list[int], tmp_path: Path) -> Iterator[Bench]:
    with Workbench(CATALOGUE) as workbench:
        yield Bench(workbench, tmp_path)


def failures(results: dict[str, Result]) -> dict[str, object]:
    return {
        id_: result.findings or result.why
        for id_, result in results.items()
        if result.status not in ("passed", "not-applicable")
    }


def rules(result: Result) -> list[str]:
    return [finding.rule for finding in result.findings if finding.level == "must"]


def test_a_correct_adapter_passes_everything_over_stdio(bench: Bench, groups: list[int]) -> None:
    claims = {"live": True, "cancel": True, "turns": True, "concurrency": 8}
    adapter = bench.adapter("over-stdio", "stdio", OVER_STDIO, traits=PREFIXED, claims=claims)
    results = bench.results(adapter)
    assert failures(results) == {}
    assert results[DIALECT].status == "passed"
    foreign = ("chat/", "vercel/", "count/")
    asked = [result for id_, result in results.items() if not id_.startswith(foreign)]
    unclaimed = {result.case for result in asked if HOSTED.match(result.why)}
    assert {r.status for r in asked if r.case not in unclaimed} == {"passed"}
    assert len(groups) == 1


# Two of them offer the tool; those that are in flight when it crashes are played again alone.
CANCELLED = (
    *("any/cancel-after-a-call", "any/cancel-with-a-burst-behind"),
    *("any/cancel-in-a-burst", "any/cancel-in-a-stall", "any/cancel-in-reasoning"),
)


SIDE_BY_SIDE = (REFUSAL, "any/reasoning@openresponses", "any/cut-inside-text@openresponses")


def test_a_crash_fails_its_own_case_and_no_other(bench: Bench) -> None:
    claims = {"cancel": True, "concurrency": 8}
    argv = [*OVER_STDIO, TOOL]
    adapter = bench.adapter("crashes", "stdio", argv, traits=PREFIXED, claims=claims)
    chosen = [
        item
        for item in items(CATALOGUE, [adapter])
        if item.case and item.case.scenario.id in CANCELLED
    ]
    bench.workbench.look_ahead(chosen)
    crashing = [
        item.id
        for item in chosen
        if item.case and TOOL in [tool["name"] for tool in tools_of(item.case.scenario)]
    ]
    assert (len(crashing), len(chosen)) == (2, 5)
    results = {item.id: bench.workbench.result(item) for item in chosen}
    assert sorted(failures(results)) == sorted(crashing)
    for id_ in crashing:
        transcript = results[id_].transcript
        assert transcript is not None
        assert transcript.verdict == "crashed"
        assert "it exited with 9 in the middle of a run" in transcript.notes[0]


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
@pytest.mark.parametrize(("how", "kinds"), [("locks", ["hangs-sometimes"]), ("works", [])])
def test_a_run_that_hangs_once_is_wrong_unless_it_was_busy(
    bench: Bench, how: str, kinds: list[str]
) -> None:
    bench.workbench.deadline_ms = 500
    claims = {"cancel": True, "concurrency": 3}
    adapter = bench.adapter(how, "stdio", [*OVER_STDIO, how], traits=PREFIXED, claims=claims)
    chosen = [item for item in items(CATALOGUE, [adapter]) if item.id in SIDE_BY_SIDE]
    bench.workbench.look_ahead(chosen)
    results = [bench.workbench.result(item) for item in chosen]
    assert [each.kind.name for result in results for each in result.findings] == kinds
    tries = [result.transcript.tries for result in results if result.transcript]
    assert sorted(map(len, tries)) == [0, 0, 2 + MORE_TRIES]


def test_a_correct_adapter_passes_with_a_process_for_each_run(bench: Bench) -> None:
    argv = ["python", str(PROGRAMS / "by_exec.py")]
    adapter = bench.adapter("by-exec", "exec", argv, traits=PREFIXED)
    for id_ in ("any/text-and-call-interleave@openresponses", REFUSAL, DIALECT):
        assert bench.result(adapter, id_).status == "passed", id_


def test_a_gateway_that_passes_everything_through_passes(bench: Bench) -> None:
    claims = {"cancel": True, "concurrency": 4}
    adapter = bench.adapter("passing-on", "serve", GATEWAY, claims=claims)
    # A process for each case is slow.
    results = bench.results(adapter, FEW, VARIATIONS)
    assert failures(results) == {}
    # The run names no dialect that the adapter could refuse.
    assert bench.result(adapter, DIALECT).status == "not-applicable"


ONCE: dict[str, object] = {"dialects": ["chat"], "serves": "chat", "starts": "once"}


def test_a_gateway_that_is_started_once_plays_all_runs(bench: Bench, groups: list[int]) -> None:
    claims = {"live": True, "cancel": True, "turns": True, "concurrency": 4}
    adapter = bench.adapter("once", "serve", GATEWAY, claims=claims, **ONCE)
    results = bench.results(adapter, FEW)
    assert failures(results) == {}
    passed = {result.case for result in results.values() if result.status == "passed"}
    assert {"any/conversation-two-rounds@chat", "any/cancel-in-arguments@chat"} <= passed
    assert len(groups) == 1


def test_a_gateway_started_once_restarts_after_its_exit(bench: Bench, groups: list[int]) -> None:
    adapter = bench.adapter("exits", "serve", [*GATEWAY, "crashes"], **ONCE)
    for id_ in ("any/refusal@chat", "any/reasoning@chat"):
        result = bench.result(adapter, id_)
        assert result.transcript is not None
        assert result.transcript.verdict == "crashed"
        assert result.transcript.notes[0] == "it exited with 5 in the middle of a run"
    assert len(groups) > 1


AS_PARTS = ["python", str(PROGRAMS / "serving_parts.py")]
READ_AS_PARTS: dict[str, object] = {
    "serves": "vercel-gateway",
    "vocabulary": "stream",
    "traits": {"annotations": "hidden", "errors": "part"},
    "claims": {"live": True, "cancel": True, "concurrency": 4},
}


def test_a_gateway_may_serve_the_parts_of_a_provider(bench: Bench) -> None:
    adapter = bench.adapter("as-parts", "serve", AS_PARTS, starts="once", **READ_AS_PARTS)
    # Each kind of ending, a call, reasoning, and both ways to cancel.
    for id_ in (
        *("refusal", "text-and-call-interleave", "fails-at-once", "fails-with-half-a-call"),
        *("stream-ends-without-an-ending", "cancel-in-a-burst", "cancel-in-a-stall"),
    ):
        result = bench.result(adapter, f"any/{id_}@openresponses")
        assert (id_, result.status, rules(result)) == (id_, "passed", [])
    assert bench.result(adapter, LIVE).status == "passed"


def test_a_gateway_that_serves_no_finish_has_a_truncated_stream(bench: Bench) -> None:
    adapter = bench.adapter("no-finish", "serve", [*AS_PARTS, "forgets"], **READ_AS_PARTS)
    result = bench.result(adapter, REFUSAL)
    assert rules(result) == ["end-honest"]
    assert "the stream ended before the response did" in message_of(result.findings[0])


@pytest.mark.parametrize("dialect", ["openresponses", "chat"])
def test_a_gateway_is_judged_by_what_it_serves(bench: Bench, dialect: str) -> None:
    spoken = {"dialects": [dialect], "serves": dialect}
    passing = bench.adapter("passing", "serve", GATEWAY, **spoken)
    spoiling = bench.adapter("spoiling", "serve", [*GATEWAY, "spoils"], **spoken)
    id_ = f"any/cut-inside-text@{dialect}"
    assert rules(bench.result(passing, id_)) == []
    assert [each.rule for each in bench.result(spoiling, id_).findings] == ["text-exact"]


def test_a_gateway_that_crashes_has_crashed(bench: Bench) -> None:
    adapter = bench.adapter("exits", "serve", [*GATEWAY, "crashes"])
    result = bench.result(adapter, REFUSAL)
    assert result.transcript is not None
    assert result.transcript.verdict == "crashed"
    assert result.transcript.notes[0] == "it exited with 5 in the middle of a run"
    assert "end-once" in rules(result)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise SystemExit('no port')", "it exited with 1"),
        ("import time; time.sleep(60)", "it is still running"),
    ],
)
def test_a_server_that_does_not_listen_is_reported(
    groups: list[int], tmp_path: Path, source: str, words: str
) -> None:
    driver = ServeDriver([*PYTHON, source], tmp_path, "openresponses", up_seconds=0.3)
    outcome = driver.run(message("r-1"), Recorder())
    assert outcome.verdict == "crashed"
    assert outcome.notes[0] == f"nothing listens on the port that PORT names; {words}"
    driver.close()


def test_a_missing_server_program_is_reported_before_any_run(tmp_path: Path) -> None:
    driver = ServeDriver(["./gateway"], tmp_path, "openresponses")
    with pytest.raises(AdapterError, match=r"'\./gateway' cannot be started"):
        driver.hello()
    assert driver.run(message("r-1"), Recorder()).verdict == "not-run"


ACTING = [
    (
        "answers without asking",
        "",
        REFUSAL,
        ["request-valid"],
        "no request reached the run's base URL, and",
    ),
    (
        "refuses what it claims",
        'well = lambda run: say("unsupported", run, reason="not today")',
        REFUSAL,
        ["end-honest"],
        "not today",
    ),
    ("plays any dialect", "", DIALECT, ["claims-kept"], "which there is not, ended as completed"),
    ("exits in any dialect", "well = lambda run: os._exit(3)", DIALECT, ["claims-kept"], "crashed"),
    ("breaks drive/1", 'well = lambda run: write("hm\\n")', REFUSAL, ["end-once"], "the protocol"),
    ("exits", "well = lambda run: os._exit(3)", REFUSAL, ["end-once"], "crashed"),
]


@pytest.mark.parametrize(
    ("source", "id_", "broken", "message"), [a[1:] for a in ACTING], ids=[a[0] for a in ACTING]
)
def test_a_program_that_ignores_the_upstream_fails(
    bench: Bench, source: str, id_: str, broken: list[str], message: str
) -> None:
    result = bench.result(bench.adapter("acts", "stdio", acting(source)), id_)
    assert result.status == "failed"
    assert set(rules(result)) & set(broken)
    assert message in "\n".join(message_of(finding) for finding in result.findings)


WAITING = """
import json, os, sys, time
if "MOCK_BASE_URL" not in os.environ:
    sys.stdin.readline()
    me = {"name": "waiting", "version": "1"}
    hello = {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}
    print(json.dumps(hello), flush=True)
    sys.stdin.readline()
open("begun", "w").close()
time.sleep(60)
"""


@pytest.mark.parametrize("way", ["stdio", "exec", "serve"])
def test_runs_in_progress_are_abandoned_when_the_suite_is_stopped(bench: Bench, way: str) -> None:
    adapter = bench.adapter("waits", way, [*PYTHON, WAITING], claims={"concurrency": 3})
    found = [item for item in items(CATALOGUE, [adapter]) if item.case]
    bench.workbench.look_ahead(found)
    first = threading.Thread(target=bench.workbench.result, args=(found[0],))
    first.start()
    pause = threading.Event()
    assert any((bench.folder / "begun").exists() or pause.wait(0.01) for _ in range(500))
    bench.workbench.close()
    first.join(LEAST_DEADLINE)
    assert not first.is_alive()


def test_a_server_that_starts_while_the_suite_is_stopped_is_ended(
    groups: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = ServeDriver([*PYTHON, "import time; time.sleep(60)"], tmp_path, "openresponses")

    def port_of_a_stopped_suite() -> int:
        driver.close()
        return 1

    monkeypatch.setattr(servers, "_free_port", port_of_a_stopped_suite)
    began = time.monotonic()
    assert driver.run(message("r-1"), Recorder()).verdict == "crashed"
    assert time.monotonic() - began < LEAST_DEADLINE


def test_an_error_of_a_program_is_reported_without_a_traceback(tmp_path: Path) -> None:
    def written(name: str, *argv: str) -> Path:
        path = tmp_path / f"{name}.yaml"
        described = {"name": name, "drive": {"stdio": argv}, "vocabulary": "vscode"}
        path.write_text(json.dumps({**described, "dialects": ["openresponses"]}), "utf-8")
        return path

    crashing = acting("well = lambda run: {}['choices']")
    ran = run_all(
        {
            "gone": [*PYTEST, "--adapter", written("gone", "no-such-program")],
            "crashing": [*PYTEST, "-k", "refusal", "--adapter", written("crashing", *crashing)],
        }
    )
    assert (ran["gone"].code, ran["crashing"].code) == (3, 1)
    assert "'no-such-program' cannot be started" in ran["gone"].text
    assert TRACEBACK not in ran["gone"].text
    assert "✗ end-once (must): the adapter crashed: KeyError: 'choices'" in ran["crashing"].text
    assert "  KeyError: 'choices'\n" in ran["crashing"].text
