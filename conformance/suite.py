"""The catalogue against adapters: which cases there are, and how one is played and judged."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.adapter import Description, read_description
from conformance.drivers.loading import load
from conformance.drivers.python import PythonDriver
from conformance.expectation.story import stories
from conformance.judge import expectations, judge
from conformance.play import DEADLINE_MS, Session, play
from conformance.recorder import Recorder
from conformance.results import Result
from conformance.upstream import Upstream
from mockserver.faults import AdapterError, Fault, Problem
from mockserver.render import Case, differs, misfit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.drivers.driver import Driver
    from conformance.results import Status
    from mockserver.scenario.catalogue import Catalogue
    from mockserver.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Item:
    """One case for one adapter; without a ``case`` it cannot be played, and ``why`` says why."""

    id: str
    adapter: Description
    case: Case | None
    why: str = ""
    broken: bool = False


def reference_adapters() -> list[Description]:
    """The adapters that come with the kit and pass everything."""
    home = Path(str(files("conformance.reference")))
    return [read_description(path) for path in sorted(home.glob("*.yaml"))]


def items(
    catalogue: Catalogue, adapters: Sequence[Description], variations: Sequence[str] = ()
) -> Iterator[Item]:
    """Every case for every adapter, also those that are broken or that it does not claim."""
    for adapter in adapters:
        for entry in catalogue.entries():
            if entry.broken or entry.scenario is None:
                yield Item(entry.id, adapter, None, str(entry.broken), broken=True)
                continue
            spoken = [d for d in entry.scenario.dialects if d in adapter.dialects]
            if not spoken:
                wanted = " or ".join(entry.scenario.dialects)
                yield Item(entry.id, adapter, None, f"the adapter does not claim {wanted}")
            for dialect in spoken:
                plain = Case(entry.scenario, dialect)
                if why := unplayable(adapter, entry.scenario):
                    yield Item(str(plain), adapter, None, why)
                    continue
                for case in (plain, *_varied(plain, variations)):
                    yield Item(str(case), adapter, case)


def unplayable(adapter: Description, scenario: Scenario) -> str:
    """Why an adapter is not asked to play a scenario: what it does not claim; empty where it is."""
    cancels = any(turn.cancel for turn in scenario.turns)
    return (
        "the adapter does not claim cancel: true" if cancels and not adapter.claims.cancel else ""
    )


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

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the upstream and every driver."""
        self._stack.close()

    def session(self, adapter: Description) -> Session:
        """The adapter, driven. Raises AdapterError."""
        if adapter.path not in self._sessions:
            driver = _driver(adapter)
            self._stack.callback(driver.close)
            driver.hello()
            self._sessions[adapter.path] = self.drive(adapter, driver)
        return self._sessions[adapter.path]

    def drive(self, adapter: Description, driver: Driver) -> Session:
        """An adapter with a driver of one's own."""
        if self._upstream is None:
            self._upstream = self._stack.enter_context(Upstream(self.catalogue))
        return Session(adapter, driver, self._upstream, self.deadline_ms)


def _driver(adapter: Description) -> Driver:
    ((way, target),) = adapter.drive.items()
    if way != "python":
        raise AdapterError(
            Problem(f"drive: {way} is not supported yet", hint="drive: {python: module:factory}")
        )
    return PythonDriver(load(target, adapter.path.parent))


def run(session: Session, case: Case) -> Result:
    """Play one case and judge it. Raises ScenarioError where the scenario contradicts itself."""
    traits = session.description.traits
    accounts = expectations(case, stories(case.scenario), traits)
    transcript = play(session, case, Recorder())
    findings = tuple(judge(transcript, accounts, traits))
    failed = any(finding.level == "must" for finding in findings)
    return Result(
        case=str(case),
        adapter=session.description.name,
        status="failed" if failed else "passed",
        findings=findings,
        transcript=transcript,
    )


def run_item(workbench: Workbench, item: Item) -> Result:
    """Play an item, or say why it cannot be played. Raises AdapterError."""
    if item.case is None:
        kind: Status = "broken" if item.broken else "not-applicable"
        return Result(item.id, item.adapter.name, kind, why=item.why)
    session = workbench.session(item.adapter)
    try:
        return run(session, item.case)
    except AdapterError:
        raise
    except Fault as error:
        return Result(item.id, item.adapter.name, "broken", why=f"{error.culprit}: {error}")
