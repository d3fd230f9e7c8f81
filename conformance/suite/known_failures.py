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
from conformance.suite.adapter_yaml import read_yaml
from mockserver.dialects.aliases import spellings
from mockserver.faults import AdapterError
from mockserver.scenario.shape import departures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set
    from pathlib import Path

    from conformance.contract.finding import Finding
    from mockserver.faults import Place

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
        """Whether the entry is about that case, under any name of its dialect."""
        return any(map(_pattern(self.case).fullmatch, spellings(case)))

    def explains(self, finding: Finding) -> bool:
        """Whether a finding is the listed failure: same rule, and the same beginning."""
        return finding.rule == self.rule and finding.message.startswith(self.because)


def _pattern(case: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*|\*)", case)
    return re.compile("".join(_GLOBS.get(piece, re.escape(piece)) for piece in pieces))


_GLOBS = {"*": r"[^/]*", "**": r".*"}


def read_list(path: Path) -> list[KnownFailure]:
    """Read a list of known failures. Raises AdapterError with the place of each problem."""
    tree = read_yaml(path)
    if problems := departures(tree, "known-failures"):
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
    """
    entries: list[dict[str, Any]] = []
    new: set[str] = set()
    for case, finding in sorted(failures, key=_by_case):
        because, investigation = _noted_before(case, finding, before)
        if not any(entry.because == because for entry in before):
            new.add(because)
        details = {"rule": finding.rule, "because": because, **investigation.fields()}
        if not investigation.does:
            entry = {"case": case, **details}
            entries += [] if entry in entries else [entry]
        elif not any(_shares(entry, case, details, new) for entry in entries):
            entries.append({"case": [case], **details})
    written = [{**entry, "case": _one_or_all(entry["case"])} for entry in entries]
    text = yaml.dump(written, Dumper=_NoAliasDumper, sort_keys=False, allow_unicode=True, width=100)
    path.write_text(text if entries else "[]\n", encoding="utf-8")
    return len(entries)


def _one_or_all(cases: str | list[str]) -> str | list[str]:
    """A single case as a text."""
    return cases[0] if isinstance(cases, list) and len(cases) == 1 else cases


_LEAST_SHARED = 40


def _shares(entry: dict[str, Any], case: str, details: Mapping[str, str], new: set[str]) -> bool:
    """Add a case to an entry with the same details; whether that is possible.

    Words that are ``new`` are cut to what both messages begin with.
    """
    kept, because = entry["because"], details["because"]
    common = kept if kept == because else _common_beginning(kept, because)
    is_long = kept == because or ({kept, because} <= new and len(common) >= _LEAST_SHARED)
    if not is_long or {**entry, "case": "", "because": ""} != {
        **details,
        "case": "",
        "because": "",
    }:
        return False
    entry["because"] = common
    entry["case"] += [] if case in entry["case"] else [case]
    if kept != because:
        new.add(common)
    return True


def _common_beginning(one: str, other: str) -> str:
    """The words with which both texts begin."""
    return one[: common_prefix_length(one, other)].rpartition(" ")[0]


class _NoAliasDumper(yaml.SafeDumper):
    """A YAML writer without anchors, as people read the list."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _by_case(failure: tuple[str, Finding]) -> tuple[str, str]:
    return failure[0], failure[1].rule


def _noted_before(
    case: str, finding: Finding, before: Sequence[KnownFailure]
) -> tuple[str, Investigation]:
    same = [e for e in before if e.covers(case) and e.rule == finding.rule]
    old = next((e for e in same if e.explains(finding)), same[0] if same else None)
    because = old.because if old and old.explains(finding) else _message_prefix(finding.message)
    return because, old.investigation if old else Investigation()


def _message_prefix(message: str) -> str:
    """The first ``_MAX_BECAUSE`` characters, up to a lone surrogate, which YAML cannot hold."""
    return re.split("[\ud800-\udfff]", message[:_MAX_BECAUSE])[0]
