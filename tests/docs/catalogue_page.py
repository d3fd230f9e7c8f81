"""Makes ``docs/catalogue.md`` from the scenarios of the catalogue."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from conformance.expectation.content import ExpectedContent
from conformance.expectation.turn_content import expected_contents
from mockserver.dialects import DIALECTS
from mockserver.scenario.catalogue import Catalogue, Entry
from mockserver.shipped import folder
from tests.docs.catalogue_words import of_cancel, of_content, of_then, plain
from tests.docs.linked_sources import linked
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from mockserver.scenario.model import Scenario

PLACE = ROOT / "docs" / "catalogue.md"

_CONDUCTS = {"legal": "legal", "deviation": "a deviation", "violation": "a violation"}

_HEAD = """\
# The catalogue

This page lists every scenario that streamproof ships, with the parts that a correct adapter emits
(*right*). `streamproof show ID` prints a scenario event by event, `pytest conformance -k ID` plays
it to an adapter, and `streamproof serve` serves it at `/s/ID/v1`. [scenarios.md](scenarios.md)
explains the format.

The upstream's conduct is *legal*; or *a deviation* from its specification, which real upstreams
send and good adapters accept; or *a violation*, where nobody can know what was meant.

| folder | scenarios | {conducts} |
| --- | --- | {rules} |
{table}"""

_FOLDERS = {
    "any": "Scripts of what a model does, for every dialect.",
    **{name: f"What only `{name}` can express or get wrong." for name in DIALECTS},
}

_FOOT = """
This page is made from `scenarios/`; [CONTRIBUTING.md](../CONTRIBUTING.md#a-scenario) says how.
"""


def _shows(kind: str) -> Callable[[Sequence[ExpectedContent]], bool]:
    return lambda contents: any(
        segment.kind == kind for content in contents for segment in content.segments
    )


def _ends(outcome: str) -> Callable[[Sequence[ExpectedContent]], bool]:
    return lambda contents: any(content.outcome == outcome for content in contents)


# A scenario stands in the first of these that it is of.
_CANCELLED = "Cancellations"
_SEVERAL = "Conversations"
_AREAS: dict[str, Callable[[Sequence[ExpectedContent]], bool]] = {
    "Failures": _ends("failed"),
    "Answers cut short": _ends("incomplete"),
    "Refusals": _shows("refusal"),
    "Thinking": _shows("reasoning"),
    "Calls": lambda contents: any(content.calls for content in contents),
    "Text, and the stream itself": lambda contents: True,
}
_SHOWN = (
    "Calls",
    "Text, and the stream itself",
    "Thinking",
    "Refusals",
    *_AREAS,
    _CANCELLED,
    _SEVERAL,
)


def page(scenarios: Path | None = None) -> str:
    """The text that `docs/catalogue.md` must have. Raises ScenarioError for a broken file."""
    folders: dict[str, list[Entry]] = {}
    for entry in Catalogue([scenarios or folder("scenarios")]).entries():
        if entry.broken:
            raise entry.broken
        folders.setdefault(entry.id.partition("/")[0], []).append(entry)
    sections = [line for name, entries in folders.items() for line in _section(name, entries)]
    rules = " | ".join("---" for _ in _CONDUCTS)
    head = _HEAD.format(conducts=" | ".join(_CONDUCTS), rules=rules, table=_table(folders))
    return head + "\n".join(["", *sections]) + _FOOT


def write() -> None:
    """Write `docs/catalogue.md`."""
    PLACE.write_text(page(), "utf-8")


def _table(folders: dict[str, list[Entry]]) -> str:
    rows = ""
    for name, entries in folders.items():
        counts = Counter[str](_of(entry).conduct for entry in entries)
        cells = [f"[{name}](#{name})", len(entries), *(counts[conduct] for conduct in _CONDUCTS)]
        rows += f"| {' | '.join(map(str, cells))} |\n"
    return rows


def _of(entry: Entry) -> Scenario:
    assert entry.scenario
    return entry.scenario


def _section(name: str, entries: Sequence[Entry]) -> Iterator[str]:
    areas: dict[str, list[Entry]] = {}
    for entry in entries:
        areas.setdefault(_area(_of(entry)), []).append(entry)
    yield from (f"## {name}", "", *filter(None, [_FOLDERS.get(name)]))
    for area in sorted(areas, key=_SHOWN.index):
        yield from ("", f"### {area} ({name})", "")
        for entry in areas[area]:
            yield _entry(entry)
    yield ""


def _area(scenario: Scenario) -> str:
    if len(scenario.turns) > 1:
        return _SEVERAL
    if any(turn.cancel for turn in scenario.turns):
        return _CANCELLED
    contents = expected_contents(scenario)
    return next(area for area, is_of in _AREAS.items() if is_of(contents))


def _entry(entry: Entry) -> str:
    """The list item of a scenario: title, description, expected parts of each turn, and sources."""
    scenario = _of(entry)
    link = os.path.relpath(entry.path, PLACE.parent)
    lines = [
        f"- [`{entry.id}`]({link}): **{plain(scenario.title)}** ({_conduct(scenario)})",
        plain(scenario.about),
        *(f"{label}: {right}" for label, right in _right(scenario)),
        _provenance(scenario),
    ]
    return "\\\n  ".join(filter(None, lines))


def _conduct(scenario: Scenario) -> str:
    folder_ = scenario.id.split("/")[0]
    usual = set(DIALECTS) if folder_ == "any" else {folder_}
    named = {*scenario.dialects, *scenario.unable} != usual
    spoken = f"; for {', '.join(scenario.dialects)}" if named else ""
    unable = "".join(f"; not in {name}: {why}" for name, why in scenario.unable.items())
    by = f" by the profile `{scenario.profile}`" if scenario.profile else ""
    return _CONDUCTS[scenario.conduct] + by + spoken + unable


def _right(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for n, turn in enumerate(scenario.turns):
        of_turn = f" (turn {n})" if len(scenario.turns) > 1 else ""
        if turn.cancel:
            yield f"*cancelled*{of_turn}", of_cancel(turn.cancel)
        attempt = 0
        for content in expected_contents(scenario, n):
            of_attempt = f" (attempt {content.attempt})" if turn.earlier else ""
            word = "*or*" if content.attempt == attempt else "*right*"
            attempt = content.attempt
            yield word + of_turn + of_attempt, of_content(content, bool(turn.cancel))
        if turn.then:
            yield "*then*", of_then(turn.then)


def _provenance(scenario: Scenario) -> str:
    lines = []
    if scenario.source:
        lines.append(f"*source*: {', '.join(map(linked, scenario.source))}")
    if scenario.seen:
        lines.append(f"*seen*: {', '.join(map(linked, scenario.seen))}")
    return "; ".join(lines)
