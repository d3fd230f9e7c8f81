"""The list of failures that are known: it may shrink, and it may not grow unseen.

Red is a failure that is not listed, and a listed one that passes, fails with another message, does
not exist or was skipped.

What somebody found out about a failure stands beside it (``Looked``), and stays when the list is
written anew; several cases that show one failure may share an entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import yaml

from conformance.contract.adapter import read_yaml
from mockserver.dialects.aliases import spellings
from mockserver.faults import AdapterError
from mockserver.scenario.shape import departures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from conformance.contract.finding import Finding
    from mockserver.faults import Place

_MOST_BECAUSE = 80


@dataclass(frozen=True, slots=True)
class Looked:
    """What is known of a failure: what the adapter does, by which clause or report that is wrong,
    whose fault it is, and where it is reported."""

    does: str = ""
    clause: str = ""
    fault: str = ""
    issue: str = ""

    def fields(self) -> dict[str, str]:
        """Those that are told."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry: the case (``*`` within a segment, ``**`` across), the rule, and why it fails."""

    case: str
    rule: str
    because: str
    place: Place
    looked: Looked = Looked()

    @property
    def is_pattern(self) -> bool:
        return "*" in self.case

    def covers(self, case: str) -> bool:
        """Whether the entry is about that case, under any name of its dialect."""
        return any(map(_pattern(self.case).fullmatch, spellings(case)))

    def explains(self, finding: Finding) -> bool:
        """Is this the failure that is listed?"""
        return finding.rule == self.rule and finding.message.startswith(self.because)


def _pattern(case: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*|\*)", case)
    return re.compile("".join(_GLOBS.get(piece, re.escape(piece)) for piece in pieces))


_GLOBS = {"*": r"[^/]*", "**": r".*"}


def read_list(path: Path) -> list[Listed]:
    """Read a list of known failures. Raises AdapterError with the place of each problem."""
    tree = read_yaml(path)
    if problems := departures(tree, "known-failures"):
        raise AdapterError(*problems)
    return [
        Listed(case, entry["rule"], entry["because"], tree.place((n,)), _looked(entry))
        for n, entry in enumerate(tree.value or ())
        for case in _cases(entry)
    ]


def _cases(entry: Mapping[str, Any]) -> list[str]:
    case = entry["case"]
    return case if isinstance(case, list) else [case]


def _looked(entry: Mapping[str, Any]) -> Looked:
    return Looked(**{field.name: entry.get(field.name, "") for field in fields(Looked)})


@dataclass(frozen=True, slots=True)
class Sorted:
    """The findings of one case against the list."""

    unlisted: tuple[Finding, ...]
    # Entries for exactly this case that explain nothing that happened.
    passing: tuple[Listed, ...]


def sort(case: str, findings: Sequence[Finding], listed: Iterable[Listed]) -> Sorted:
    """Tell known failures from new ones."""
    mine = [entry for entry in listed if entry.covers(case)]
    unlisted = [f for f in findings if not any(entry.explains(f) for entry in mine)]
    exact = [entry for entry in mine if not entry.is_pattern]
    passing = [entry for entry in exact if not any(map(entry.explains, findings))]
    return Sorted(tuple(unlisted), tuple(passing))


def stale(listed: Iterable[Listed], seen: Iterable[str], used: set[Listed]) -> list[str]:
    """What is wrong with entries once all cases have run: no such case, or none that fails so."""
    seen = list(seen)
    messages = []
    for entry in listed:
        if entry in used:
            continue
        if not any(entry.covers(case) for case in seen):
            messages.append(f"{entry.place}: no case {entry.case!r} was run; remove the entry")
        elif entry.is_pattern:
            messages.append(
                f"{entry.place}: no case of {entry.case!r} breaks {entry.rule} so any more; "
                "remove the entry"
            )
    return messages


def write_list(
    path: Path, failures: Iterable[tuple[str, Finding]], before: Sequence[Listed]
) -> int:
    """Write a list that covers these failures; what was noted before stays. Returns its length."""
    entries: list[dict[str, Any]] = []
    shared: dict[tuple[str, str, Looked], list[str]] = {}
    for case, finding in sorted(failures, key=_by_case):
        because, looked = _known(case, finding, before)
        told = {"rule": finding.rule, "because": because, **looked.fields()}
        key = (finding.rule, because, looked)
        if not looked.does:
            entry = {"case": case, **told}
            entries += [] if entry in entries else [entry]
        elif key not in shared:
            entries.append({"case": shared.setdefault(key, [case]), **told})
        elif case not in shared[key]:
            shared[key].append(case)
    text = yaml.dump(entries, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=100)
    path.write_text(text if entries else "[]\n", encoding="utf-8")
    return len(entries)


class _Plain(yaml.SafeDumper):
    """No anchors: a person reads the list."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _by_case(failure: tuple[str, Finding]) -> tuple[str, str]:
    return failure[0], failure[1].rule


def _known(case: str, finding: Finding, before: Sequence[Listed]) -> tuple[str, Looked]:
    same = [e for e in before if e.covers(case) and e.rule == finding.rule]
    old = next((e for e in same if e.explains(finding)), same[0] if same else None)
    because = old.because if old and old.explains(finding) else _beginning(finding.message)
    return because, old.looked if old else Looked()


def _beginning(message: str) -> str:
    """As much of a message as tells it from others; YAML has no way to write half a character."""
    return re.split("[\ud800-\udfff]", message[:_MOST_BECAUSE])[0]
