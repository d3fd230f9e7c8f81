"""The catalogue against adapters: which cases there are, and how one is played and judged."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.contract.adapter import Description, read_description
from conformance.contract.results import Result
from conformance.drivers.kinds import driver_of
from conformance.rules.judge import judge_case
from conformance.suite import claims
from conformance.suite.lookahead import Ahead
from conformance.suite.offered_tools import tools_of, type_of
from conformance.suite.play import DEADLINE_MS, Session, play
from conformance.suite.recorder import Recorder
from conformance.suite.upstream import Upstream
from mockserver.dialects import DIALECTS
from mockserver.faults import AdapterError, Fault
from mockserver.render import Case, differs, misfit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from conformance.contract.results import Status
    from conformance.drivers.driver import Driver
    from mockserver.scenario.catalogue import Catalogue
    from mockserver.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Item:
    """One case for one adapter; without a ``case`` it cannot be played, and ``why`` says why.

    A ``claim`` has no case; ``why`` says why it is not asked for.
    """

    id: str
    adapter: Description
    case: Case | None
    why: str = ""
    broken: bool = False
    claim: bool = False


def reference_adapters() -> list[Description]:
    """The adapters that come with the kit and pass everything."""
    home = Path(str(files("conformance.dialects")))
    found = sorted(home.glob("*/reference/*.yaml"), key=lambda path: path.name)
    return [read_description(path) for path in found]


def items(
    catalogue: Catalogue, adapters: Sequence[Description], variations: Sequence[str] = ()
) -> Iterator[Item]:
    """Every case for every adapter, also those that are broken or that it does not claim."""
    entries = list(catalogue.entries())
    for adapter in adapters:
        for entry in entries:
            if entry.broken or entry.scenario is None:
                yield Item(entry.id, adapter, None, str(entry.broken), broken=True)
                continue
            spoken = [d for d in entry.scenario.dialects if d in adapter.dialects]
            if not spoken:
                yield Item(entry.id, adapter, None, _unspoken(entry.scenario, adapter))
            for dialect in spoken:
                plain = Case(entry.scenario, dialect)
                if why := unplayable(adapter, plain):
                    yield Item(str(plain), adapter, None, why)
                    continue
                for case in (plain, *_varied(plain, _claimed(adapter, variations))):
                    yield Item(str(case), adapter, case)


def _unspoken(scenario: Scenario, adapter: Description) -> str:
    """Why a scenario is played in none of an adapter's dialects."""
    unable = dict.fromkeys(filter(None, map(scenario.unable.get, adapter.dialects)))
    wanted = " or ".join(scenario.dialects)
    return "; ".join(unable) or f"the adapter does not claim {wanted}"


def with_claims(found: Iterable[Item]) -> Iterator[Item]:
    """The items, and before those of each adapter one for each of its claims."""
    asked: set[str] = set()
    for item in found:
        if item.case and item.adapter.name not in asked:
            asked.add(item.adapter.name)
            yield from (claim_of(item.adapter, id_) for id_ in claims.CLAIMS)
        yield item


def claim_of(adapter: Description, id_: str) -> Item:
    """The item of one claim."""
    return Item(id_, adapter, None, claims.CLAIMS[id_].unfit(adapter), claim=True)


def width(adapter: Description) -> int:
    """How many runs are played to an adapter side by side; to one in Python, one by one."""
    return 1 if "python" in adapter.drive else adapter.claims.concurrency


def unplayable(adapter: Description, plain: Case) -> str:
    """Why an adapter is not asked to play a case: what it does not claim; empty where it is."""
    scenario = plain.scenario
    if any(turn.cancel for turn in scenario.turns) and not adapter.claims.cancel:
        return "the adapter does not claim cancel: true"
    if len(scenario.turns) > 1 and not adapter.claims.turns:
        return "the adapter does not claim turns: true"
    if generations := DIALECTS[plain.dialect].generations:
        generation = scenario.generation or generations[0]
        if not _claims(adapter, generation):
            return f"the adapter does not claim the generation {generation}"
    if (claimed := adapter.claims.tools) is None:
        return ""
    types = (type_of(tool) for tool in tools_of(scenario))
    strange = next((type_ for type_ in types if type_ not in ("function", *claimed)), "")
    return f"the adapter does not claim tools of the type {strange}" if strange else ""


def _claims(adapter: Description, generation: str) -> bool:
    claimed = adapter.claims.generations
    return claimed is None or generation in claimed


def _claimed(adapter: Description, variations: Sequence[str]) -> list[str]:
    """The variations but for generations that the adapter does not claim."""
    generations = {each for dialect in DIALECTS.values() for each in dialect.generations}
    return [v for v in variations if v not in generations or _claims(adapter, v)]


def _varied(plain: Case, variations: Sequence[str]) -> Iterator[Case]:
    """The case under each variation that makes sense for it and changes what is sent."""
    for name in variations:
        case = replace(plain, variations=(name,))
        if not misfit(case) and differs(case):
            yield case


@dataclass
class Workbench:
    """An upstream and the adapters driven against it; opened at first use, closed as one."""

    catalogue: Catalogue
    deadline_ms: int = DEADLINE_MS
    _stack: ExitStack = field(default_factory=ExitStack)
    _upstream: Upstream | None = None
    _sessions: dict[Path, Session] = field(default_factory=dict)
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _ahead: dict[str, Ahead] = field(default_factory=dict)

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the upstream and every driver."""
        self._ahead.clear()
        self._stack.close()

    def session(self, adapter: Description) -> Session:
        """The adapter, driven. Raises AdapterError."""
        with self._opening:
            if adapter.path not in self._sessions:
                driver = driver_of(adapter)
                self._stack.callback(driver.close)
                hello = driver.hello()
                session = self.drive(adapter, driver)
                self._sessions[adapter.path] = replace(session, implementation=_named(hello))
            return self._sessions[adapter.path]

    def look_ahead(self, coming: Sequence[Item]) -> None:
        """Play these items side by side, for adapters that take it, from when one is asked for."""
        for adapter in {item.adapter.name: item.adapter for item in coming}.values():
            if (wide := width(adapter)) > 1:
                # A claim is asked for when nothing else is in flight.
                mine = [i for i in coming if i.adapter.name == adapter.name and not i.claim]
                driver = self.session(adapter).driver
                ahead = Ahead(lambda item: run_item(self, item), mine, wide)
                self._ahead[adapter.name] = ahead
                # From the last to the first: what is in flight is not waited for, but ended.
                self._stack.callback(ahead.close)
                self._stack.callback(driver.close)
                self._stack.callback(ahead.stop)

    def result(self, item: Item) -> Result:
        """The result of an item. Raises AdapterError."""
        ahead = self._ahead.get(item.adapter.name)
        return ahead.result(item) if ahead else run_item(self, item)

    def drive(self, adapter: Description, driver: Driver) -> Session:
        """An adapter with a driver of one's own."""
        if self._upstream is None:
            self._upstream = self._stack.enter_context(Upstream(self.catalogue))
        return Session(adapter, driver, self._upstream, self.deadline_ms)


def _named(hello: Mapping[str, Any]) -> str:
    implementation = hello["implementation"]
    return f"{implementation['name']} {implementation['version']}"


def run(session: Session, case: Case) -> Result:
    """Play one case and judge it. Raises ScenarioError where the scenario contradicts itself."""
    traits = session.description.traits
    transcript = play(session, case, Recorder())
    if transcript.verdict == "not-run":
        transcript = play(session, case, Recorder(), alone=True)
    findings = tuple(judge_case(case, transcript, traits))
    failed = any(finding.level == "must" for finding in findings)
    return Result(
        case=str(case),
        adapter=session.description.name,
        status="failed" if failed else "passed",
        findings=findings,
        # What was noticed beside a run without findings is of no use to anybody.
        transcript=transcript if findings else replace(transcript, notes=()),
    )


def run_item(workbench: Workbench, item: Item) -> Result:
    """Play an item, or say why it cannot be played. Raises AdapterError."""
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
