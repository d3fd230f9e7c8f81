"""The suite against a gateway that runs already, of which only the base URL is known."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest

from conformance.contract.adapter import Description
from conformance.drivers.recorder import Recorder
from conformance.drivers.servers import RunningDriver
from conformance.suite.adapter_yaml import read_description
from conformance.suite.workbench import Workbench
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import AdapterError, UserError
from tests.commands import streamproof
from tests.drivers import PYTHON, message
from tests.drivers.test_driven import Bench, failures, rules
from tests.suite.few_scenarios import FEW

CATALOGUE = Catalogue.shipped()
PROGRAM = Path(__file__).parent / "programs" / "passing_on.py"
ALL = {"live": True, "cancel": True, "turns": True}
REFUSAL = "any/refusal@chat"


@dataclass
class Running:
    """A gateway that listens, and the address that it has as its upstream."""

    base_url: str
    mock: str
    folder: Path

    def described(self, **more: object) -> Description:
        path = self.folder / "adapter.yaml"
        value = {"name": "mine", "drive": {"running": self.base_url}, "mock": self.mock}
        value |= {"dialects": ["chat"], "serves": "chat", "vocabulary": "vscode"}
        path.write_text(json.dumps(value | more), "utf-8")
        return read_description(path)


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def running(folder: Path, how: str = "") -> Iterator[Running]:
    port, mock = free_ports(2)
    environment = {**os.environ, "MOCK_BASE_URL": f"http://127.0.0.1:{mock}/v1", "PORT": str(port)}
    with subprocess.Popen([*PYTHON[:-1], str(PROGRAM), how], env=environment) as process:
        try:
            assert any(listens(port) or Event().wait(0.05) for _ in range(200))
            yield Running(f"http://127.0.0.1:{port}/v1", f"127.0.0.1:{mock}", folder)
        finally:
            process.kill()


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(
    ("how", "more"),
    [("", {"claims": ALL | {"concurrency": 4}}), ("renames", {"claims": ALL, "model": "mine"})],
    ids=["passes models on", "has one model"],
)
def test_running_gateways_play_all_runs(tmp_path: Path, how: str, more: dict[str, object]) -> None:
    with running(tmp_path, how) as gateway, Workbench(CATALOGUE) as workbench:
        results = Bench(workbench, tmp_path).results(gateway.described(**more), FEW)
    assert failures(results) == {}
    passed = {result.case for result in results.values() if result.status == "passed"}
    assert {"any/conversation-two-rounds@chat", "any/cancel-in-arguments@chat"} <= passed


def test_a_gateway_that_runs_already_is_judged(tmp_path: Path) -> None:
    with running(tmp_path, "spoils") as gateway, Workbench(CATALOGUE) as workbench:
        result = Bench(workbench, tmp_path).result(gateway.described(), "any/cut-inside-text@chat")
    assert [each.rule for each in result.findings] == ["text-exact"]


def test_a_gateway_that_is_gone_has_crashed_and_not_failed(tmp_path: Path) -> None:
    with Workbench(CATALOGUE) as workbench, running(tmp_path, "crashes") as gateway:
        bench, described = Bench(workbench, tmp_path), gateway.described()
        # It exits in this run, which breaks off.
        assert bench.result(described, REFUSAL).status == "failed"
        port = int(gateway.base_url.rpartition(":")[2].partition("/")[0])
        assert any(not listens(port) or Event().wait(0.05) for _ in range(200))
        result = bench.result(described, REFUSAL)
    assert result.transcript is not None
    assert result.transcript.verdict == "crashed"
    assert result.transcript.notes[0] == f"nothing listens at {gateway.base_url} any more"


def test_a_gateway_without_the_mock_as_its_upstream_is_told_so(tmp_path: Path) -> None:
    with running(tmp_path) as gateway, Workbench(CATALOGUE) as workbench:
        (other,) = free_ports(1)
        result = Bench(workbench, tmp_path).result(
            gateway.described(mock=f"127.0.0.1:{other}"), REFUSAL
        )
    assert rules(result) == ["request-valid"]


@pytest.mark.parametrize(
    ("how", "elsewhere", "step"),
    [
        ("renames", False, "pass models on as they are"),
        ("", True, "give it http://127.0.0.1:{port}/v1 as its only upstream"),
    ],
    ids=["another model", "another upstream"],
)
def test_a_check_says_why_no_run_reaches_the_mock(
    tmp_path: Path, how: str, elsewhere: bool, step: str
) -> None:
    with running(tmp_path, how) as gateway:
        port = free_ports(1)[0] if elsewhere else int(gateway.mock.rpartition(":")[2])
        path = gateway.described(mock=f"127.0.0.1:{port}").path
        ran = streamproof({"": ["adapter", "check", path]}, tmp_path)[""]
    assert ran.code == 1
    failed = ran.text.partition("✗ a run reaches the mock")[2]
    assert step.format(port=port) in failed.splitlines()[1]


def test_a_gateway_that_does_not_run_is_named_before_any_case(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    described = Running(f"http://127.0.0.1:{port}/v1", "0.0.0.0:4100", tmp_path).described()
    driver = RunningDriver(described.drive["running"], described)
    with pytest.raises(AdapterError) as raised:
        driver.hello()
    assert str(raised.value) == (
        f"nothing listens at http://127.0.0.1:{port}/v1, where mine should run\n"
        "    start it, with http://127.0.0.1:4100/v1 as its upstream"
    )


def test_a_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    described = Running("http://127.0.0.1:1/v1", "127.0.0.1:2", tmp_path).described(
        key_variable="NOBODY_SETS_THIS"
    )
    driver = RunningDriver(described.drive["running"], described)
    with pytest.raises(AdapterError, match="the environment variable NOBODY_SETS_THIS"):
        driver.hello()
    assert driver.run(message("r-1"), Recorder()).verdict == "not-run"


def test_the_address_of_the_upstream_has_to_be_free(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, running(tmp_path) as gateway:
        described = gateway.described(mock=f"127.0.0.1:{taken.getsockname()[1]}")
        with Workbench(CATALOGUE) as workbench, pytest.raises(UserError) as raised:
            workbench.session(described)
    assert "the port is in use\n    end what listens there" in str(raised.value)
