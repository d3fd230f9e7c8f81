"""Renders results as one HTML page: totals by rule, failures, and a table of cases by adapters.

The page needs no other file. What a cell opens is in the page as compressed HTML, one piece for
each case, and the page's only script unpacks it when a cell is opened, so that a page with many
results opens quickly. A policy in the page forbids loading, and every script and style but its own
two, which it names by their hashes.

Whatever a template prints came from adapters and scenario files. So every value is escaped as HTML,
and its characters that cannot be seen, line feeds included, are written as escapes. The filter
``lines`` keeps line feeds.
"""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

from conformance.contract.traits import Traits
from conformance.dialects.short_text import clip
from conformance.findings.causes import STREAMS
from conformance.findings.words import message_of
from conformance.report import summary
from conformance.report.adapters import (
    AdapterResults,
    differences,
    gather_by_adapter,
    totals_by_cause,
    unfinished,
)
from conformance.report.case_section import Situation, open_section, sources_of
from conformance.report.recorded import Recording
from conformance.report.results import Result, Status
from mockserver import __version__
from mockserver.cases.case import Case
from mockserver.cases.render import Renderings
from mockserver.foundation.faults import Fault
from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_WORDS: dict[Status, str] = {
    "passed": "pass",
    "failed": "FAIL",
    "known": "known",
    "not-applicable": "n/a",
    "broken": "broken",
}
"""The word in a cell, by status; ``pass*`` is a pass with findings below the failing level."""

_MOST_RULES = 5
_MAX_MESSAGE = 400


def _fails(result: Result) -> bool:
    return result.status in ("failed", "known", "broken")


# A case belongs to the first group for which any of its results qualifies; all groups but the first
# are folded.
_GROUPS: dict[str, Callable[[Result], bool]] = {
    "Failing cases": _fails,
    "Passing cases, with findings that fail nothing": lambda result: bool(result.findings),
    "Passing cases": lambda result: result.status == "passed",
    "Cases that do not apply": lambda _result: True,
}


@dataclass(frozen=True, slots=True)
class _Table:
    """The numbered cases of one dialect, by the numbered adapters with results in it.

    ``dialect`` is empty for cases that need none.
    """

    dialect: str
    adapters: Mapping[int, AdapterResults]
    cases: Sequence[tuple[int, str]]


def render_page(recordings: Sequence[Recording], find: Callable[[str], Case]) -> str:
    """The page as HTML; ``find`` finds a case by its id, or raises a Fault.

    Raises UserError if two files disagree.
    """
    adapters = gather_by_adapter(recordings)
    cases = list(dict.fromkeys(case for each in adapters for case in each.cases))
    # The id of a run has the numbers of its case and of its adapter.
    results = [
        (f"run-{n}-{m}", cell.result)
        for m, each in enumerate(adapters)
        for n, case in enumerate(cases)
        if (cell := each.cases.get(case))
    ]
    found = {case: _found(case, find) for case in cases}
    counts = _counts(result for _, result in results)
    renderings = Renderings()
    return _render(
        "matrix.html.j2",
        heading=_heading(adapters, counts),
        style=_read_inline("matrix.css"),
        script=_read_inline("matrix.js"),
        words=_WORDS,
        lacking=[*unfinished(recordings).values(), *differences(recordings)],
        counts=counts,
        summaries=[(each, _counts(iter(each.results)), _declared(each)) for each in adapters],
        streams={conduct: f"on {words}" for conduct, words in STREAMS.items()},
        totals={level: totals_by_cause(results, level) for level in ("must", "should")},
        failures=_failures(results),
        situations={case: Situation.of(case, found[case]) for case in cases},
        groups=_groups(cases, adapters),
        # One case at a time: all of them opened take much memory.
        packed=(
            _pack("case.html.j2", case=open_section(n, case, adapters, found[case], renderings))
            for n, case in enumerate(cases)
        ),
        version=__version__,
    )


def badge(recordings: Sequence[Recording]) -> dict[str, object]:
    """A badge in the format of shields.io: how many of the applicable cases pass."""
    adapters = gather_by_adapter(recordings)
    counts = Counter(r.status for each in adapters for r in each.results)
    asked = counts.total() - counts["not-applicable"]
    same = not any(each.differs_from for each in adapters)
    whole = same and not unfinished(recordings) and 0 < asked == counts["passed"]
    colour = "brightgreen" if whole else "red" if counts["failed"] + counts["broken"] else "yellow"
    message = f"{counts['passed']} of {asked}" if asked else "nothing was played"
    return {"schemaVersion": 1, "label": "streamproof", "message": message, "color": colour}


def _found(case: str, find: Callable[[str], Case]) -> Case | Fault:
    try:
        return find(case)
    except Fault as fault:
        return fault


def _counts(results: Iterator[Result]) -> dict[Status, int]:
    counts = Counter(result.status for result in results)
    return {status: counts[status] for status in _WORDS}


def _heading(adapters: Sequence[AdapterResults], counts: Mapping[Status, int]) -> str:
    """The results in a few words."""
    names = [each.adapter for each in adapters if each.differs_from is None]
    who = names[0] if len(names) == 1 else f"{len(names):,} adapters"
    what = "cases" if len(adapters) == 1 else "results"
    asked = sum(counts.values()) - counts["not-applicable"]
    if not asked:
        return f"{who}: nothing was played"
    if counts["failed"]:
        return f"{who}: {counts['failed']:,} of {asked:,} {what} fail"
    if counts["broken"]:
        return f"{who}: {counts['broken']:,} of {asked:,} {what} could not be played"
    if counts["known"]:
        return f"{who}: no {what} fail but the known ones"
    return f"{who}: all {asked:,} {what} pass"


def _declared(each: AdapterResults) -> str:
    """The traits of an adapter that are not the defaults."""
    defaults = asdict(Traits())
    declared = asdict(each.traits).items()
    return ", ".join(f"{name}: {value}" for name, value in declared if value != defaults[name])


def _failures(results: Sequence[tuple[str, Result]]) -> dict[str, list[tuple[str, Result]]]:
    """The failing results with the ids of their runs, by adapter."""
    failures: dict[str, list[tuple[str, Result]]] = {}
    for run, result in results:
        if _fails(result):
            failures.setdefault(result.adapter, []).append((run, result))
    return failures


def _groups(cases: Sequence[str], adapters: Sequence[AdapterResults]) -> dict[str, list[_Table]]:
    """The tables of all cases in groups, those that fail first; a group may have no tables."""
    groups: dict[str, dict[str, list[tuple[int, str]]]] = {heading: {} for heading in _GROUPS}
    for n, case in enumerate(cases):
        results = [each.cases[case].result for each in adapters if case in each.cases]
        heading = next(each for each, holds in _GROUPS.items() if any(map(holds, results)))
        groups[heading].setdefault(_dialect_of(case), []).append((n, case))
    columns: dict[str, dict[int, AdapterResults]] = {}
    for m, each in enumerate(adapters):
        for dialect in dict.fromkeys(map(_dialect_of, each.cases)):
            columns.setdefault(dialect, {})[m] = each
    return {
        heading: [_Table(dialect, columns[dialect], held) for dialect, held in group.items()]
        for heading, group in groups.items()
    }


def _dialect_of(case: str) -> str:
    """The dialect in a case id; empty if it has none."""
    return case.partition("@")[2].partition("+")[0]


def _word(result: Result) -> str:
    """The word for a result in its cell."""
    starred = "*" if result.status == "passed" and result.findings else ""
    return _WORDS[result.status] + starred


def _rules(result: Result) -> list[str]:
    """The first rules that a result breaks, those of level ``must`` first, and how many more."""
    ordered = sorted(result.findings, key=lambda finding: finding.level != "must")
    broken = list(dict.fromkeys(finding.rule for finding in ordered))
    more = [f"{len(broken) - _MOST_RULES:,} more"] if len(broken) > _MOST_RULES else []
    return [*broken[:_MOST_RULES], *more]


def _message(result: Result) -> str:
    """The message of the finding that is named first, or the reason why a result fails."""
    first = min(result.findings, key=lambda finding: finding.level != "must", default=None)
    return clip(message_of(first) if first else result.why, _MAX_MESSAGE)


def _pieces(case: str) -> list[str]:
    """A case id in pieces between which a line may break, as it may after a hyphen."""
    return re.split(r"(?<=/)|(?=[@+])", case)


def _render(template: str, **values: Any) -> str:
    """A template of this package, filled in; a name that is not given is an error."""
    return _environment().get_template(template).render(values)


def _pack(template: str, **values: Any) -> Markup:
    """A filled-in template as compressed text in base64, for a script to unpack."""
    from markupsafe import Markup

    compressed = gzip.compress(_render(template, **values).encode(), mtime=0)
    return Markup(b64encode(compressed).decode())  # noqa: S704, base64 has no markup


def _read_inline(file: str) -> dict[str, Markup | str]:
    """A style or script of the page, and its hash, by which the page's policy allows it."""
    from markupsafe import Markup

    environment = _environment()
    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, file)
    # As a browser hashes it: with line feeds.
    text = "\n".join(source.splitlines())
    digest = b64encode(sha256(text.encode()).digest()).decode()
    return {"text": Markup(text), "hash": f"sha256-{digest}"}  # noqa: S704, it is the kit's own


@cache
def _environment() -> Environment:
    # Imported here, because most commands make no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def printed(value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        text = str(value)
        shown = text if text.isprintable() else visible(text)
        return Markup(escape(shown))  # noqa: S704, it has been escaped

    def lines(text: str) -> Markup:
        return Markup("\n").join(map(printed, text.split("\n")))

    environment = Environment(
        loader=PackageLoader("conformance.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "lines": lines,
        "word": _word,
        "rules": _rules,
        "message": _message,
        "pieces": _pieces,
        "said": message_of,
        "text": summary.of_finding,
        "right": summary.of_right,
        "explained": summary.of_explained,
        "sources": sources_of,
    }
    return environment
