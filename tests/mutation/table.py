"""The results of judging mutants, as a table by file and by operator, and the survivors' diffs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.mutation.equivalents import Equivalent, reason
from tests.mutation.judging import Verdict

LEAST_KILLED = 0.93
MOST_EQUIVALENT = 0.15
COLUMNS = ("mutants", "viable", "killed", "equivalent", "survived")


@dataclass(frozen=True, slots=True)
class Score:
    """The counts of a run. Of the viable mutants that are not equivalent, most must be killed."""

    counts: Counter[str]

    @property
    def killed(self) -> float:
        """The share of killed mutants among the viable ones that are not equivalent."""
        return self.counts["killed"] / max(1, self.counts["killed"] + self.counts["survived"])

    @property
    def equivalent(self) -> float:
        """The share of equivalents among the viable mutants."""
        return self.counts["equivalent"] / max(1, self.counts["viable"])

    @property
    def is_good(self) -> bool:
        return self.killed >= LEAST_KILLED and self.equivalent <= MOST_EQUIVALENT

    def __str__(self) -> str:
        return (
            f"killed {self.killed:.1%} of the viable mutants that are not equivalent "
            f"(at least {LEAST_KILLED:.0%} wanted); {self.equivalent:.1%} of the viable ones are "
            f"declared equivalent (at most {MOST_EQUIVALENT:.0%})"
        )


def fate(verdict: Verdict, declared: Sequence[Equivalent]) -> str:
    """What a mutant counts as: a survivor that is declared so counts as equivalent."""
    known = verdict.fate == "survived" and reason(verdict.mutant, declared)
    return "equivalent" if known else verdict.fate


def counted(verdicts: Iterable[Verdict], declared: Sequence[Equivalent]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        what = fate(verdict, declared)
        counts.update(["mutants", what] if what == "unviable" else ["mutants", "viable", what])
    return counts


def table(verdicts: Sequence[Verdict], declared: Sequence[Equivalent]) -> Iterator[str]:
    """Two Markdown tables: by file, and by operator."""
    folder = "conformance/dialects/"
    keys: dict[str, Callable[[Verdict], str]] = {
        f"file in `{folder}`": lambda verdict: verdict.mutant.file.removeprefix(folder),
        "operator": lambda verdict: verdict.mutant.operator,
    }
    for title, key in keys.items():
        yield f"| {title} | {' | '.join(COLUMNS)} |"
        yield "| --- " + "| ---: " * len(COLUMNS) + "|"
        for name in sorted({key(verdict) for verdict in verdicts}):
            mine = [verdict for verdict in verdicts if key(verdict) == name]
            yield _row(name, counted(mine, declared))
        yield _row("all", counted(verdicts, declared))
        yield ""


def _row(name: str, counts: Counter[str]) -> str:
    return f"| {name} | {' | '.join(str(counts[column]) for column in COLUMNS)} |"


def survivors(verdicts: Iterable[Verdict], declared: Sequence[Equivalent]) -> Iterator[str]:
    """The diff of each survivor that is not declared equivalent."""
    for verdict in verdicts:
        if fate(verdict, declared) == "survived":
            yield f"# {_seen(verdict)}\n{verdict.mutant.diff}\n"


def _seen(verdict: Verdict) -> str:
    """What the items saw of a survivor."""
    if not verdict.items:
        return "no item executes this"
    other = f"it does otherwise in {verdict.otherwise}" if verdict.otherwise else "all is the same"
    return f"{verdict.items} items execute this and pass; {other}"


def stale(verdicts: Iterable[Verdict], declared: Sequence[Equivalent]) -> Iterator[str]:
    """Mutants that are declared equivalent and were killed."""
    for verdict in verdicts:
        if verdict.fate == "killed" and reason(verdict.mutant, declared):
            mutant = verdict.mutant
            yield f"{mutant.file}: {mutant.becomes!r} is declared equivalent, killed: {verdict.why}"
