"""The items of the suite, one per case and adapter, and the workbench that plays them.

Items of adapters that take several runs at once are played in advance.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.contract.adapter import Description
from conformance.dialects import KIT
from conformance.drivers.driver import START_SECONDS, Driver
from conformance.drivers.kinds import driver_of
from conformance.report.results import Result, Status
from conformance.rules.judge import judge_case
from conformance.suite import claims
from conformance.suite.adapter_yaml import read_description
from conformance.suite.host import judges_request
from conformance.suite.offered_tools import tools_of, type_of
from conformance.suite.session import DEADLINE_MS, Session
from conformance.suite.tries import play_until_certain
from conformance.suite.varied_cases import case_for, claims_generation, varied
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import AdapterError, Fault
from mockserver.scenario.model import Conduct, Scenario

if TYPE_CHECKING:
    from conformance.suite.upstream import Upstream


@dataclass(frozen=True, slots=True)
class Item:
    """One case or claim for one adapter.

    ``why`` says why the case cannot be played (then ``case`` is None) or the claim is not checked.
    ``broken`` means that the scenario is invalid. A ``claim`` has no case.
    """

    id: str
    adapter: Description
    case: Case | None
    why: str = ""
    broken: bool = False
    claim: bool = False


def reference_adapters() -> list[Description]:
    """The adapters that come with the kit and pass every case."""
    folders = {Path(str(files(dialect.documents.folder))) for dialect in KIT.values()}
    paths = (path for folder in folders for path in folder.glob("reference/*.yaml"))
    found = sorted(paths, key=lambda path: path.name)
    return [read_description(path) for path in found]


def items(
    catalogue: Catalogue,
    adapters: Sequence[Description],
    variations: Sequence[str] = (),
    conduct: Conduct | None = None,
) -> Iterator[Item]:
    """Every case for every adapter, including invalid scenarios and unclaimed cases.

    ``variations`` (``asked_variations``) are played beside those that a scenario names. With a
    ``conduct``, they are the cases whose streams are of it.
    """
    entries = list(catalogue.entries())
    for adapter in adapters:
        for entry in entries:
            if entry.broken or entry.scenario is None:
                yield Item(entry.id, adapter, None, str(entry.broken), broken=True)
                continue
            dialects = [d for d in entry.scenario.dialects if d in adapter.dialects]
            if not dialects and conduct in (None, entry.scenario.conduct):
                yield Item(entry.id, adapter, None, _no_dialect_reason(entry.scenario, adapter))
            for dialect in dialects:
                plain = case_for(adapter, Case(entry.scenario, dialect))
                if why := skip_reason(adapter, plain):
                    if conduct in (None, plain.conduct):
                        yield Item(str(plain), adapter, None, why)
                    continue
                asked = list(dict.fromkeys((*entry.scenario.vary, *variations)))
                for case in (plain, *varied(adapter, plain, asked)):
                    if conduct in (None, case.conduct):
                        yield Item(str(case), adapter, case)


def _no_dialect_reason(scenario: Scenario, adapter: Description) -> str:
    """Why a scenario is not played in any of an adapter's dialects."""
    unable = dict.fromkeys(filter(None, map(scenario.unable.get, adapter.dialects)))
    wanted = " or ".join(scenario.dialects)
    return "; ".join(unable) or f"the adapter does not claim {wanted}"


def with_claims(found: Iterable[Item]) -> Iterator[Item]:
    """The items, with the claims of each adapter before its first playable case."""
    asked: set[str] = set()
    for item in found:
        if item.case and item.adapter.name not in asked:
            asked.add(item.adapter.name)
            yield from (claim_item(item.adapter, id_) for id_ in claims.CLAIMS)
        yield item


def claim_item(adapter: Description, id_: str) -> Item:
    """The item that checks one claim of an adapter."""
    return Item(id_, adapter, None, claims.CLAIMS[id_].skip_reason(adapter), claim=True)


def skip_reason(adapter: Description, plain: Case) -> str:
    """Why a case is not played to an adapter: the claim that it lacks; empty if it is played."""
    return next((f"the adapter does not claim {each}" for each in _unclaimed(adapter, plain)), "")


def _unclaimed(adapter: Description, plain: Case) -> Iterator[str]:
    """What a case needs and an adapter does not claim."""
    turns, claimed = plain.scenario.turns, adapter.claims
    if any(turn.cancel for turn in turns) and not claimed.cancel:
        yield "cancel: true"
    if len(turns) > 1 and not claimed.turns:
        yield "turns: true"
    if any(turn.then and turn.then.approvals for turn in turns) and not claimed.approvals:
        yield "approvals: true"
    if generations := DIALECTS[plain.dialect].writing.generations:
        generation = plain.scenario.generation or generations[0]
        if not claims_generation(adapter, generation):
            yield f"the generation {generation}"
    asked = plain.scenario.host.options
    options = () if claimed.options is None else asked
    yield from (f"the option {name}" for name in options if name not in (claimed.options or ()))
    has_choices = VOCABULARIES[adapter.vocabulary].has_choices
    if not has_choices and DIALECTS[plain.dialect].requests.read(asked, {}).choices > 1:
        yield "parts of several choices"
    # An adapter without this claim is played everything but cases in which its offers are judged.
    if claimed.tools is not None or judges_request(plain):
        known = ("function", *(claimed.tools or ()))
        types = (type_of(tool) for tool in tools_of(plain.scenario))
        yield from (f"tools of the type {type_}" for type_ in types if type_ not in known)


@dataclass
class Workbench(AbstractContextManager["Workbench"]):
    """An upstream and the adapters driven against it.

    Each is started when first used, in ``start_seconds``; ``close`` ends all of them.
    """

    catalogue: Catalogue
    deadline_ms: int = DEADLINE_MS
    start_seconds: float = START_SECONDS
    _stack: ExitStack = field(default_factory=ExitStack)
    _upstreams: dict[tuple[str, bool], Upstream] = field(default_factory=dict)
    _sessions: dict[Path, Session] = field(default_factory=dict)
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _ahead: dict[str, Lookahead] = field(default_factory=dict)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the upstream and every driver."""
        self._ahead.clear()
        self._stack.close()

    def left_behind(self) -> list[str]:
        """What no run could report, by adapter, once the workbench is closed."""
        return [
            f"{session.description.name}: {message}"
            for session in self._sessions.values()
            for message in session.driver.left_behind()
        ]

    def session(self, adapter: Description) -> Session:
        """The session of an adapter, started when first used. Raises AdapterError."""
        with self._opening:
            if adapter.path not in self._sessions:
                driver = driver_of(adapter, start_seconds=self.start_seconds)
                self._stack.callback(driver.close)
                began = time.monotonic()
                hello = driver.hello()
                session = self.drive(adapter, driver)
                session.pace.note_start(time.monotonic() - began)
                name, version = (hello["implementation"][key] for key in ("name", "version"))
                self._sessions[adapter.path] = replace(
                    session, implementation=f"{name} {version}" if version else adapter.name
                )
            return self._sessions[adapter.path]

    def look_ahead(self, coming: Sequence[Item]) -> None:
        """Play these items concurrently, for adapters that claim it, once a result is asked for."""
        for adapter in {item.adapter.name: item.adapter for item in coming}.values():
            if (concurrency := adapter.claims.concurrency) > 1:
                # A claim is checked while nothing else is in flight.
                mine = [i for i in coming if i.adapter.name == adapter.name and not i.claim]
                driver = self.session(adapter).driver
                ahead = Lookahead(lambda item: run_item(self, item), mine, concurrency)
                self._ahead[adapter.name] = ahead
                # Called in reverse order: start no more, end the runs in flight, wait for the pool.
                self._stack.callback(ahead.close)
                self._stack.callback(driver.close)
                self._stack.callback(ahead.stop)

    def result(self, item: Item) -> Result:
        """The result of an item, played now or in advance. Raises AdapterError."""
        ahead = self._ahead.get(item.adapter.name)
        return ahead.result(item) if ahead else run_item(self, item)

    def drive(self, adapter: Description, driver: Driver) -> Session:
        """A session with the given driver, which the caller closes."""
        # Imported here because many commands play nothing, and a server takes long to import.
        from conformance.suite.upstream import Upstream

        place = adapter.mock, adapter.names_runs
        if place not in self._upstreams:
            upstream = Upstream(self.catalogue, address=adapter.mock, names_runs=place[1])
            self._upstreams[place] = self._stack.enter_context(upstream)
        return Session(adapter, driver, self._upstreams[place], self.deadline_ms)


_RESULTS_AHEAD = 48
"""The results that are kept in advance, for each run at a time; a long wait holds up no others."""


class Lookahead:
    """Plays the items of one adapter, ``width`` of them at a time, in the order of ``coming``.

    pytest asks for one result after the other; results are kept until pytest asks for them.
    """

    def __init__(self, play: Callable[[Item], Result], coming: Iterable[Item], width: int) -> None:
        self._play = play
        self._coming = deque(coming)
        self._awaited = {item.id for item in self._coming}
        self._max_started = _RESULTS_AHEAD * width
        self._pool = ThreadPoolExecutor(width, "streamproof-ahead")
        self._started: dict[str, Future[Result]] = {}
        # Held while an item is started, so that none is started after ``stop``.
        self._starting = threading.Lock()
        self._stopped = False

    def result(self, item: Item) -> Result:
        """Wait for the result of an item; an item that was asked for before is played again.

        Raises what playing the item raises.
        """
        if item.id not in self._awaited:
            return self._play(item)
        self._awaited.remove(item.id)
        while item.id not in self._started and not self._stopped:
            self._start(1)
        self._start(self._max_started - len(self._started))
        started = self._started.pop(item.id, None)
        return started.result() if started else self._play(item)

    def _start(self, count: int) -> None:
        with self._starting:
            for _ in islice(range(0 if self._stopped else len(self._coming)), max(0, count)):
                item = self._coming.popleft()
                self._started[item.id] = self._pool.submit(self._play, item)

    def stop(self) -> None:
        """Start no more items."""
        with self._starting:
            self._stopped = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Wait for the items in flight; closing their driver first ends them."""
        self._pool.shutdown()


def run(session: Session, case: Case) -> Result:
    """Play one case and judge it. Raises ScenarioError if the scenario contradicts itself."""
    described = session.description
    transcript = play_until_certain(session, case)
    findings = tuple(judge_case(case, transcript, described.traits, described.claims))
    failed = any(finding.level == "must" for finding in findings)
    return Result(
        case=str(case),
        adapter=described.name,
        status="failed" if failed else "passed",
        findings=findings,
        # The notes are only of use beside findings.
        transcript=transcript if findings else replace(transcript, notes=()),
        conduct=case.conduct,
    )


def run_item(workbench: Workbench, item: Item) -> Result:
    """Play an item, or return a result that says why it is not played. Raises AdapterError."""
    if item.case is None and (item.why or not item.claim):
        kind: Status = "broken" if item.broken else "not-applicable"
        return Result(item.id, item.adapter.name, kind, why=item.why)
    session = workbench.session(item.adapter)
    try:
        if item.case is None:
            result = claims.check(session, item.id, item.adapter.dialects[0])
        else:
            result = run(session, item.case)
        return replace(result, implementation=session.implementation)
    except AdapterError:
        raise
    except Fault as error:
        return Result(item.id, item.adapter.name, "broken", why=f"{error.culprit}: {error}")
