"""Results for CI servers: JUnit XML, and annotations of source lines.

JUnit XML has a suite for each adapter and a test for each case. There is no standard; the names of
elements and attributes are those that Jenkins' xUnit schema (``junit-10.xsd``) and pytest's own
report agree on. A known failure is reported as skipped, as pytest does for an expected failure.
Unprintable characters are written as escapes, since XML 1.0 does not allow all of them (§ 2.2).

Annotations have the form of GitHub's workflow commands. A line such as
``::error file=adapter.yaml,line=3,title=mine%3A call-once::the call…`` in the log of a job becomes
an error at that line. Each cause of an adapter's failures is one, however many cases show it:
GitHub shows ten errors of a step, and drops the others.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conformance.contract.traits import Traits
from conformance.dialects.short_text import clip
from conformance.findings.causes import Cause
from conformance.findings.words import message_of
from conformance.report import summary, timeline
from conformance.report.adapters import AdapterResults, causes_of, gather_by_adapter, unfinished
from conformance.report.drawing import draw_text
from conformance.report.recorded import Recording
from conformance.report.results import Result
from conformance.rules.turns import turns_of
from mockserver.foundation.faults import Place
from mockserver.foundation.visible import visible, visible_lines

_MAX_MESSAGE = 400
_MAX_FINDINGS = 100
_KINDS = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


@dataclass(frozen=True, slots=True)
class Report:
    """An XML document, its counts of tests by kind, and why runs are incomplete."""

    xml: bytes
    counts: Counter[str]
    unfinished: tuple[str, ...]


def junit(recordings: Sequence[Recording]) -> Report:
    """The results of some files as JUnit XML. Raises UserError if two files disagree."""
    root = Element("testsuites", name="streamproof")
    root.extend(map(_suite, gather_by_adapter(recordings)))
    incomplete = unfinished(recordings)
    if incomplete:
        suite = SubElement(root, "testsuite", name="streamproof")
        for file, why in incomplete.items():
            case = SubElement(suite, "testcase", classname="streamproof", name=visible(file))
            SubElement(case, "error", message=visible(why), type="incomplete")
        _set_counts(suite)
    counts = _set_counts(root)
    indent(root)
    xml = tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
    return Report(xml, counts, tuple(incomplete.values()))


def _suite(each: AdapterResults) -> Element:
    suite = Element("testsuite", name=visible(each.adapter))
    properties = SubElement(suite, "properties")
    for name, value in _properties(each):
        SubElement(properties, "property", name=visible(name), value=visible(value))
    suite.extend(_case(result, each.traits) for result in each.results)
    _set_counts(suite)
    return suite


def _properties(each: AdapterResults) -> Iterator[tuple[str, str]]:
    yield "streamproof", ", ".join(each.versions)
    yield "adapter", each.adapter
    if each.implementation:
        yield "implementation", each.implementation
    for name, value in asdict(each.traits).items():
        yield f"trait.{name}", str(value)
    for cause in causes_of(each.results):
        smallest = f"{len(cause.cases)} cases, the smallest is {cause.smallest.case}"
        yield f"cause.{cause.title}", f"{smallest}: {message_of(cause.smallest.finding)}"


def _set_counts(element: Element) -> Counter[str]:
    """Set an element's counts and total time in seconds as attributes, and return the counts."""
    counts = Counter({name: len(list(element.iter(tag))) for name, tag in _KINDS.items()})
    for name, count in counts.items():
        element.set(name, str(count))
    times = (float(case.get("time", 0)) for case in element.iter("testcase"))
    element.set("time", f"{sum(times):.3f}")
    return counts


def _case(result: Result, traits: Traits) -> Element:
    case = Element("testcase", classname=_classname(result), name=visible(result.case))
    if result.transcript and result.transcript.end:
        case.set("time", f"{result.transcript.end.at:.3f}")
    findings = _finding_lines(result)
    match result.status:
        case "failed":
            type_, message = _first_failure(result)
            lines = [*findings, result.why, *_run_lines(result, traits)]
            _add(case, "failure", type_, message or "failed", lines)
        case "broken":
            message = clip(result.why.partition("\n")[0], _MAX_MESSAGE)
            _add(case, "error", "broken", message or "broken", [result.why])
        case "known":
            rules = ", ".join(dict.fromkeys(finding.rule for finding in result.findings))
            _add(case, "skipped", "known-failure", f"known failure of {rules}")
        case "not-applicable":
            _add(case, "skipped", "not-applicable", f"not applicable: {result.why}")
    if result.findings and result.status != "failed":
        SubElement(case, "system-out").text = visible_lines("\n".join(findings))
    return case


def _add(case: Element, tag: str, type_: str, message: str, lines: Sequence[str] = ()) -> None:
    outcome = SubElement(case, tag, type=visible(type_), message=visible(message))
    outcome.text = visible_lines("\n".join(lines)) or None


def _classname(result: Result) -> str:
    """The dialect and the scenario's folder, dotted, as CI servers group by package."""
    scenario, _, dialect = result.case.partition("@")
    folders = scenario.split("/")[:-1]
    return visible(".".join([*filter(None, [dialect.split("+")[0]]), *folders]) or "streamproof")


def _first_failure(result: Result) -> tuple[str, str]:
    """The kind and the message of the first finding that fails a case, or the reason for it."""
    first = min(result.findings, key=lambda finding: finding.level != "must", default=None)
    if first is None:
        return "known-failures", clip(result.why.partition("\n")[0], _MAX_MESSAGE)
    named = f"{first.rule}/{first.kind.name}"
    return named, clip(f"{named}: {message_of(first)}", _MAX_MESSAGE)


def _run_lines(result: Result, traits: Traits) -> list[str]:
    """The timeline of a run and its notes."""
    if result.transcript is None:
        return []
    rows = timeline.of_run(turns_of(result.transcript, traits), result.findings)
    drawing = draw_text(rows, "the upstream sent", f"{result.adapter} emitted")
    return ["", drawing, "", *result.transcript.notes]


def _finding_lines(result: Result) -> list[str]:
    more = len(result.findings) - _MAX_FINDINGS
    lines: list[str] = []
    for finding in result.findings[:_MAX_FINDINGS]:
        lines += [summary.of_finding(finding), *(f"  {f}" for f in summary.of_explained(finding))]
    return [*lines, f"… and {more:,} more findings"] if more > 0 else lines


MOST = 10
"""The number of errors of a step that GitHub shows."""

_CASES = 5

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
        where = self.place and {
            "file": self.place.file,
            "line": self.place.line,
            "col": self.place.column,
        }
        properties = {**(where or {}), "title": visible_lines(self.title)}
        written = ",".join(
            f"{name}={_escaped(str(value), _IN_PROPERTIES)}"
            for name, value in properties.items()
            if value
        )
        return f"::error {written}::{_escaped(visible_lines(self.message), _IN_MESSAGES)}"


def annotations_of(recordings: Sequence[Recording], place_of: PlaceOf) -> list[Annotation]:
    """At most ``MOST`` annotations: the last one names the causes for which there is no room.

    Raises UserError if two files disagree.
    """
    found = [
        each for adapter in gather_by_adapter(recordings) for each in _annotate(adapter, place_of)
    ]
    found += [Annotation("streamproof", why) for why in unfinished(recordings).values()]
    if len(found) <= MOST:
        return found
    shown, rest = found[: MOST - 1], found[MOST - 1 :]
    titles = "\n".join(each.title for each in rest)
    return [*shown, Annotation(f"streamproof: {len(rest)} more", titles)]


def _annotate(adapter: AdapterResults, place_of: PlaceOf) -> Iterator[Annotation]:
    """The annotations of an adapter: a cause each, those on legal streams first."""
    others: dict[str, Annotation] = {}
    for result in adapter.results:
        if result.status in ("failed", "broken") and result.why:
            line = result.why.splitlines()[0]
            said = line.removeprefix(f"{result.place}: ")
            others[line] = Annotation(adapter.adapter, said, result.place)
    for cause in causes_of(adapter.results):
        if cause.level == "must":
            yield _annotate_cause(adapter, cause, place_of)
    yield from others.values()


def _annotate_cause(adapter: AdapterResults, cause: Cause, place_of: PlaceOf) -> Annotation:
    case, finding = cause.smallest.case, cause.smallest.finding
    options = adapter.cases[case].options
    others = [each for each in cause.cases if each != case]
    more = f", and {len(others) - _CASES:,} more" if len(others) > _CASES else ""
    lines = [
        f"{case}: {clip(message_of(finding), _MAX_MESSAGE)}",
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


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
