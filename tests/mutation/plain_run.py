"""The plain run: what each item executes in adapters without a mistake, to choose and order items.

An item can only kill a mutant whose changed statement it executes; for code that runs at import,
that is any item that executes a function of the module.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mockserver.foundation.faults import KitError
from tests.mutation.modules import counting_lines
from tests.mutation.mutant import ROOT, Mutant
from tests.mutation.process import in_a_process
from tests.mutation.suite import CLIENT, FILES, Played, Suite

Executed = frozenset[tuple[str, int]]


@dataclass
class PlainRun:
    """What each item executes, by its number, and how the adapter plays it.

    It also counts how often each item has killed a mutant.
    """

    executed: Mapping[int, Executed]
    played: Mapping[int, Played]
    _by_line: dict[tuple[str, int], list[int]] = field(init=False)
    _by_file: dict[str, list[int]] = field(init=False)
    _kills: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._by_line, self._by_file = {}, {}
        # A case that executes more can notice more.
        for n in sorted(self.executed, key=lambda n: len(self.executed[n]), reverse=True):
            for line in self.executed[n]:
                self._by_line.setdefault(line, []).append(n)
            for file in {file for file, _ in self.executed[n]}:
                self._by_file.setdefault(file, []).append(n)

    def items_for(self, mutant: Mutant) -> list[int]:
        """The items that could kill a mutant; first those that have killed most so far."""
        if mutant.at_import:
            found: Iterable[int] = self._by_file.get(mutant.file, self.executed)
        else:
            first, last = mutant.statement
            lines = ((mutant.file, line) for line in range(first, last + 1))
            found = dict.fromkeys(n for line in lines for n in self._by_line.get(line, ()))
        return sorted(found, key=lambda n: self._kills[n], reverse=True)

    def behaviour(self, item: int) -> bytes:
        """The digest of what the adapter does in a case; empty for a claim."""
        return self.played[item].behaviour if item in self.played else b""

    def note_kill(self, item: int) -> None:
        """Ask this item earlier from now on."""
        self._kills[item] += 1


def plain_run(suite: Suite) -> PlainRun:
    """Play every item to the adapters as they are.

    Cases that the kit's client does not pass are left out. Raises KitError if a reference adapter
    does not pass a case.
    """
    executed, played = _cases(suite)
    for n in [n for n, each in played.items() if each.failed]:
        item = suite.items[n]
        if item.adapter.name != CLIENT:
            raise KitError(f"{item.adapter.name} does not pass {item.id}: correct that first")
        del executed[n]
    return PlainRun(executed | _claims(suite), played)


def _cases(suite: Suite) -> tuple[dict[int, Executed], dict[int, Played]]:
    """What each case executes, and how the adapter plays it."""
    executed, played, making = {}, {}, dict[str, Executed]()
    with counting_lines(_sources()) as take, suite.playing() as player:
        for n, item in enumerate(suite.items):
            if item.case:
                player.session(item)
                # Every case depends on how the adapter was made, which the first one shows.
                made = making.setdefault(item.adapter.name, take())
                played[n], executed[n] = player.play(item), take() | made
    return executed, played


def _claims(suite: Suite) -> dict[int, Executed]:
    """What each check of a claim executes; in another process, as it starts threads."""
    done = in_a_process(lambda: _checked(suite), seconds=120)
    if not isinstance(done.value, dict):
        raise KitError(f"the claims of the reference adapters cannot be checked: {done.why}")
    return done.value


def _checked(suite: Suite) -> dict[int, Executed]:
    executed = {}
    with counting_lines(_sources()) as take:
        for n, item in enumerate(suite.items):
            if item.claim:
                take()
                if suite.check_claim(item).failed:
                    raise KitError(f"{item.adapter.name} does not pass {item.id}")
                executed[n] = take()
    return executed


def _sources() -> dict[str, bytes]:
    return {file: (ROOT / file).read_bytes() for file in FILES}
