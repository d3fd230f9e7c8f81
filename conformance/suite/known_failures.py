"""The list of known failures of an adapter, a YAML file.

The suite fails if a failure is not listed, and if a listed one passes, does not exist or was
skipped. A listed failure whose message has changed is reported, and does not fail.

An entry may hold what somebody found out about the failure (``Investigation``), which is kept when
the list is written again. Several cases that show one failure may share an entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import yaml

from conformance.expectation.match import common_prefix_length
from conformance.findings.words import message_of
from conformance.suite.adapter_yaml import read_yaml
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import AdapterError
from mockserver.scenario.shape import check_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
    from pathlib import Path

    from conformance.findings.finding import Finding
    from mockserver.foundation.faults import Place

_MAX_BECAUSE = 80


@dataclass(frozen=True, slots=True)
class Investigation:
    """The notes on a failure; empty fields are unknown.

    ``does`` is what the adapter does, ``clause`` the specification that forbids it, ``fault`` who
    is at fault, ``issue`` where it is reported.
    """

    does: str = ""
    clause: str = ""
    fault: str = ""
    issue: str = ""

    def fields(self) -> dict[str, str]:
        """The fields that are set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One entry: a case, a rule that it breaks, and the beginning of the finding's message.

    In ``case``, ``*`` matches within a segment of the id and ``**`` across segments. ``place`` is
    where the entry is written.
    """

    case: str
    rule: str
    because: str
    place: Place
    investigation: Investigation = Investigation()

    @property
    def is_pattern(self) -> bool:
        """Whether the entry may cover several cases."""
        return "*" in self.case

    def covers(self, case: str) -> bool:
        """Whether the entry is about that case."""
        return bool(_pattern(self.case).fullmatch(case))

    def explains(self, finding: Finding) -> bool:
        """Whether a finding is the listed failure: same rule, and the same beginning."""
        return finding.rule == self.rule and message_of(finding).startswith(self.because)


def _pattern(case: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*|\*)", case)
    return re.compile("".join(_GLOBS.get(piece, re.escape(piece)) for piece in pieces))


_GLOBS = {"*": r"[^/]*", "**": r".*"}


def read_list(path: Path) -> list[KnownFailure]:
    """Read a list of known failures. Raises AdapterError with the place of each problem."""
    tree = read_yaml(path)
    if problems := check_shape(tree, "known-failures"):
        raise AdapterError(*problems)
    return [
        KnownFailure(case, entry["rule"], entry["because"], tree.place((n,)), _investigation(entry))
        for n, entry in enumerate(tree.value or ())
        for case in _cases(entry)
    ]


def _cases(entry: Mapping[str, Any]) -> list[str]:
    case = entry["case"]
    return case if isinstance(case, list) else [case]


def _investigation(entry: Mapping[str, Any]) -> Investigation:
    return Investigation(
        **{field.name: entry.get(field.name, "") for field in fields(Investigation)}
    )


@dataclass(frozen=True, slots=True)
class Reworded:
    """A known failure that happens with another message than its entry has."""

    entry: KnownFailure
    finding: Finding


@dataclass(frozen=True, slots=True)
class Classified:
    """The findings of one case compared with the list."""

    unlisted: tuple[Finding, ...]
    # Entries for exactly this case (no patterns) whose rule it does not break any more.
    passing: tuple[KnownFailure, ...]
    reworded: tuple[Reworded, ...] = ()
    # All entries that explain one of the findings, in their own words or in others.
    used: frozenset[KnownFailure] = frozenset()


def classify(case: str, findings: Sequence[Finding], listed: Iterable[KnownFailure]) -> Classified:
    """Separate new failures from known ones, and find entries for this case that do not fail.

    Messages change between versions of the kit. So a finding that no entry explains is known as
    well if an entry for exactly this case has its rule and explains no finding. A pattern does not
    say which case it was written for, so it holds for its words alone.
    """
    mine = [entry for entry in listed if entry.covers(case)]
    used = {entry for entry in mine if any(map(entry.explains, findings))}
    unused = [entry for entry in mine if entry not in used and not entry.is_pattern]
    unlisted: list[Finding] = []
    reworded: list[Reworded] = []
    for finding in findings:
        if any(entry.explains(finding) for entry in used):
            continue
        same = [entry for entry in unused if entry.rule == finding.rule]
        if same:
            # In the order of the list, as its entries were written in the order of the findings.
            before = sum(each.finding.rule == finding.rule for each in reworded)
            reworded.append(Reworded(same[min(before, len(same) - 1)], finding))
        else:
            unlisted.append(finding)
    rules = {each.finding.rule for each in reworded}
    passing = tuple(entry for entry in unused if entry.rule not in rules)
    used |= {entry for entry in unused if entry.rule in rules}
    return Classified(tuple(unlisted), passing, tuple(reworded), frozenset(used))


def stale_messages(
    listed: Iterable[KnownFailure], seen: Iterable[str], used: Set[KnownFailure]
) -> list[str]:
    """Messages about entries that explain nothing once all cases have run.

    ``seen`` are the ids of the cases that ran, ``used`` the entries that explain a finding.
    """
    seen = list(seen)
    messages = []
    for entry in listed:
        if entry in used:
            continue
        if not any(entry.covers(case) for case in seen):
            messages.append(f"{entry.place}: no case {entry.case!r} was run; remove the entry")
        elif entry.is_pattern:
            messages.append(
                f"{entry.place}: no case of {entry.case!r} breaks {entry.rule} in these words any "
                "more; remove or correct the entry"
            )
    return messages


def rewording_message(reworded: Sequence[Reworded], command: str) -> str:
    """A message about known failures in other words; ``command`` writes their list again."""
    first, count = reworded[0], len(reworded)
    which = "1 known failure fails" if count == 1 else f"{count} known failures fail"
    return (
        f"{first.entry.place}: {which} in other words than the list has, first {first.entry.rule} "
        f"in {first.entry.case}; to update the words: {command}"
    )


def write_list(
    path: Path, failures: Iterable[tuple[str, Finding]], before: Sequence[KnownFailure]
) -> int:
    """Write a list that covers these failures, pairs of a case and a finding.

    Investigations in ``before``, the previous list, are kept. Cases with one investigation share an
    entry, with what the beginnings of their messages have in common. Returns the number of entries.
    Raises UserError, and leaves the file as it was, if it cannot be written.
    """
    findings: dict[str, list[Finding]] = {}
    for case, finding in sorted(failures, key=_by_case):
        findings.setdefault(case, []).append(finding)
    entries: list[_Written] = []
    for case, found in findings.items():
        for entry in _written(case, found, before):
            if not any(each.takes_in(entry, 0) for each in entries) and not any(
                each.takes_in(entry, _LEAST_SHARED) for each in entries
            ):
                entries.append(entry)
    written = [entry.fields() for entry in entries]
    text = yaml.dump(written, Dumper=_NoAliasDumper, sort_keys=False, allow_unicode=True, width=100)
    write_file(path, (text if entries else "[]\n").encode())
    return len(entries)


# The least that messages in other words have in common to share an entry: two short words.
_LEAST_SHARED = 8


@dataclass(slots=True)
class _Written:
    """An entry to be written. ``old`` is the one that it replaces; None if there is none."""

    cases: list[str]
    rule: str
    because: str
    investigation: Investigation
    old: Place | None
    is_reworded: bool

    def takes_in(self, other: _Written, least: int) -> bool:
        """Add the cases of another entry with the same cause to this one; whether it was possible.

        Words that differ are cut to their common beginning of at least ``least`` characters; none
        are cut if ``least`` is 0, or if the author of the list has chosen them.
        """
        if not self._has_cause_of(other):
            return False
        common = self.because
        if other.because != self.because:
            is_free = (self.is_reworded and other.is_reworded) or self._was_one_with(other)
            common = _common_beginning(self.because, other.because)
            if not (least and is_free and len(common) >= least):
                return False
            self.is_reworded = True
        self.because = common
        self.cases += [case for case in other.cases if case not in self.cases]
        return True

    def _has_cause_of(self, other: _Written) -> bool:
        is_known = bool(self.investigation.does) or self._was_one_with(other)
        same = (self.rule, self.investigation) == (other.rule, other.investigation)
        return same and (is_known or self.cases == other.cases)

    def _was_one_with(self, other: _Written) -> bool:
        return self.old is not None and self.old == other.old

    def fields(self) -> dict[str, Any]:
        case = self.cases[0] if len(self.cases) == 1 else self.cases
        noted = self.investigation.fields()
        return {"case": case, "rule": self.rule, "because": self.because, **noted}


def _common_beginning(one: str, other: str) -> str:
    """The words with which both texts begin."""
    return one[: common_prefix_length(one, other)].rpartition(" ")[0]


def _by_case(failure: tuple[str, Finding]) -> tuple[str, str]:
    return failure[0], failure[1].rule


def _written(
    case: str, findings: Sequence[Finding], before: Sequence[KnownFailure]
) -> Iterator[_Written]:
    """The entries for the findings of a case, with the words and notes of the previous list."""
    covering = [entry for entry in before if entry.covers(case)]
    reworded = {each.finding: each.entry for each in classify(case, findings, covering).reworded}
    for finding in findings:
        known = next((entry for entry in covering if entry.explains(finding)), None)
        old = known or reworded.get(finding)
        old = old or next((entry for entry in covering if entry.rule == finding.rule), None)
        yield _Written(
            [case],
            finding.rule,
            known.because if known else _message_prefix(message_of(finding)),
            old.investigation if old else Investigation(),
            old.place if old and not old.is_pattern else None,
            is_reworded=known is None,
        )


class _NoAliasDumper(yaml.SafeDumper):
    """A YAML writer without anchors, as people read the list."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _message_prefix(message: str) -> str:
    """The first ``_MAX_BECAUSE`` characters, up to what a list cannot hold.

    That is a lone surrogate, as YAML has none, or an id or a time that differs from run to run.
    """
    return _UNSTABLE.split(message)[0][:_MAX_BECAUSE]


_UNSTABLE = re.compile("[\ud800-\udfff]|[A-Za-z]*[_-]?[0-9a-f]{16}|1[6-9][0-9]{8}")
