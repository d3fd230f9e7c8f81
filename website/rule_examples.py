"""Plays each rule's broken adapter, or judges its broken stream, so that a page can show it."""

import inspect
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from conformance.contract.adapter import Claims, Description
from conformance.dialects.ledger import ledger
from conformance.dialects.recording import read_dump
from conformance.drivers.python import Adapter, PythonDriver
from conformance.findings.finding import Finding
from conformance.report import timeline
from conformance.report.rows import Row, rows_of
from conformance.rules.streams import judge_stream
from conformance.rules.turns import turns_of
from conformance.suite.checkpoints import LONGEST_WAIT
from conformance.suite.session import Session
from conformance.suite.workbench import Workbench, run, skip_reason
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.counting import test_broken_adapters as counting
from tests.counting.broken_adapters import BROKEN
from tests.drivers import test_claims as claiming
from tests.rules import test_broken_adapters as emitting
from tests.rules.broken import BROKEN_ADAPTERS
from tests.rules.broken.shown_by import showing
from tests.stream.tables import broken_streams
from tests.turns import broken_adapters, hosted_adapter, hosted_play
from tests.turns import test_rules as asking
from tests.wireless import Wireless

CATALOGUE = Catalogue.shipped()

# Shown where a table of tests names no scenario for an adapter: short, and about most things.
_FIRST = (
    *("any/text-and-call-interleave", "any/refusal", "any/reasoning", "any/refuses-halfway"),
    *("any/citation-between-sentences", "any/cut-short-by-length", "any/fails-with-half-a-call"),
    *("any/conversation-two-rounds", "any/cancel-in-a-burst"),
    *("any/thinking-with-encrypted-content", "vercel/limit-is-passed"),
    "vercel/provider-options-are-passed",
)


# Of a rule with several broken adapters, the one that says most of it, and where.
_CHOSEN = {
    "end-honest": ("SwallowsFailures", "openresponses/failed-after-text"),
    "text-incremental": ("WaitsForTextEnd", "any/cancel-in-a-stall"),
}

# What those adapters do that have no code of their own: they only declare something else.
_DECLARE_WRONGLY = {
    "HidesRefusals": "Drops refusals, and declares `refusal: text`.",
    "ShowsThinking": "Emits reasoning as answer text, and declares `reasoning: thinking`.",
    "DropsCitations": "Drops citations, and declares `annotations: link`.",
    "ForgetsThePrefix": "Emits the upstream's own call ids, and declares `call_id_prefix: gw-`.",
    "EmitsBeforeItem": "Emits calls with their arguments, and declares `emit_call_at: item`.",
    "NoBlanks": "Emits no blank before a call, and declares `blank_before_call: true`.",
    "SendsNoKey": "Sends no header Authorization.",
    "KeepsItsPrefix": "Sends results back under the ids that it emitted, its prefix included.",
}


@dataclass(frozen=True, slots=True)
class Example:
    """Something that breaks a rule: its name, what it does, and the timeline that shows it.

    ``about`` is what it does in words, as far as its name does not say it, and ``code`` its source.
    ``case`` is empty for a stream of the tests.
    """

    name: str
    code: str
    rows: list[Row]
    case: Case | None = None
    vocabulary: str = ""
    dialect: str = ""

    @property
    def about(self) -> str:
        if self.name in _DECLARE_WRONGLY:
            return _DECLARE_WRONGLY[self.name]
        words = re.search(r'"""(.+?)"""', self.code, re.DOTALL)
        return " ".join(words[1].split()) if words else ""


@dataclass(frozen=True, slots=True)
class _Driven:
    """A broken adapter with what its ``adapter.yaml`` would say, and the scenarios to try first."""

    name: str
    make: Callable[[], Adapter]
    described: Description
    code: str
    first: tuple[str, ...] = ()
    hosted: bool = False

    def cases(self, *, more: bool) -> Iterator[Case]:
        """A few cases, those that show it best first; with ``more`` the other ones.

        Hosts offer hosted tools only to an adapter that is about these.
        """
        (dialect,) = self.described.dialects
        by_id = {case.scenario.id: case for cases in emitting.few_first(dialect) for case in cases}
        few = dict.fromkeys(filter(None, [*self.first, *_FIRST]))
        for id_ in [id_ for id_ in by_id if id_ not in few] if more else few:
            case = by_id.get(id_)
            if case and (self.hosted or not skip_reason(self.described, case)):
                yield case


def show_adapter(rule: str) -> Example:
    """A run in which a broken adapter breaks a rule. Raises LookupError if there is none."""
    chosen, scenario = _CHOSEN.get(rule, ("", ""))
    breaking = [
        replace(each, first=(scenario, *each.first))
        for each in _breaking(rule)
        if chosen in ("", each.name)
    ]
    with Wireless(CATALOGUE) as upstream:
        played = (
            example
            for more in (False, True)
            for each in breaking
            for example in _played(upstream, each, rule, more=more)
        )
        example = next(played, None)
    if example is None:
        raise LookupError(f"no broken adapter of the tests breaks {rule}")
    return example


def show_stream(rule: str, dialect: str) -> Example:
    """A stream that breaks a rule. Raises LookupError if there is none."""
    for stream in broken_streams():
        if (stream.rule, stream.dialect) == (rule, dialect):
            dump = read_dump(stream.data, stream.name)
            findings = judge_stream(dump.events, dump.framing, dialect)
            rows = rows_of(dump.events, dialect, ledger(dialect, dump.events))
            for finding in findings:
                rows[-1 if finding.event is None else finding.event].findings.append(finding)
            # No adapter has read it.
            rows = [replace(row, silent="") for row in rows]
            return Example(stream.name, "", rows, dialect=dialect)
    raise LookupError(f"no broken stream of the tables breaks {rule} in {dialect}")


def _breaking(rule: str) -> Iterator[_Driven]:
    """The broken adapters of a rule that need no socket."""
    for broken in BROKEN_ADAPTERS:
        if broken.rule == rule and not broken.connects:
            described = emitting.described(
                broken.name, broken.traits, broken.claims, broken.vocabulary, broken.dialect
            )
            first = (broken.only, *sorted(showing(broken.name)))
            yield _Driven(broken.name, broken.make, described, _class(broken.name), first)
    yield from _asking_wrongly(rule)
    yield from _asking_of_hosted_tools(rule)


def _asking_wrongly(rule: str) -> Iterator[_Driven]:
    """Adapters whose requests are wrong."""
    claims = Claims(turns=True)
    for dialect, broken in asking.BROKEN_IN_DIALECTS:
        if broken.rule == rule:
            described = emitting.described(
                broken.name, broken_adapters.DECLARED, claims, dialect=dialect
            )
            adapter = broken_adapters.adapter(dialect, broken)
            make = partial(broken_adapters.GivesUp, adapter, broken)
            changes: tuple[Callable[..., object], ...]
            changes = (broken.sends, broken.change_run, broken.gives_up)
            code = "\n\n".join(filter(None, map(_function, changes)))
            yield _Driven(broken.name, make, described, code, (broken.only,))


def _asking_of_hosted_tools(rule: str) -> Iterator[_Driven]:
    """Adapters whose requests about hosted tools, or requests for approval, are wrong."""
    described = hosted_play.described(Claims(turns=True, approvals=True))
    first = tuple(each.id for each in hosted_play.scenarios())
    for spoilt in hosted_adapter.SPOILT:
        if spoilt.rule == rule:
            make = partial(hosted_adapter.adapter, spoilt.spoil)
            yield _Driven(spoilt.name, make, described, _function(spoilt.spoil), first, True)
    if rule == "approval-asked":
        machine = hosted_adapter.AsksNobody
        make = partial(hosted_adapter.adapter, machine=machine)
        code = inspect.getsource(machine)
        yield _Driven(machine.__name__, make, described, code, first, True)


def _played(upstream: Wireless, driven: _Driven, rule: str, *, more: bool) -> Iterator[Example]:
    """The runs of an adapter with a finding of the rule, the scenarios that show it best first."""
    driver = PythonDriver(driven.make())
    session = Session(driven.described, driver, upstream, patience=LONGEST_WAIT)
    described = driven.described
    try:
        for case in driven.cases(more=more):
            result = run(session, case)
            if result.transcript and rule in {finding.rule for finding in result.findings}:
                rows = timeline.of_run(
                    turns_of(result.transcript, described.traits, case), result.findings
                )
                yield Example(driven.name, driven.code, rows, case, described.vocabulary)
    finally:
        driver.close()


@cache
def _classes() -> dict[str, type]:
    modules = [m for name, m in sys.modules.items() if name.startswith("tests.rules.broken.")]
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    }


def _class(name: str) -> str:
    """The source code of a broken adapter's class; empty if it has none of its own."""
    return inspect.getsource(_classes()[name]) if name in _classes() else ""


def _function(change: Callable[..., object]) -> str:
    """The source code of a function; empty if it is a lambda."""
    return "" if change.__name__ == "<lambda>" else inspect.getsource(change)


def find_in_counts(rule: str) -> tuple[str, list[Finding]]:
    """The source code of an adapter whose counts break a rule, and its findings."""
    make = next(make for make, broken, _ in BROKEN if broken == rule)
    results = counting.results(_counting_workbench(), make)
    return inspect.getsource(make), [f for result in results.values() for f in result.findings]


def find_in_claims() -> Sequence[Finding]:
    """The findings about an adapter that does not keep the first of its claims."""
    _, mode, id_, *_ = claiming.BROKEN[0]
    with tempfile.TemporaryDirectory(prefix="streamproof-site-") as folder:
        argv = [*claiming.CLAIMING, mode]
        described = claiming.described(Path(folder), "stdio", argv, claiming.ALL)
        return claiming.asked(described, id_).findings


@cache
def _counting_workbench() -> Workbench:
    """The workbench whose deadline suits the adapters, open until the process ends."""
    return Workbench(Catalogue.shipped(), counting.DEADLINE_MS)
