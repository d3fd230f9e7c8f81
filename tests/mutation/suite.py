"""The suite that judges mutants: its items, played without sockets, and the lines they execute."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import count
from unittest.mock import patch

from conformance.contract.transcript import Transcript
from conformance.report.results import Result
from conformance.suite.session import Session
from conformance.suite.workbench import Item, Workbench, items, run, run_item, with_claims
from mockserver.cases.catalogue import Catalogue
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


@dataclass(frozen=True, slots=True)
class Played:
    """The rules with findings, whether these fail the item, and a digest of what was done."""

    broken: frozenset[str]
    failed: bool = True
    behaviour: bytes = b""


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

    def check_claim(self, item: Item) -> Played:
        """Check a claim, with sockets and threads."""
        with Workbench(self.catalogue) as bench:
            return _played(run_item(bench, item))


@dataclass
class Player:
    """Plays cases to adapters, each of which is made when it is first needed."""

    adapters: dict[str, Judged]
    upstream: Wireless
    sessions: dict[str, Session] = field(default_factory=dict)

    def session(self, item: Item) -> Session:
        """The session of an item's adapter; the adapter is made when it is first needed."""
        name = item.adapter.name
        if name not in self.sessions:
            self.sessions[name] = Session(item.adapter, self.adapters[name].driver(), self.upstream)
        return self.sessions[name]

    def play(self, item: Item) -> Played:
        assert item.case
        session = self.session(item)
        with _repeatable():
            result = run(session, item.case)
        return _played(result)


def _behaviour(transcript: Transcript) -> bytes:
    """What an adapter did in a case, without times, as a digest."""
    did = [
        [
            turn.verdict,
            [emitted.part for emitted in turn.parts],
            [asdict(replace(end, at=0.0)) for end in turn.ends],
            [request.body for request in turn.requests],
        ]
        for turn in transcript.turns
    ]
    return sha256(json.dumps(did, sort_keys=True).encode()).digest()


@contextmanager
def _repeatable() -> Iterator[None]:
    """Make ids by counting and stop the calendar, so that two runs of a case can be compared."""
    numbers = count(1)

    def token(length: int) -> str:
        return f"{next(numbers):0{2 * length}x}"

    with (
        patch.object(secrets, "token_hex", token),
        patch.object(secrets, "token_urlsafe", token),
        patch.object(time, "time", lambda: 1_700_000_000.0),
    ):
        yield


def _played(result: Result) -> Played:
    broken = frozenset(finding.rule for finding in result.findings)
    behaviour = _behaviour(result.transcript) if result.transcript else b""
    return Played(broken, result.status not in ("passed", "not-applicable"), behaviour)
