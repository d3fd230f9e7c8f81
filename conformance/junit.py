"""Results as JUnit XML, as CI servers read it: a suite for each adapter, a test for each case.

There is no standard; the names of elements and attributes are those that Jenkins' xUnit schema
(``junit-10.xsd``) and pytest's own report agree on. A known failure is skipped, as pytest says of
an expected one. What comes from adapters holds any character, and XML 1.0 does not (§ 2.2): all
that cannot be seen is written as an escape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conformance import gist, timeline
from conformance.drawn import drawn
from conformance.expectation.traits import Traits
from mockserver.faults import Problem, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.recorded import Recording
    from conformance.results import Result

_KINDS = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}

_EXITS = {
    2: "it was interrupted",
    3: "the adapter could not be driven",
    4: "it was used wrongly, or streamproof is at fault",
    5: "nothing was selected",
}


@dataclass(frozen=True, slots=True)
class Report:
    """An XML document, how many of each kind there are in it, and what the runs lack."""

    xml: bytes
    counts: Counter[str]
    unfinished: tuple[str, ...]


def junit(recordings: Sequence[Recording]) -> Report:
    """All results of some files. Raises UserError where two of them do not go together."""
    root = Element("testsuites", name="streamproof")
    for suite in _suites(recordings):
        root.append(suite.element())
    unfinished = {r.file: why for r in recordings if (why := _unfinished(r))}
    if unfinished:
        root.append(_unfinished_suite(unfinished))
    counts = _counted(root)
    indent(root)
    return Report(
        tostring(root, encoding="utf-8", xml_declaration=True) + b"\n",
        counts,
        tuple(unfinished.values()),
    )


def _unfinished(recording: Recording) -> str:
    """Why there is less than a whole run; empty where there is no less."""
    if recording.incomplete:
        return recording.incomplete
    told = any(recorded.result.status == "broken" for recorded in recording.results)
    if recording.exit not in _EXITS or told:
        return ""
    return f"{recording.file}: the run ended with {recording.exit}: {_EXITS[recording.exit]}"


def _unfinished_suite(unfinished: dict[str, str]) -> Element:
    suite = Element("testsuite", name="streamproof")
    for file, why in unfinished.items():
        case = SubElement(suite, "testcase", classname="streamproof", name=_legal(file))
        SubElement(case, "error", message=_legal(why), type="incomplete")
    _counted(suite)
    return suite


@dataclass
class _Suite:
    """The results of one adapter, from however many files."""

    adapter: str
    traits: Traits
    versions: dict[str, None] = field(default_factory=dict)
    cases: dict[str, tuple[Result, str]] = field(default_factory=dict)

    def add(self, result: Result, file: str) -> None:
        if known := self.cases.get(result.case):
            message = f"{file} has a result of {self.adapter} for {result.case}, as {known[1]} has"
            raise UserError(Problem(message, hint="report one run of an adapter at a time"))
        self.cases[result.case] = result, file

    def element(self) -> Element:
        suite = Element("testsuite", name=_legal(self.adapter))
        properties = SubElement(suite, "properties")
        for name, value in self._properties().items():
            SubElement(properties, "property", name=name, value=_legal(value))
        for result, _file in self.cases.values():
            suite.append(_case(result, self.traits))
        _counted(suite)
        return suite

    def _properties(self) -> dict[str, str]:
        traits = {f"trait.{name}": str(value) for name, value in asdict(self.traits).items()}
        return {"streamproof": ", ".join(self.versions), "adapter": self.adapter, **traits}


def _suites(recordings: Sequence[Recording]) -> Iterable[_Suite]:
    suites: dict[str, _Suite] = {}
    for recording in recordings:
        for name, traits in recording.traits.items():
            suite = suites.setdefault(name, _Suite(name, traits))
            if suite.traits != traits:
                message = f"{recording.file} has other traits for {name} than the files before it"
                raise UserError(Problem(message, hint="give each adapter a name of its own"))
            suite.versions[recording.version] = None
        for recorded in recording.results:
            suites[recorded.result.adapter].add(recorded.result, recording.file)
    return suites.values()


def _counted(element: Element) -> Counter[str]:
    """Set the counts, and the time as far as it is known, as attributes."""
    counts = Counter({name: len(list(element.iter(tag))) for name, tag in _KINDS.items()})
    for name, count in counts.items():
        element.set(name, str(count))
    times = (float(case.get("time", 0)) for case in element.iter("testcase"))
    element.set("time", f"{sum(times):.3f}")
    return counts


def _case(result: Result, traits: Traits) -> Element:
    case = Element("testcase", classname=_classname(result), name=_legal(result.case))
    if result.transcript and result.transcript.end:
        case.set("time", f"{result.transcript.end.at:.3f}")
    if outcome := _OUTCOMES.get(result.status):
        outcome(case, result, traits)
    if result.findings and result.status != "failed":
        SubElement(case, "system-out").text = _legal_lines(_told(result))
    return case


def _classname(result: Result) -> str:
    """The dialect and the scenario's folder, in the form that readers take for a package."""
    scenario, _, dialect = result.case.partition("@")
    folders = scenario.split("/")[:-1]
    return _legal(".".join([*filter(None, [dialect.split("+")[0]]), *folders]) or "streamproof")


def _failed(case: Element, result: Result, traits: Traits) -> None:
    first = next((f for f in result.findings if f.level == "must"), None)
    first = first or next(iter(result.findings), None)
    message = f"{first.rule}: {first.message}" if first else result.why.partition("\n")[0]
    failure = SubElement(case, "failure", type=_legal(first.rule if first else "known-failures"))
    failure.set("message", _legal(gist.clip(message or "failed", _MOST)))
    failure.text = _legal_lines([*_told(result), result.why, *_timeline(result, traits)])


def _known(case: Element, result: Result, _traits: Traits) -> None:
    rules = ", ".join(dict.fromkeys(finding.rule for finding in result.findings))
    SubElement(case, "skipped", type="known-failure", message=_legal(f"known failure of {rules}"))


def _not_applicable(case: Element, result: Result, _traits: Traits) -> None:
    message = _legal(f"not applicable: {result.why}")
    SubElement(case, "skipped", type="not-applicable", message=message)


def _broken(case: Element, result: Result, _traits: Traits) -> None:
    message = _legal(gist.clip(result.why.partition("\n")[0] or "broken", _MOST))
    SubElement(case, "error", type="broken", message=message).text = _legal_lines([result.why])


_OUTCOMES: dict[str, Callable[[Element, Result, Traits], None]] = {
    "failed": _failed,
    "known": _known,
    "not-applicable": _not_applicable,
    "broken": _broken,
}

_MOST = 400
_MOST_FINDINGS = 100


def _told(result: Result) -> list[str]:
    more = len(result.findings) - _MOST_FINDINGS
    told = [gist.of_finding(finding) for finding in result.findings[:_MOST_FINDINGS]]
    return [*told, f"… and {more:,} more findings"] if more > 0 else told


def _timeline(result: Result, traits: Traits) -> list[str]:
    if not (transcript := result.transcript):
        return []
    rows = timeline.of_run(transcript, traits, result.findings)
    shown = drawn(rows, "the upstream sent", f"{result.adapter} emitted")
    return ["", shown, "", *transcript.notes]


def _legal(text: str) -> str:
    return gist.visible(text)


def _legal_lines(lines: Iterable[str]) -> str:
    return "\n".join(_legal(line) for text in lines for line in text.split("\n"))
