"""The suite that judges mutants: its items, played without sockets, and the lines they execute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from conformance.suite.play import Session
from conformance.suite.workbench import Item, Workbench, items, run, run_item, with_claims
from mockserver.scenario.catalogue import Catalogue
from tests.mutation.adapters import Judged, others, shipped
from tests.mutation.mutant import ROOT
from tests.wireless import Wireless

_DIALECTS = ROOT / "conformance" / "dialects"
FILES: tuple[str, ...] = tuple(
    sorted(
        str(path.relative_to(ROOT))
        for pattern in ("client/*.py", "*/reference/**/*.py")
        for path in _DIALECTS.glob(pattern)
        if path.name != "__init__.py"
    )
)
"""The files that are spoilt: the reference adapters and what they share, the SSE decoder too."""


@dataclass
class Suite:
    """The items by number: cases of the shipped adapters, of the others, then checks of claims."""

    catalogue: Catalogue = field(default_factory=Catalogue.shipped)
    items: list[Item] = field(init=False)
    _adapters: dict[str, Judged] = field(init=False)

    def __post_init__(self) -> None:
        judged = (*shipped(), *others())
        self._adapters = {each.description.name: each for each in judged}
        default = list(with_claims(self._cases(shipped())))
        played = [item for item in default if item.case] + list(self._cases(others()))
        self.items = [*played, *(item for item in default if item.claim and not item.why)]

    def _cases(self, adapters: Iterable[Judged]) -> Iterator[Item]:
        found = items(self.catalogue, [each.description for each in adapters])
        return (item for item in found if item.case)

    @contextmanager
    def playing(self) -> Iterator[Player]:
        """Play cases without sockets, on this thread, with the modules that are imported now."""
        with Wireless(self.catalogue) as upstream:
            player = Player(self._adapters, upstream)
            try:
                yield player
            finally:
                for session in player.sessions.values():
                    session.driver.close()

    def check_claim(self, item: Item) -> tuple[str, ...]:
        """Check a claim, with sockets and threads; returns the rules that it found broken."""
        with Workbench(self.catalogue) as bench:
            return _rules(run_item(bench, item))


@dataclass
class Player:
    """Plays cases to adapters, each of which is made when it is first needed."""

    adapters: dict[str, Judged]
    upstream: Wireless
    sessions: dict[str, Session] = field(default_factory=dict)

    def play(self, item: Item) -> tuple[str, ...]:
        """Play a case; returns the rules whose findings fail it."""
        assert item.case
        name = item.adapter.name
        if name not in self.sessions:
            self.sessions[name] = Session(item.adapter, self.adapters[name].driver(), self.upstream)
        return _rules(run(self.sessions[name], item.case))


def _rules(result: Any) -> tuple[str, ...]:
    failing = (finding.rule for finding in result.findings if finding.level == "must")
    return tuple(dict.fromkeys(failing)) or (("broken",) if result.status == "broken" else ())
