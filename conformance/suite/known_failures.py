"""The list of known failures of an adapter, a YAML file.

The suite fails if a failure is not listed, and if a listed one passes, does not exist or was
skipped. An entry names a case, a rule and the kind of the finding, never its words.

An entry may hold what somebody found out about the failure (``Notes``), which is kept when the list
is written again. Several cases that show one failure may share an entry.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from conformance.findings.finding import Finding
from conformance.rules.single_ending import HangsSometimes
from conformance.suite.adapter_yaml import read_yaml
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import AdapterError, Place
from mockserver.scenario.shape import check_shape


@dataclass(frozen=True)
class Notes:
    """What somebody found out about a failure; empty fields are unknown.

    ``finding`` is the name of its proof, in the file beside the list or as ``FOLDER/NAME`` in a
    folder beside its own, ``does`` what the adapter does, ``fault`` who is at fault, ``issue``
    where it is reported.
    """

    finding: str = ""
    does: str = ""
    fault: str = ""
    issue: str = ""


@dataclass(frozen=True)
class KnownFailure:
    """One entry for one case: a finding of this kind of this rule is known there.

    In ``case``, ``*`` matches within a segment of the id and ``**`` across segments. ``values`` are
    those that a finding must have, besides its kind. ``place`` is where the entry is written.
    """

    case: str
    rule: str
    kind: str
    place: Place
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    notes: Notes = Notes()

    @property
    def happens_sometimes(self) -> bool:
        """Whether a case in which the failure is not seen may still have it."""
        return self.kind == HangsSometimes.name

    @property
    def is_pattern(self) -> bool:
        """Whether the entry may cover several cases."""
        return "*" in self.case

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pieces = re.split(r"(\*\*|\*)", self.case)
        return re.compile("".join(_GLOBS.get(piece, re.escape(piece)) for piece in pieces))

    def covers(self, case: str) -> bool:
        """Whether the entry is about that case."""
        return bool(self._pattern.fullmatch(case))

    def explains(self, finding: Finding) -> bool:
        """Whether a finding is the listed failure: its rule, its kind and the values named."""
        if (finding.rule, finding.kind.name) != (self.rule, self.kind):
            return False
        seen = finding.kind.values() if self.values else {}
        return all(name in seen and seen[name] == value for name, value in self.values.items())


_GLOBS = {"*": r"[^/]*", "**": r".*"}


def read_list(path: Path) -> list[KnownFailure]:
    """Read a list of known failures. Raises AdapterError with the place of each problem."""
    tree = read_yaml(path)
    if problems := check_shape(tree, "known-failures"):
        raise AdapterError(*problems)
    return [
        KnownFailure(
            case,
            entry["rule"],
            entry["kind"],
            tree.place((n,)),
            entry.get("values", {}),
            Notes(**{each.name: entry.get(each.name, "") for each in fields(Notes)}),
        )
        for n, entry in enumerate(tree.value or ())
        for case in (entry["case"] if isinstance(entry["case"], list) else [entry["case"]])
    ]


@dataclass(frozen=True, slots=True)
class Classified:
    """The findings of one case compared with the list.

    ``passing`` are the entries for exactly this case (no patterns) that explain none of them, and
    should: what happens sometimes need not, and hides what else is wrong. ``used`` are all entries
    that explain one.
    """

    unlisted: tuple[Finding, ...]
    passing: tuple[KnownFailure, ...]
    used: frozenset[KnownFailure]


def classify(case: str, findings: Sequence[Finding], listed: Iterable[KnownFailure]) -> Classified:
    """Separate new failures from known ones, and find entries for this case that do not fail."""
    mine = [entry for entry in listed if entry.covers(case)]
    used = frozenset(entry for entry in mine if any(map(entry.explains, findings)))
    due = [entry for entry in mine if not (entry.is_pattern or entry.happens_sometimes)]
    if any(entry.happens_sometimes for entry in used):
        due = []
    return Classified(
        tuple(each for each in findings if not any(entry.explains(each) for entry in used)),
        tuple(entry for entry in due if entry not in used),
        used,
    )


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
        elif entry.is_pattern and not entry.happens_sometimes:
            messages.append(
                f"{entry.place}: no case of {entry.case!r} breaks {entry.rule} ({entry.kind}) any "
                "more; remove or correct the entry"
            )
    return messages


def write_list(
    path: Path, failures: Iterable[tuple[str, Finding]], before: Sequence[KnownFailure]
) -> int:
    """Write a list that covers these failures, pairs of a case and a finding.

    Values and notes in ``before``, the previous list, are kept, as are its entries for what happens
    sometimes. Cases of one failure share an entry. Returns the number of entries. Raises UserError,
    and leaves the file as it was, if it cannot be written.
    """
    entries: dict[str, dict[str, Any]] = {}
    found = sorted(failures, key=lambda each: (each[0], each[1].rule))
    known = [(case, _failures_of(case, finding, before)) for case, finding in found]
    known += [(each.case, [_as_listed(each)]) for each in before if each.happens_sometimes]
    for case, of_case in known:
        for failure in of_case:
            key = yaml.safe_dump(failure)
            entry = entries.setdefault(key, {"case": [], **failure})
            if case not in entry["case"]:
                entry["case"].append(case)
    for entry in entries.values():
        if len(entry["case"]) == 1:
            (entry["case"],) = entry["case"]
    written = list(entries.values())
    text = yaml.dump(written, Dumper=_NoAliasDumper, sort_keys=False, allow_unicode=True, width=100)
    write_file(path, (text if written else "[]\n").encode())
    return len(written)


def _failures_of(
    case: str, finding: Finding, before: Sequence[KnownFailure]
) -> Iterable[dict[str, Any]]:
    """What an entry says of a failure: as the previous list does, or its rule and kind alone."""
    covering = [entry for entry in before if entry.covers(case)]
    known = [entry for entry in covering if entry.explains(finding)]
    yield from map(_as_listed, known)
    if not known:
        yield {"rule": finding.rule, "kind": finding.kind.name}


def _as_listed(entry: KnownFailure) -> dict[str, Any]:
    """What an entry says, without its case."""
    noted = {name: value for name, value in asdict(entry.notes).items() if value}
    values = {"values": dict(entry.values)} if entry.values else {}
    return {"rule": entry.rule, "kind": entry.kind, **values, **noted}


class _NoAliasDumper(yaml.SafeDumper):
    """A YAML writer without anchors, as people read the list."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True
