"""Makes the page that lists the scenarios of the catalogue."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.expectation.content import ExpectedContent
from conformance.expectation.turn_content import expected_contents
from mockserver.cases.catalogue import Catalogue, Entry
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import folder
from website.scenario_words import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from mockserver.scenario.model import Scenario

CONDUCTS = {"legal": "legal", "deviation": "a deviation", "violation": "a violation"}

_HEAD = """\
# The catalogue

Every scenario that streamproof ships has a page, with its timeline and what a correct adapter emits
for it. `streamproof list` lists them in a terminal. [scenarios.md](scenarios.md) explains the
format.

The upstream's conduct is *legal*; or *a deviation* from its specification, which real upstreams
send and good adapters accept; or *a violation*, where nobody can know what was meant.

| folder | all | {conducts} |
| --- | --- | {rules} |
{table}"""

_FOLDERS = {
    "any": "Scripts of what a model does, for every dialect.",
    **{name: f"What only `{name}` can express or get wrong." for name in DIALECTS},
}

_ROWS = ("| scenario | situation | conduct |", "| --- | --- | --- |")

_FOOT = """
[CONTRIBUTING.md](../CONTRIBUTING.md#a-scenario) says how to add a scenario.
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
    "Text, and the stream itself": lambda _contents: True,
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
    """The page of a folder of scenarios. Raises ScenarioError for a broken file."""
    folders: dict[str, list[Entry]] = {}
    for entry in Catalogue([scenarios or folder("scenarios")]).entries():
        if entry.broken:
            raise entry.broken
        folders.setdefault(entry.id.partition("/")[0], []).append(entry)
    sections = [line for name, entries in folders.items() for line in _section(name, entries)]
    rules = " | ".join("---" for _ in CONDUCTS)
    head = _HEAD.format(conducts=" | ".join(CONDUCTS), rules=rules, table=_table(folders))
    return head + "\n".join(["", *sections]) + _FOOT


def _table(folders: dict[str, list[Entry]]) -> str:
    rows = ""
    for name, entries in folders.items():
        counts = Counter[str](_of(entry).conduct for entry in entries)
        cells = [f"[{name}](#{name})", len(entries), *(counts[conduct] for conduct in CONDUCTS)]
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
        yield from ("", f"### {area} ({name})", "", *_ROWS)
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
    scenario = _of(entry)
    title = f"[{plain(scenario.title)}](scenarios/{entry.id}.md)"
    cells = (f"`{entry.id}`", title, CONDUCTS[scenario.conduct])
    return f"| {' | '.join(cells)} |"
