"""The pytest plugin: options, hooks, and one test for each item of the suite."""

import argparse
import gc
import os
import re
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from conformance.contract.adapter import Description
from conformance.drivers.driver import START_SECONDS
from conformance.report.results import CONDUCTS, Result, Writer
from conformance.suite import known_failures
from conformance.suite.adapter_yaml import read_description
from conformance.suite.collector import LEFT_BEHIND, Collector, Played, header_of
from conformance.suite.conclusion import conclude
from conformance.suite.known_failures import KnownFailure
from conformance.suite.progress import MANY, Progress
from conformance.suite.session import DEADLINE_MS
from conformance.suite.terminal import Causes, summarize, width_of
from conformance.suite.varied_cases import asked_variations
from conformance.suite.workbench import Item, Workbench, items, reference_adapters, with_claims
from mockserver import __version__
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.variations import GROUPS
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import AdapterError, Fault, Problem, UserError
from mockserver.foundation.proxies import LOCAL, exempting
from mockserver.foundation.visible import visible, visible_lines
from mockserver.server.process import raise_limit

NAME = __name__
"""The plugin's name for pytest's ``-p``."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The items and adapters of a pytest session.

    ``listed`` are the known failures by adapter; ``levels`` are the finding levels that fail;
    ``warnings`` are about the folders of scenarios and the limits of the system.
    """

    workbench: Workbench
    adapters: list[Description]
    items: list[Item]
    listed: dict[str, list[KnownFailure]]
    levels: tuple[str, ...]
    warnings: tuple[str, ...] = ()


_ONE_UPSTREAM = "leave out -n; claims.concurrency says how many runs it plays at a time"
_SUITE = pytest.StashKey[Suite]()
_PLAYED = pytest.StashKey[Played]()
_COLLECTOR = "streamproof-collector"


def pytest_addoption(parser: pytest.Parser) -> None:
    add = parser.getgroup("streamproof", "streamproof, the conformance suite").addoption
    add(
        "--adapter",
        action="append",
        default=[],
        metavar="ADAPTER.YAML",
        help="test this adapter, by its description or its folder; may be repeated; by default the "
        "reference adapters",
    )
    add(
        "--scenarios",
        action="append",
        default=[],
        metavar="FOLDER",
        help="also play the scenarios of this folder; may be repeated",
    )
    add(
        "--vary",
        action="append",
        default=[],
        metavar="NAME",
        help="also play each case under this variation, such as crlf, or under those of a group: "
        f"{', '.join(GROUPS)}; may be repeated",
    )
    add("--should", action="store_true", help="findings of level 'should' fail as well")
    add(
        "--conduct",
        choices=CONDUCTS,
        help="play the cases alone whose streams are of this conduct: legal, or a deviation from "
        "the specification, or a violation of it",
    )
    add(
        "--timelines",
        choices=("causes", "all"),
        default="causes",
        help="what is shown of failures: their causes, each with the events around its smallest "
        "case (the default), or the whole timelines of all failing cases as well",
    )
    add("--results", metavar="FILE", help="write every result to this file as JSON Lines")
    add(
        "--deadline",
        type=_ms,
        default=DEADLINE_MS,
        metavar="MS",
        help="the limit of a run; one that exceeds it is played again, alone, with four times that",
    )
    add(
        "--start-deadline",
        type=_ms,
        default=int(START_SECONDS * 1000),
        metavar="MS",
        help="the time an adapter may take to start",
    )
    add(
        "--write-known-failures",
        action="store_true",
        help="write the adapter's list of known failures again, from this run",
    )


def _ms(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of milliseconds above 0")
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    # Up to the first test: what is collected until then stays to the end.
    gc.disable()
    # Adapters in this process, too, reach the mock and not a proxy.
    os.environ.update(exempting(os.environ, *LOCAL))
    try:
        suite = config.stash[_SUITE] = _suite(config)
        if config.option.write_known_failures:
            _check_may_write_list(config)
    except Fault as error:
        pytest.exit(_fault_message(error), returncode=error.exit_code)
    if not hasattr(config, "workerinput"):
        collector = Collector(
            suite.adapters,
            header_of(suite.adapters, config.option.scenarios),
            suite.listed,
            Writer(Path(config.option.results)) if config.option.results else None,
            suite.levels,
            cases=None if config.option.conduct else len(suite.items),
            rewrite=config.option.write_known_failures,
            warnings=suite.warnings,
        )
        config.pluginmanager.register(collector, _COLLECTOR)
        causes = Causes(
            collector.results,
            collector.excerpts,
            suite.listed,
            suite.levels,
            several=len(suite.adapters) > 1,
            timelines=config.option.timelines == "all",
        )
        config.pluginmanager.register(causes)


def _suite(config: pytest.Config) -> Suite:
    option = config.option
    catalogue = Catalogue.shipped(*(Path(folder) for folder in option.scenarios))
    adapters = [read_description(Path(path)) for path in option.adapter] or reference_adapters()
    for name, count in Counter(adapter.name for adapter in adapters).items():
        if count > 1:
            raise UserError(f"{count} adapters are called {name!r}; give each a name of its own")
    # The option is of pytest-xdist.
    if getattr(option, "dist", "no") != "no" and (fixed := [a.name for a in adapters if a.mock]):
        raise UserError(Problem(f"{fixed[0]} has one upstream", hint=_ONE_UPSTREAM))
    found = items(catalogue, adapters, asked_variations(option.vary), option.conduct)
    if not option.adapter:
        # Cases that one reference adapter does not speak are played to another one, and a broken
        # scenario is listed once.
        found = (i for i in found if i.case or (i.broken and i.adapter is adapters[0]))
    return Suite(
        workbench=Workbench(catalogue, option.deadline, option.start_deadline / 1000),
        adapters=adapters,
        items=list(with_claims(found)),
        listed={
            adapter.name: known_failures.read_list(adapter.known_failures)
            for adapter in adapters
            if adapter.known_failures and adapter.known_failures.exists()
        },
        levels=("must", "should") if option.should else ("must",),
        warnings=(*filter(None, [raise_limit()]), *catalogue.warnings()),
    )


_FILTERS = ("conduct", "keyword", "markexpr", "lf", "maxfail", "deselect", "ignore", "stepwise")


def _check_may_write_list(config: pytest.Config) -> None:
    """Check that the list of known failures may be written. Raises UserError.

    A filtered run does not see every failure, and only a named adapter has a list.
    """
    chosen = any("::" in str(arg) for arg in config.args)
    if chosen or any(getattr(config.option, name, None) for name in _FILTERS):
        raise UserError(
            Problem(
                "a filtered run does not see every failure, so it cannot write the list",
                hint="leave out -k, -m, -x, --lf, --conduct and single tests",
            )
        )
    if not config.option.adapter:
        raise UserError("whose known failures? name the adapter with --adapter")


def _fault_message(error: Fault) -> str:
    return f"{error.culprit} is at fault:\n{error}"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Show the progress of a long run, unless whoever has started it does already."""
    plugins = session.config.pluginmanager
    reporter = plugins.get_plugin("terminalreporter")
    if len(session.config.stash[_SUITE].items) < MANY or reporter is None:
        return
    if not any(isinstance(each, Progress) for each in plugins.get_plugins()):
        # A log may have colours, too, so that these do not tell a terminal.
        plugins.register(Progress(session.config.get_terminal_writer(), reporter.isatty))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the adapters, so that the summary can say what they have left behind."""
    config = session.config
    if (suite := config.stash.get(_SUITE, None)) is None:
        return
    suite.workbench.close()
    messages = suite.workbench.left_behind()
    if hasattr(config, "workeroutput"):
        config.workeroutput[LEFT_BEHIND] = messages
    elif collector := config.pluginmanager.get_plugin(_COLLECTOR):
        collector.left_behind += messages


def pytest_unconfigure(config: pytest.Config) -> None:
    gc.enable()
    if suite := config.stash.get(_SUITE, None):
        suite.workbench.close()


def pytest_report_header(config: pytest.Config) -> str:
    suite = config.stash[_SUITE]
    names = ", ".join(f"{a.name} (→ {a.vocabulary})" for a in suite.adapters)
    return visible(f"streamproof {__version__}: {len(suite.items)} cases against {names}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "streamproof_item" not in metafunc.fixturenames:
        return
    suite = metafunc.config.stash[_SUITE]
    several = len(suite.adapters) > 1
    ids = [f"{item.adapter.name}:{item.id}" if several else item.id for item in suite.items]
    metafunc.parametrize("streamproof_item", suite.items, ids=ids)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let a dialect's name in ``-k`` select the cases in this dialect.

    Otherwise ``-k chat`` would select every id that contains "chat", such as that of an adapter.
    """
    named = rf"(?<!{_IN_WORD})({'|'.join(map(re.escape, DIALECTS))})(?!{_IN_WORD})"
    keyword = re.sub(named, r"dialect:\1:", config.option.keyword)
    if keyword == config.option.keyword:
        return
    config.option.keyword = keyword
    for item in items:
        case = _item_of(item)
        spoken = case.id.partition("@")[2].partition("+")[0] if case else ""
        names = [spoken] if case else [name for name in DIALECTS if name in item.nodeid]
        item.extra_keyword_matches.update(f"dialect:{name}:" for name in names)


_IN_WORD = r"[\w:+\-.\[\]\\/]"
"""A character that pytest takes for a part of a word in ``-k``."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Exchange hellos before xdist starts its workers, which cost more than an adapter."""
    _exchange_hellos(config)
    config.stash[_SUITE].workbench.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Exchange hellos before any case is played: once, not on xdist workers."""
    # What was collected is needed until the end. Visiting all of it takes a tenth of the suite.
    gc.freeze()
    gc.enable()
    config = session.config
    if hasattr(config, "workerinput") or config.pluginmanager.has_plugin("dsession"):
        return
    if config.option.collectonly:
        return
    _exchange_hellos(config)
    config.stash[_SUITE].workbench.look_ahead(list(filter(None, map(_item_of, session.items))))


def _exchange_hellos(config: pytest.Config) -> None:
    """Exchange hellos with every adapter; ends the session if one cannot be driven."""
    suite = config.stash[_SUITE]
    try:
        for adapter in suite.adapters:
            suite.workbench.session(adapter)
    except Fault as error:
        pytest.exit(_fault_message(error), returncode=error.exit_code)


def _item_of(test: pytest.Item) -> Item | None:
    """The item of the suite that a test plays; None for any other test."""
    callspec = getattr(test, "callspec", None)
    item: Item | None = callspec.params.get("streamproof_item") if callspec else None
    return item


@pytest.fixture
def streamproof_play(request: pytest.FixtureRequest) -> Callable[[Item], None]:
    """A function that plays an item and ends its test: passed, failed, skipped or xfail."""
    suite = request.config.stash[_SUITE]

    def played(item: Item) -> None:
        try:
            result = suite.workbench.result(item)
        except AdapterError as error:
            _fail(_fault_message(error))
        listed = suite.listed.get(item.adapter.name, ())
        scenarios = request.config.option.scenarios
        width = width_of(request.config)
        concluded = conclude(item, result, listed, suite.levels, scenarios, width)
        # For pytest's own reports, such as --junitxml, where all tests are called test_case.
        rules = dict.fromkeys(finding.rule for finding in result.findings)
        properties = [("adapter", item.adapter.name), *(("rule", rule) for rule in rules)]
        request.node.user_properties.extend(properties)
        why = concluded.why or result.why
        result = replace(result, status=concluded.status, why=why, place=concluded.place)
        request.node.stash[_PLAYED] = Played(result, concluded.excerpts)
        _OUTCOMES[concluded.status](visible_lines(concluded.message))

    return played


def _fail(message: str) -> NoReturn:
    pytest.fail(message, pytrace=False)


# The colours of pytest's own log lines, among what an adapter in Python printed or logged
_SGR = re.compile(r"\x1b\[[0-9;]*m")

_OUTCOMES: dict[str, Callable[[str], Any]] = {
    "passed": lambda _message: None,
    "failed": _fail,
    "broken": _fail,
    "known": pytest.xfail,
    "not-applicable": pytest.skip,
}


def _reported(result: Result, config: pytest.Config) -> Result:
    """A result as the controlling process needs it.

    A transcript is in the results file, and says why a run was played again.
    """
    transcript = result.transcript
    if config.option.results or (transcript and transcript.tries):
        return result
    return replace(result, transcript=None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    played = item.stash.get(_PLAYED, None)
    if played is not None and call.when == "call":
        # pytest keeps its items to the end, and there may be a hundred thousand transcripts.
        del item.stash[_PLAYED]
        result = _reported(played.result, item.config)
        # A string, as xdist workers can only send plain data.
        report.streamproof = replace(played, result=result).to_text()
        report.has_causes = bool(played.excerpts)
    report.sections = [(name, visible_lines(_SGR.sub("", text))) for name, text in report.sections]
    if call.when == "call":
        summarize(report)
