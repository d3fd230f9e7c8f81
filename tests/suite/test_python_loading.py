"""Adapters in Python that cannot be driven: they are not found, or their hello fails."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.drivers.driver import START_SECONDS
from conformance.drivers.kinds import load
from conformance.drivers.python import PythonDriver
from mockserver.foundation.faults import AdapterError
from tests.suite.misbehaving import HELLO, ME, Adapter, threads, well


def introduced(answer: Callable[[], Any], seconds: float = START_SECONDS) -> str:
    """The error about an adapter whose hello() calls ``answer``."""
    adapter = Adapter(well)
    adapter.hello = answer  # type: ignore[method-assign]
    driver = PythonDriver(adapter, hello_seconds=seconds)
    try:
        with pytest.raises(AdapterError) as raised:
            driver.hello()
    finally:
        driver.close()
    assert not threads()
    return str(raised.value)


def refuses() -> Any:
    raise OSError("no binary")


def leaves() -> Any:
    sys.exit("good bye")


def gives_up() -> Any:
    raise TimeoutError("the gateway is not up")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: None, "returned null, where a message is a JSON object"),
        (lambda: {"type": "done"}, "a message of the type 'done', where hello was due"),
        (lambda: {"type": "hello", "protocol": 1, "kit": ME}, "breaks $defs.adapter-hello of"),
        (lambda: {**HELLO, "protocol": 2}, "schemas/driver.json: protocol: 1 was expected"),
        (lambda: {**HELLO, "adapter": {"name": "x"}}, "'version' is a required property"),
        (refuses, "its hello() raised OSError: no binary"),
        (leaves, "its hello() raised SystemExit: good bye"),
        (gives_up, "its hello() raised TimeoutError: the gateway is not up"),
    ],
)
def test_an_adapter_whose_hello_fails_cannot_be_driven(
    answer: Callable[[], Any], message: str
) -> None:
    assert message in introduced(answer)


def test_a_hello_that_never_returns_times_out() -> None:
    def thinks() -> Any:
        while True:
            pass

    began = time.monotonic()
    assert "its hello() did not return within" in introduced(thinks, 0.2)
    assert time.monotonic() - began < 10


def module(folder: Path, name: str, source: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(source, "utf-8")


@pytest.fixture
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise ValueError('no key')", "ValueError: no key"),
        ("import sys; sys.exit(7)", "SystemExit: 7"),
        ("def factory(:", "SyntaxError"),
        ("", "has no attribute 'factory'"),
        ("def factory(one): pass", "missing 1 required positional argument"),
        ("def factory(): pass", "what it returns has no method 'hello'"),
        ("class factory:\n    def hello(self): ...", "what it returns has no method 'run'"),
    ],
)
@pytest.mark.usefixtures("own_path")
def test_a_module_without_an_adapter_is_reported(source: str, message: str, tmp_path: Path) -> None:
    target = f"{tmp_path.name}:factory"
    module(tmp_path, tmp_path.name, source)
    with pytest.raises(AdapterError) as raised:
        load(target, tmp_path)
    assert f"{target!r} makes no adapter: " in str(raised.value)
    assert message in str(raised.value)


@pytest.mark.usefixtures("own_path")
def test_two_modules_with_the_same_name_are_distinguished(tmp_path: Path) -> None:
    source = "class factory:\n    def hello(self): ...\n    def run(self): ...\n"
    for folder in ("one", "two"):
        module(tmp_path / folder, tmp_path.name, source)
    load(f"{tmp_path.name}:factory", tmp_path / "one")
    with pytest.raises(AdapterError) as raised:
        load(f"{tmp_path.name}:factory", tmp_path / "two")
    other = tmp_path / "one" / f"{tmp_path.name}.py"
    assert f"another module of that name was imported before: {other}" in str(raised.value)
