"""Failures as annotations of source lines, in the form of GitHub's workflow commands.

A line such as ``::error file=adapter.yaml,line=3,title=mine%3A call-once::the call…`` in the log of
a job becomes an error at that line. Each cause of an adapter's failures is one, however many cases
show it: GitHub shows ten errors of a step, and drops the others.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.findings.causes import Cause
from conformance.findings.words import message_of
from conformance.report import summary
from conformance.report.adapters import AdapterResults, causes_of, gather_by_adapter, unfinished
from conformance.report.recorded import Recording
from mockserver.foundation.faults import Place
from mockserver.foundation.visible import visible_lines

MOST = 10
"""The number of errors of a step that GitHub shows."""

_CASES = 5
_MAX_MESSAGE = 400

# https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands, and
# ``escapeData`` and ``escapeProperty`` in packages/core/src/command.ts of actions/toolkit.
_IN_MESSAGES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_IN_MESSAGES, ":": "%3A", ",": "%2C"}

PlaceOf = Callable[[str, str, str], Place]
"""The place to which a failure belongs, by the path of adapter.yaml, the rule and the case."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """An error at a place, or at none."""

    title: str
    message: str
    place: Place | None = None

    def command(self) -> str:
        """The workflow command: one line, whatever the texts have in them."""
        properties = {**_of_place(self.place), "title": visible_lines(self.title)}
        written = ",".join(
            f"{name}={_escaped(value, _IN_PROPERTIES)}" for name, value in properties.items()
        )
        return f"::error {written}::{_escaped(visible_lines(self.message), _IN_MESSAGES)}"


def annotations_of(recordings: Sequence[Recording], place_of: PlaceOf) -> list[Annotation]:
    """At most ``MOST`` annotations: the last one names the causes for which there is no room.

    Raises UserError if two files disagree.
    """
    found = [each for adapter in gather_by_adapter(recordings) for each in _of(adapter, place_of)]
    found += [Annotation("streamproof", why) for why in unfinished(recordings).values()]
    if len(found) <= MOST:
        return found
    shown, rest = found[: MOST - 1], found[MOST - 1 :]
    titles = "\n".join(each.title for each in rest)
    return [*shown, Annotation(f"streamproof: {len(rest)} more", titles)]


def _of(adapter: AdapterResults, place_of: PlaceOf) -> Iterator[Annotation]:
    """The annotations of an adapter: a cause each, those on legal streams first."""
    others: dict[str, Annotation] = {}
    for result in adapter.results:
        if result.status in ("failed", "broken") and result.why:
            line = result.why.splitlines()[0]
            said = line.removeprefix(f"{result.place}: ")
            others[line] = Annotation(adapter.adapter, said, result.place)
    for cause in causes_of(adapter.results):
        if cause.level == "must":
            yield _of_cause(adapter, cause, place_of)
    yield from others.values()


def _of_cause(adapter: AdapterResults, cause: Cause, place_of: PlaceOf) -> Annotation:
    case, finding = cause.smallest.case, cause.smallest.finding
    options = adapter.cases[case].options
    others = [each for each in cause.cases if each != case]
    more = f", and {len(others) - _CASES:,} more" if len(others) > _CASES else ""
    lines = [
        f"{case}: {summary.clip(message_of(finding), _MAX_MESSAGE)}",
        summary.of_right(finding),
        *([f"also in {', '.join(others[:_CASES])}{more}"] if others else []),
        shlex.join(("streamproof", "show", case, *options)),
    ]
    title = f"{adapter.adapter}: {cause.title}"
    return Annotation(title, "\n".join(lines), place_of(options[1], finding.rule, case))


def relative(annotation: Annotation, shorten: Callable[[str], str]) -> Annotation:
    """The annotation with another path of its file."""
    place = annotation.place
    return replace(annotation, place=place and replace(place, file=shorten(place.file)))


def _of_place(place: Place | None) -> dict[str, str]:
    if place is None:
        return {}
    numbers = {"line": place.line, "col": place.column}
    return {"file": place.file} | {name: str(n) for name, n in numbers.items() if n}


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
