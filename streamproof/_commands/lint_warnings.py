"""Warnings about ``sends`` that go out otherwise than their author has probably meant.

Which fields of events are probably meant otherwise is up to each dialect. In all of them, it is a
``raw`` that leaves its last line open, and an entry of ``absent`` for a field that nothing fills.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

from mockserver.dialects import DIALECTS
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.faults import Problem, ScenarioError
from mockserver.foundation.json_fields import FieldPath
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Raw, Send, Sends
from mockserver.scenario.sends import ABSENT
from mockserver.scenario.source import Path, Tree
from mockserver.scenario.turns import scripts
from mockserver.wire.event import Event, Step
from mockserver.wire.slots import decode_values, fill_json_with

_MOST = 50

Found = tuple[Path, LintWarning]
"""A warning, and the path of its script in the file."""


def find_warnings(scenario: Scenario) -> list[Found]:
    """The warnings about a scenario, at most 50; each is found once for all of its dialects."""
    found = (
        (path, warning)
        for path, script in scripts(scenario.turns)
        if isinstance(script, Sends)
        for name in scenario.dialects
        for warning in find_script_warnings(name, script, path)
    )
    return list(dict.fromkeys(islice(found, _MOST)))


def place_warnings(found: list[Found], tree: Tree) -> Iterator[Problem]:
    """The warnings, each at the place of its field."""
    for path, warning in found:
        step = (*path, "sends", warning.step)
        yield Problem(
            warning.message, tree.key_place((*step, *_field(tree, step, warning))), warning.hint
        )


def _field(tree: Tree, step: Path, warning: LintWarning) -> Path:
    """The path of a field in the step that sends it; empty for an event without fields."""
    written: Any = tree.at(step)
    if isinstance(written, str):
        return ()
    return (next(key for key in written if key != ABSENT), *warning.path)


def find_script_warnings(name: str, script: Sends, path: Path) -> Iterator[LintWarning]:
    """The warnings about a script, which is at this path in its file, in one dialect."""
    turn = path[1]
    assert isinstance(turn, int)
    dialect = DIALECTS[name]
    values = decode_values(dialect.sample())
    try:
        # As they are sent, with examples of what depends on the request.
        sent = [
            replace(step, data=fill_json_with(step.data, values))
            if isinstance(step, Event)
            else step
            for step in dialect.steps(script, turn)
        ]
    except ScenarioError:  # the script is too long, which is a problem of its own
        return
    yield from dialect.writing.warn(script, sent)
    yield from _open_lines(script)


def _open_lines(script: Sends) -> Iterator[LintWarning]:
    """Raw texts whose end belongs to the event after them."""
    for n, (step, following) in enumerate(pairwise(script.steps)):
        if isinstance(step, Raw) and isinstance(following, Send):
            *_, last, end = ["", *re.split("\r\n|\r|\n", step.text)]
            hint = "end the text with an empty line: |+ and one in the file, or \\n\\n in quotes"
            if end:
                yield LintWarning((), "the event after it is sent in the same line", hint, n)
            elif last.startswith("data"):
                message = "the event after it is sent as further data of the same event"
                yield LintWarning((), message, hint, n)


AbsentStep = tuple[Path, Sends, int, Send]
"""A step that leaves fields out: the path of its script, the script, its number, and itself."""


def find_absent_steps(scenario: Scenario) -> list[AbsentStep]:
    """The steps that leave a field out, at most 50."""
    found = (
        (path, script, n, step)
        for path, script in scripts(scenario.turns)
        if isinstance(script, Sends)
        for n, step in enumerate(script.steps)
        if isinstance(step, Send) and step.absent
    )
    return list(islice(found, _MOST))


def find_absent_warnings(
    scenario: Scenario, steps: Sequence[AbsentStep], tree: Tree
) -> list[Problem]:
    """The entries of ``absent`` in these steps that change nothing."""
    return [
        Problem(
            f"{'.'.join(field)!r} is absent anyway: no dialect here fills it in",
            tree.place((*path, "sends", n, ABSENT, entry)),
            "correct its name, or leave it out",
        )
        for path, script, n, step in steps
        for entry, field in enumerate(step.absent)
        if not any(_takes_away(name, script, path, n, field) for name in scenario.dialects)
    ]


def _takes_away(name: str, script: Sends, path: Path, n: int, field: FieldPath) -> bool:
    """Whether an absent field of step ``n`` changes what a dialect sends, or is expected there."""
    step = script.steps[n]
    turn = path[1]
    assert isinstance(step, Send)
    assert isinstance(turn, int)
    present = replace(step, absent=tuple(each for each in step.absent if each != field))
    as_written, changed = (
        replace(script, steps=(*script.steps[:n], last)) for last in (step, present)
    )

    def forms(script: Sends) -> list[Sequence[Step]]:
        sent, known = DIALECTS[name].steps(script, turn), DIALECTS[name].forms
        return [known.apply(sent, form) for form in known.names]

    if forms(as_written) != forms(changed):
        return True
    warnings, others = (
        list(find_script_warnings(name, each, path)) for each in (as_written, changed)
    )
    return len(warnings) < len(others)
