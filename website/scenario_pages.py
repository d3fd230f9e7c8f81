"""Makes the page that lists the scenarios, and for each one a page with its timelines and file."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from conformance.expectation.content import ExpectedContent
from conformance.expectation.turn_content import expected_contents
from conformance.report.outline import host_says, outline_rows
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue, Entry
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import visible
from mockserver.scenario.model import Scenario
from website import found_in
from website.timeline_svg import draw
from website.words import describe_cancel, describe_content, describe_then, link_clause, plain

CONDUCTS = {"legal": "legal", "deviation": "a deviation", "violation": "a violation"}

_CATALOGUE = """\
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

_CATALOGUE_FOOT = """
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


def catalogue_page(scenarios: Path | None = None) -> str:
    """The page of a folder of scenarios. Raises ScenarioError for a broken file."""
    folders: dict[str, list[Entry]] = {}
    for entry in Catalogue([scenarios or folder("scenarios")]).entries():
        if entry.broken:
            raise entry.broken
        folders.setdefault(entry.id.partition("/")[0], []).append(entry)
    sections = [line for name, entries in folders.items() for line in _section(name, entries)]
    rules = " | ".join("---" for _ in CONDUCTS)
    head = _CATALOGUE.format(conducts=" | ".join(CONDUCTS), rules=rules, table=_table(folders))
    return head + "\n".join(["", *sections]) + _CATALOGUE_FOOT


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


_DOCS = "../.."
_EMITS = f"a correct adapter emits ({VSCODE.name})"
_PAGE = """\
---
title: {heading}
hide: [toc]
---

[Scenarios](../../catalogue.md) / [{folder}](../../catalogue.md#{folder})

# {title}

`{id}`: {conduct}.

{about}

## What is right

{right}

{provenance}

{found}

## Timeline

{timelines}

## The file

`scenarios/{id}.yaml`:

{file}

`streamproof show {id}` prints it event by event, `streamproof run -k {id}` plays it to an
adapter, and `streamproof serve` serves it at `/s/{id}/v1`.
"""


def pages(scenarios: Path | None = None) -> dict[str, str]:
    """The pages of a folder of scenarios, by place. Raises ScenarioError for a broken file."""
    found: dict[str, str] = {}
    for entry in Catalogue([scenarios or folder("scenarios")]).entries():
        if entry.broken:
            raise entry.broken
        assert entry.scenario
        text = entry.path.read_text("utf-8")
        found[f"scenarios/{entry.id}.md"] = page(entry.scenario, text)
    return found


def page(scenario: Scenario, text: str) -> str:
    """The page of a scenario whose file has this text."""
    lines = (f"{label}: {right}" for label, right in _right(scenario))
    return _PAGE.format(
        heading=scenario.id,
        title=plain(scenario.title),
        id=scenario.id,
        folder=scenario.id.partition("/")[0],
        conduct=_conduct(scenario),
        about=plain(scenario.about),
        right="\\\n".join(lines),
        provenance=_provenance(scenario),
        found=found_in.of_scenario(scenario.id, _DOCS),
        timelines="\n\n".join(_timelines(scenario)),
        file=_fenced(text, "yaml"),
    )


def _conduct(scenario: Scenario) -> str:
    by = f" by the profile `{scenario.profile}`" if scenario.profile else ""
    spoken = ", ".join(f"`{dialect}`" for dialect in scenario.dialects)
    unable = "".join(
        f"; not played in `{name}`: {plain(why)}" for name, why in scenario.unable.items()
    )
    return f"{CONDUCTS[scenario.conduct]}{by}; played in {spoken}{unable}"


def _right(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for n, turn in enumerate(scenario.turns):
        of_turn = f" (turn {n})" if len(scenario.turns) > 1 else ""
        if turn.cancel:
            yield f"*cancelled*{of_turn}", describe_cancel(turn.cancel)
        attempt = 0
        for content in expected_contents(scenario, n):
            of_attempt = f" (attempt {content.attempt})" if turn.earlier else ""
            word = "*or*" if content.attempt == attempt else "*right*"
            attempt = content.attempt
            yield word + of_turn + of_attempt, describe_content(content, bool(turn.cancel))
        if turn.then:
            yield "*then*", describe_then(turn.then)


def _provenance(scenario: Scenario) -> str:
    lines = []
    if scenario.source:
        lines.append(f"*source*: {', '.join(link_clause(s, _DOCS) for s in scenario.source)}")
    if scenario.seen:
        lines.append(f"*seen*: {', '.join(link_clause(s, _DOCS) for s in scenario.seen)}")
    return "\\\n".join(lines)


def _timelines(scenario: Scenario) -> Iterator[str]:
    """Those of the first dialect, and those of each other one, folded."""
    first, *others = scenario.dialects
    yield f"In `{first}`:"
    yield from _of_dialect(scenario, first)
    for dialect in others:
        drawn = "".join(_of_dialect(scenario, dialect))
        yield f"<details><summary>In {dialect}</summary>{drawn}</details>"


def _of_dialect(scenario: Scenario, dialect: str) -> Iterator[str]:
    """The timelines of the turns and attempts in a dialect, each on one line of HTML."""
    for n, turn in enumerate(scenario.turns):
        attempts = len(turn.attempts)
        for attempt in range(1, attempts + 1):
            about = [f"turn {n}: {host_says(scenario, n)}"] if len(scenario.turns) > 1 else []
            if attempts > 1:
                about.append(f"attempt {attempt} of {attempts}")
            heading = f"<p>{escape(visible('; '.join(about)))}</p>" if about else ""
            rows, more = outline_rows(Case(scenario, dialect), n, attempt)
            label = "; ".join(["timeline", scenario.id, DIALECTS[dialect].name, *about])
            also = f"<p>({more - 1} more outcomes are right)</p>" if more > 1 else ""
            yield heading + draw(rows, "the upstream sends", _EMITS, label) + also


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
