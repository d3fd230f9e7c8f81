"""Results as JUnit XML for CI servers: a suite for each adapter, a test for each case.

There is no standard; the names of elements and attributes are those that Jenkins' xUnit schema
(``junit-10.xsd``) and pytest's own report agree on. A known failure is reported as skipped, as
pytest does for an expected failure. Unprintable characters are written as escapes, since XML 1.0
does not allow all of them (§ 2.2).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conformance.contract.traits import Traits
from conformance.findings.words import message_of
from conformance.report import summary, timeline
from conformance.report.adapters import AdapterResults, causes_of, gather_by_adapter, unfinished
from conformance.report.drawing import draw_text
from conformance.report.recorded import Recording
from conformance.report.results import Result
from conformance.rules.turns import turns_of
from mockserver.foundation.visible import visible

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
    for each in gather_by_adapter(recordings):
        root.append(_suite(each))
    incomplete = unfinished(recordings)
    if incomplete:
        suite = SubElement(root, "testsuite", name="streamproof")
        for file, why in incomplete.items():
            case = SubElement(suite, "testcase", classname="streamproof", name=visible(file))
            SubElement(case, "error", message=visible(why), type="incomplete")
        _set_counts(suite)
    counts = _set_counts(root)
    indent(root)
    return Report(
        tostring(root, encoding="utf-8", xml_declaration=True) + b"\n",
        counts,
        tuple(incomplete.values()),
    )


def _suite(each: AdapterResults) -> Element:
    suite = Element("testsuite", name=visible(each.adapter))
    properties = SubElement(suite, "properties")
    for name, value in _properties(each).items():
        SubElement(properties, "property", name=name, value=visible(value))
    for cause in causes_of(each.results):
        smallest = f"{len(cause.cases)} cases, the smallest is {cause.smallest.case}"
        value = f"{smallest}: {message_of(cause.smallest.finding)}"
        SubElement(
            properties, "property", name=visible(f"cause.{cause.title}"), value=visible(value)
        )
    for result in each.results:
        suite.append(_case(result, each.traits))
    _set_counts(suite)
    return suite


def _properties(each: AdapterResults) -> dict[str, str]:
    implementation = {"implementation": each.implementation} if each.implementation else {}
    traits = {f"trait.{name}": str(value) for name, value in asdict(each.traits).items()}
    kit = {"streamproof": ", ".join(each.versions), "adapter": each.adapter}
    return {**kit, **implementation, **traits}


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
    if outcome := _OUTCOMES.get(result.status):
        outcome(case, result, traits)
    if result.findings and result.status != "failed":
        SubElement(case, "system-out").text = _visible_lines(_finding_lines(result))
    return case


def _classname(result: Result) -> str:
    """The dialect and the scenario's folder, dotted, as CI servers group by package."""
    scenario, _, dialect = result.case.partition("@")
    folders = scenario.split("/")[:-1]
    return visible(".".join([*filter(None, [dialect.split("+")[0]]), *folders]) or "streamproof")


def _failed(case: Element, result: Result, traits: Traits) -> None:
    first = next((f for f in result.findings if f.level == "must"), None)
    first = first or next(iter(result.findings), None)
    named = f"{first.rule}/{first.kind.name}" if first else "known-failures"
    message = f"{named}: {message_of(first)}" if first else result.why.partition("\n")[0]
    failure = SubElement(case, "failure", type=visible(named))
    failure.set("message", visible(summary.clip(message or "failed", _MAX_MESSAGE)))
    lines = [*_finding_lines(result), result.why]
    if transcript := result.transcript:
        rows = timeline.of_run(turns_of(transcript, traits), result.findings)
        drawing = draw_text(rows, "the upstream sent", f"{result.adapter} emitted")
        lines += ["", drawing, "", *transcript.notes]
    failure.text = _visible_lines(lines)


def _known(case: Element, result: Result, _traits: Traits) -> None:
    rules = ", ".join(dict.fromkeys(finding.rule for finding in result.findings))
    SubElement(case, "skipped", type="known-failure", message=visible(f"known failure of {rules}"))


def _not_applicable(case: Element, result: Result, _traits: Traits) -> None:
    message = visible(f"not applicable: {result.why}")
    SubElement(case, "skipped", type="not-applicable", message=message)


def _broken(case: Element, result: Result, _traits: Traits) -> None:
    message = visible(summary.clip(result.why.partition("\n")[0] or "broken", _MAX_MESSAGE))
    SubElement(case, "error", type="broken", message=message).text = _visible_lines([result.why])


_OUTCOMES: dict[str, Callable[[Element, Result, Traits], None]] = {
    "failed": _failed,
    "known": _known,
    "not-applicable": _not_applicable,
    "broken": _broken,
}

_MAX_MESSAGE = 400
_MAX_FINDINGS = 100


def _finding_lines(result: Result) -> list[str]:
    more = len(result.findings) - _MAX_FINDINGS
    lines = [
        line
        for finding in result.findings[:_MAX_FINDINGS]
        for line in (
            summary.of_finding(finding),
            *(f"  {f}" for f in summary.of_explained(finding)),
        )
    ]
    return [*lines, f"… and {more:,} more findings"] if more > 0 else lines


def _visible_lines(lines: Iterable[str]) -> str:
    return "\n".join(visible(line) for text in lines for line in text.split("\n"))
