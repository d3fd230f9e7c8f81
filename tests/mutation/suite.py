"""The suite that judges mutants: the cases and claims that `pytest conformance` plays.

The adapters are the reference adapters as they are described, and the kit's client of servers that
stream provider parts. Cases are played without sockets.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count
from unittest.mock import patch

from conformance.contract.adapter import Description
from conformance.contract.traits import Traits
from conformance.drivers.kinds import driver_of
from conformance.rules.judge import judge_case
from conformance.suite.session import Session
from conformance.suite.tries import play_until_certain
from conformance.suite.workbench import (
    Item,
    Workbench,
    items,
    reference_adapters,
    run_item,
    with_claims,
)
from mockserver.cases.catalogue import Catalogue
from tests.mutation.mutant import ROOT
from tests.virtual_time import restart_clock
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


CLIENT = "provider-parts"
"""The name of the kit's client of servers that stream provider parts."""


@dataclass(frozen=True, slots=True)
class Played:
    """Whether an item makes the suite exit with 1, by which rules, and a digest of what was done.

    Findings of the level `should` do not.
    """

    failed: bool
    rules: frozenset[str] = frozenset()
    behaviour: bytes = b""


@dataclass
class Suite:
    """The items by number: cases of the adapters, then checks of claims."""

    catalogue: Catalogue = field(default_factory=Catalogue.shipped)
    items: list[Item] = field(init=False)

    def __post_init__(self) -> None:
        described = reference_adapters()
        found = list(with_claims(items(self.catalogue, described)))
        cases = [item for item in found if item.case]
        of_client = (item for item in items(self.catalogue, [_client(described)]) if item.case)
        claims = (item for item in found if item.claim and not item.why)
        self.items = [*cases, *of_client, *claims]

    @contextmanager
    def playing(self) -> Iterator[Player]:
        """Play cases without sockets, on this thread, with the modules that are imported now."""
        with Wireless(self.catalogue) as upstream:
            player = Player(upstream)
            try:
                yield player
            finally:
                for session in player.sessions.values():
                    session.driver.close()

    def check_claim(self, item: Item) -> Played:
        """Check a claim, with sockets and threads."""
        with Workbench(self.catalogue) as bench:
            result = run_item(bench, item)
        rules = frozenset(each.rule for each in result.findings)
        return Played(result.status not in ("passed", "not-applicable"), rules)


@dataclass
class Player:
    """Plays cases to adapters, each of which is made when it is first needed."""

    upstream: Wireless
    sessions: dict[str, Session] = field(default_factory=dict)

    def session(self, item: Item) -> Session:
        """The session of an item's adapter; the adapter is made when it is first needed."""
        name = item.adapter.name
        if name not in self.sessions:
            self.sessions[name] = Session(item.adapter, driver_of(item.adapter), self.upstream)
        return self.sessions[name]

    def play(self, item: Item, right: bytes = b"") -> Played:
        """Play a case, and judge it unless its transcript has the digest of a right one."""
        assert item.case
        session = self.session(item)
        with _repeatable():
            transcript = play_until_certain(session, item.case)
        digest = sha256(repr(transcript).encode()).digest()
        if digest == right:
            return Played(failed=False, behaviour=digest)
        described = item.adapter
        findings = judge_case(item.case, transcript, described.traits, described.claims)
        rules = frozenset(each.rule for each in findings if each.level == "must")
        return Played(bool(rules), rules, digest)


@contextmanager
def _repeatable() -> Iterator[None]:
    """Make ids by counting and stop the calendar, so that two runs of a case can be compared."""
    numbers = count(1)
    restart_clock()
    with (
        patch.object(os, "urandom", lambda size: next(numbers).to_bytes(size, "big")),
        patch.object(secrets, "token_hex", lambda size: f"{next(numbers):0{2 * size}x}"),
        patch.object(secrets, "token_urlsafe", lambda size: f"{next(numbers):0{2 * size}x}"),
        patch.object(time, "time", lambda: 1_700_000_000.0),
    ):
        yield


def _client(described: Iterable[Description]) -> Description:
    """The description of the kit's client, which is played the cases of the gateway's adapter."""
    gateway = next(each for each in described if each.name == "reference-gateway-vscode")
    return replace(
        gateway,
        name=CLIENT,
        path=gateway.path.with_name(f"{CLIENT}.yaml"),
        drive={"python": "conformance.dialects.vercel.reference.provider_parts:adapter"},
        vocabulary="stream",
        traits=Traits(errors="part", annotations="data"),
    )
