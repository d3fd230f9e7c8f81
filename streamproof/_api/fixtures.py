"""The pytest fixtures ``streamproof`` and ``streamproof_async``, and the mark that names a case.

Everything but pytest is imported when a test first uses a fixture or the mark.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from streamproof._api.fixture import AsyncStreamproof, Streamproof
    from streamproof._api.mock import Mock
    from streamproof._api.run import Run

URL = "STREAMPROOF_URL"
"""The environment variable with the URL of a mock server that runs already."""

_MARK = (
    "streamproof(*cases, vary='', default=False): the case that the fixture plays, such as "
    "any/refusal@chat; a pattern or a group of variations makes a test of each case"
)
_MARK_OPTIONS = ("vary", "default")
_JUDGING = ("vocabulary", "traits")
_SETTINGS = ("scenarios", *_JUDGING, "process")
_CASE = "streamproof_case"
_STARTED = pytest.StashKey[list["Run"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings of the fixtures in pytest's configuration file."""
    parser.addini(
        "streamproof_scenarios",
        "folders of scenarios for the fixture streamproof, beside the shipped ones",
        type="paths",
        default=[],
    )
    parser.addini(
        "streamproof_vocabulary", "the kind of parts that the code under test emits", default=""
    )
    parser.addini(
        "streamproof_traits",
        "what the code under test does where correct adapters differ: lines as refusal=text",
        type="linelist",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", _MARK)


def _read_settings(config: pytest.Config) -> dict[str, Any]:
    """The settings in pytest's configuration file, as arguments of ``streamproof.serve``."""
    pairs = [line.partition("=") for line in config.getini("streamproof_traits")]
    for name, equals, _ in pairs:
        if not equals:
            _stop(f"streamproof_traits: {name!r} is no line as refusal=text")
    settings: dict[str, Any] = {
        "scenarios": config.getini("streamproof_scenarios"),
        "traits": {name.strip(): value.strip() for name, _, value in pairs},
    }
    vocabulary = config.getini("streamproof_vocabulary")
    return {**settings, "vocabulary": vocabulary} if vocabulary else settings


@pytest.fixture(scope="session")
def streamproof_settings() -> dict[str, Any]:
    """The arguments of ``streamproof.serve``: override it to name scenarios and traits.

    They are added to the settings in pytest's configuration file.
    """
    return {}


@pytest.fixture(scope="session")
def streamproof_mock(
    pytestconfig: pytest.Config, streamproof_settings: dict[str, Any]
) -> Iterator[Mock]:
    """The mock server of the test session: a new one, or the one at $STREAMPROOF_URL.

    A server that runs already has its own scenarios.
    """
    from streamproof._api.faults import Fault

    try:
        mock = _start(_read_settings(pytestconfig), streamproof_settings)
    except Fault as fault:
        where = f" at ${URL}" if os.environ.get(URL) else ""
        _stop(f"there is no mock server{where} for the fixture streamproof: {fault}")
    with mock:
        yield mock


def _start(of_file: dict[str, Any], own: dict[str, Any]) -> Mock:
    """The mock server with the settings of pytest's configuration file and of the fixture."""
    from streamproof._api.faults import Problem, UserError, did_you_mean
    from streamproof._api.mock import connect, serve

    for name in own:
        if name not in _SETTINGS:
            hint = did_you_mean(name, _SETTINGS)
            raise UserError(Problem(f"streamproof_settings has an unknown {name!r}", hint=hint))
    settings = {**of_file, **own}
    settings["traits"] = {**of_file["traits"], **(settings["traits"] or {})}
    folders = (*of_file["scenarios"], *own.get("scenarios", ()))
    if url := os.environ.get(URL):
        judging = {name: settings[name] for name in _JUDGING if name in settings}
        return connect(url, **judging)
    del settings["scenarios"]
    return serve(*dict.fromkeys(folders), **settings)


@pytest.fixture
def streamproof_case(request: pytest.FixtureRequest) -> str:
    """The id of the case that a mark has selected for this test; empty without one."""
    return str(getattr(request, "param", ""))


@pytest.fixture
def streamproof(
    request: pytest.FixtureRequest,
    streamproof_mock: Mock,
    streamproof_case: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Streamproof]:
    """A mock upstream for one test: its runs, what they received, and verdicts on parts."""
    from streamproof._api.environ import past_proxies
    from streamproof._api.faults import Fault
    from streamproof._api.fixture import Streamproof

    for name, value in past_proxies(streamproof_mock.url).items():
        monkeypatch.setenv(name, value)
    started: list[Run] = []
    request.node.stash[_STARTED] = started
    kit = Streamproof(streamproof_mock, monkeypatch, started, request.path.parent)
    mark = request.node.get_closest_marker("streamproof")
    options = _options(mark, request.node.nodeid) if mark else {}
    wanted = (streamproof_case,) if streamproof_case else mark.args if mark else ()
    if wanted:
        vary = "" if streamproof_case else options.get("vary", "")
        try:
            kit.marked = kit.run(*wanted, vary=vary, default=options.get("default", False))
        except Fault as fault:
            _refuse(request.node.nodeid, fault)
    yield kit
    for run in started:
        run.close()


@pytest.fixture
def streamproof_async(streamproof: Streamproof) -> AsyncStreamproof:
    """A mock upstream for one test in asyncio."""
    from streamproof._api.fixture import AsyncStreamproof

    return AsyncStreamproof(streamproof)


def _options(mark: pytest.Mark, test: str) -> dict[str, Any]:
    """The options of a mark. Fails if it has others."""
    for name in mark.kwargs:
        if name not in _MARK_OPTIONS:
            _refuse(test, f"unknown option {name!r}; its options are vary and default")
    return dict(mark.kwargs)


def _refuse(test: str, why: object) -> NoReturn:
    _stop(f"the mark streamproof of {test}: {why}")


def _stop(why: str) -> NoReturn:
    """Fail without a traceback: no line in one would be that of the mark or of the setting."""
    raise pytest.fail.Exception(why, pytrace=False) from None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test whose mark has a pattern or a group of variations."""
    test = metafunc.definition
    mark = test.get_closest_marker("streamproof")
    if mark and mark in test.own_markers and _CASE not in metafunc.fixturenames:
        _refuse(test.nodeid, _WITHOUT)
    if mark is None or _CASE not in metafunc.fixturenames:
        return
    if [each.name for each in test.own_markers].count(mark.name) > 1:
        _refuse(test.nodeid, "there are two: one mark may name several cases")
    if not _several(mark, test.nodeid):
        return
    from streamproof._api.faults import Fault
    from streamproof._api.offline import cases

    vary = mark.kwargs.get("vary", "")
    folders = tuple(metafunc.config.getini("streamproof_scenarios"))
    asked = ["+".join(filter(None, (each, vary))) for each in _ids(mark)]
    try:
        found = [id_ for each in asked for id_ in cases(each, scenarios=folders)]
    except Fault as fault:
        _refuse(test.nodeid, fault)
    metafunc.parametrize(_CASE, found, indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a method of ``unittest.TestCase`` whose mark pytest does not turn into tests."""
    mark = item.get_closest_marker("streamproof")
    if mark is None or not isinstance(item, pytest.Function):
        return
    from unittest import TestCase

    if not (item.cls and issubclass(item.cls, TestCase)):
        return
    if mark in item.own_markers and _CASE not in item.fixturenames:
        _refuse(item.nodeid, f"{_WITHOUT}; {_AUTOUSE}")
    if _CASE in item.fixturenames and (several := _several(mark, item.nodeid)):
        _refuse(item.nodeid, f"{several} is several cases, and a TestCase's method is {_ONE}")


_WITHOUT = "the test does not use the fixture streamproof or streamproof_async"
_AUTOUSE = "give its class a fixture with autouse=True that does"
_ONE = "one test: name one case, or make it a function"


def _several(mark: pytest.Mark, test: str) -> str:
    """The option or the pattern of a mark that stands for several cases; else empty."""
    from mockserver.cases.variations import GROUPS

    vary = _options(mark, test).get("vary", "")
    patterns = (repr(each) for each in _ids(mark) if "*" in each)
    return f"vary={vary!r}" if vary in GROUPS else next(patterns, "")


def _ids(mark: pytest.Mark) -> list[str]:
    return [each for each in mark.args if isinstance(each, str)]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, Any, None]:
    """Add the timelines of the verdicts ``failed`` to the report of a test that has failed.

    A timeline that the test's own failure shows is not repeated.
    """
    report = (yield).get_result()
    if report.when != "call" or not report.failed:
        return
    shown = str(call.excinfo.value) if call.excinfo else ""
    for run in item.stash.get(_STARTED, ()):
        for verdict in run.verdicts:
            if not verdict.passed and verdict.timeline not in shown:
                report.sections.append((f"streamproof: {verdict.case}", verdict.timeline))
