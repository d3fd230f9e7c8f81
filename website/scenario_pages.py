"""Makes the page that lists the scenarios, and for each one a page with its timelines and file."""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from conformance.expectation.content import ExpectedContent
from conformance.expectation.turn_content import expected_contents
from conformance.report.outline import host_says, outline_rows
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import visible
from mockserver.scenario.model import Scenario
from website import found_in
from website.timeline_svg import draw
from website.words import describe_cancel, describe_content, describe_then, fill, plain

CONDUCTS = {"legal": "legal", "deviation": "a deviation", "violation": "a violation"}

_FOLDERS = {
    "any": "Scripts of what a model does, for every dialect.",
    **{name: f"What only `{name}` can express or get wrong." for name in DIALECTS},
}


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
    folders: dict[str, dict[str, list[Scenario]]] = {}
    for scenario, _ in _scenarios(scenarios):
        areas = folders.setdefault(scenario.id.partition("/")[0], {each: [] for each in _SHOWN})
        areas[_area(scenario)].append(scenario)
    return fill("catalogue", conducts=CONDUCTS, folders=folders, about=_FOLDERS)


def _scenarios(scenarios: Path | None) -> Iterator[tuple[Scenario, Path]]:
    """The scenarios of a folder, or those that are shipped, with their files."""
    for entry in Catalogue([scenarios or folder("scenarios")]).entries():
        if entry.broken:
            raise entry.broken
        assert entry.scenario
        yield entry.scenario, entry.path


def _area(scenario: Scenario) -> str:
    if len(scenario.turns) > 1:
        return _SEVERAL
    if any(turn.cancel for turn in scenario.turns):
        return _CANCELLED
    contents = expected_contents(scenario)
    return next(area for area, is_of in _AREAS.items() if is_of(contents))


_DOCS = "../.."
_EMITS = f"a correct adapter emits ({VSCODE.name})"


def pages(scenarios: Path | None = None) -> dict[str, str]:
    """The pages of a folder of scenarios, by place. Raises ScenarioError for a broken file."""
    return {
        f"scenarios/{scenario.id}.md": page(scenario, path.read_text("utf-8"))
        for scenario, path in _scenarios(scenarios)
    }


def page(scenario: Scenario, text: str) -> str:
    """The page of a scenario whose file has this text."""
    return fill(
        "scenario",
        scenario=scenario,
        conduct=_conduct(scenario),
        right=list(_right(scenario)),
        found=found_in.of_scenario(scenario.id, _DOCS),
        timelines={each: list(_timelines(scenario, each)) for each in scenario.dialects},
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


def _timelines(scenario: Scenario, dialect: str) -> Iterator[str]:
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
