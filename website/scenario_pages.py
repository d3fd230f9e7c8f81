"""Makes a page for each scenario: what it is about, what is right, its timelines and its file."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from conformance.expectation.turn_content import expected_contents
from conformance.report.outline import host_says, outline_rows
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import visible
from website import found_in
from website.catalogue import CONDUCTS
from website.linked_sources import linked
from website.scenario_words import of_cancel, of_content, of_then, plain
from website.timeline_svg import draw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mockserver.scenario.model import Scenario

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
        lines.append(f"*source*: {', '.join(linked(s, _DOCS) for s in scenario.source)}")
    if scenario.seen:
        lines.append(f"*seen*: {', '.join(linked(s, _DOCS) for s in scenario.seen)}")
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
