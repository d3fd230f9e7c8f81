"""Each broken adapter has findings of the rule that it breaks, and of no other rule."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.dialects.chat.reference import to_copilot as copilot_copilot
from conformance.dialects.chat.reference import to_vscode as copilot_vscode
from conformance.dialects.openresponses.reference import vscode as reference
from conformance.dialects.vercel.reference.vscode import (
    FullStreamAdapter,
    GatewayAdapter,
    UiAdapter,
)
from conformance.drivers.python import Adapter, Emit, PythonDriver
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.rules import RULES
from conformance.suite.checkpoints import LONGEST_WAIT
from conformance.suite.session import Session
from conformance.suite.workbench import Workbench, run, skip_reason
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.representative import REACHES, situation, split
from tests.rules.broken import BROKEN_ADAPTERS, own_ids
from tests.rules.broken.broken_adapter import DECLARED, BrokenAdapter, Data, Wrapped
from tests.rules.broken.framing import Framed, Stepped
from tests.rules.broken.shown_by import SHOWN_BY, showing
from tests.wireless import Wireless

PATIENCE = 0.2


def described(
    name: str,
    traits: Traits,
    claims: Claims,
    vocabulary: str = "vscode",
    dialect: str = "openresponses",
) -> Description:
    """A description that is made here, without an ``adapter.yaml``."""
    return Description(name, {}, (dialect,), vocabulary, Path(name), traits, claims)


@lru_cache
def cases_of(dialect: str) -> tuple[Case, ...]:
    known = (entry.scenario for entry in Catalogue.shipped().entries() if entry.scenario)
    return tuple(Case(s, dialect) for s in known if dialect in s.dialects)


@lru_cache
def few_first(dialect: str) -> tuple[list[Case], list[Case]]:
    """The cases of a dialect, split into a few representative ones and the others."""
    return split(cases_of(dialect), situation)


def findings(
    workbench: Workbench,
    adapted: Description,
    adapter: Adapter,
    *,
    connects: bool = False,
    every: int = 1,
    reach: str = "all",
    until: frozenset[str] = frozenset(),
    first: frozenset[str] = frozenset(),
    share: slice = slice(None),
) -> dict[str, list[Finding]]:
    """The findings of all cases of the adapter's dialect, by case id; without clean cases.

    An adapter that ``connects`` needs a real socket. With ``every`` = N each Nth case is played.
    With the reach ``few`` a ``share`` of a few representative cases is played, and then others
    until each rule of ``until`` has a finding; those of the scenarios ``first`` come before them.
    """
    (dialect,) = adapted.dialects
    driver = PythonDriver(adapter)
    wired = workbench.drive(adapted, driver).upstream
    upstream = wired if connects else Wireless(workbench.catalogue)
    session = Session(adapted, driver, upstream, patience=PATIENCE if connects else LONGEST_WAIT)

    def played(cases: Iterable[Case]) -> Iterator[tuple[str, list[Finding]]]:
        for case in cases:
            yield str(case), list(run(session, case).findings)

    def asked(cases: Iterable[Case]) -> list[Case]:
        return [case for case in cases if not skip_reason(adapted, case)]

    few, others = map(asked, few_first(dialect))
    others = [*few, *others]
    others.sort(key=lambda case: case.scenario.id not in first)
    found: dict[str, list[Finding]] = {}
    try:
        with nullcontext() if connects else upstream:
            if reach == "all":
                found |= played(asked(cases_of(dialect))[::every])
            else:
                found |= played(few[share])
                for case in others:
                    if until <= _rules(found):
                        break
                    if str(case) not in found:
                        found |= played([case])
    finally:
        driver.close()
    return {case: each for case, each in found.items() if each}


def _rules(found: dict[str, list[Finding]]) -> set[str]:
    return {finding.rule for each in found.values() for finding in each}


# The few cases are shared out among so many adapters that come one after the other: with all of
# the adapters of a dialect, each is played often, and the correct adapters play every one.
SHARES = 4


def findings_of(
    workbench: Workbench, broken: BrokenAdapter, reach: str, every: int = 1
) -> dict[str, list[Finding]]:
    """The findings about a broken adapter, by case id; without clean cases.

    With the reach ``few`` it is played until each rule that it breaks has a finding.
    """
    return findings(
        workbench,
        described(broken.name, broken.traits, broken.claims, broken.vocabulary, broken.dialect),
        broken.make(),
        connects=broken.connects,
        every=every,
        reach=reach,
        until=frozenset({broken.rule, *broken.also}),
        first=frozenset({broken.only}) | showing(broken.name),
        share=slice(BROKEN_ADAPTERS.index(broken) % SHARES, None, SHARES),
    )


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(
    "broken", BROKEN_ADAPTERS, ids=lambda broken: f"{broken.rule}-{broken.name}"
)
def test_a_broken_adapter_breaks_its_rule_and_no_other(
    workbench: Workbench, broken: BrokenAdapter, reach: str
) -> None:
    found = findings_of(workbench, broken, reach)
    rules = {broken.rule, *broken.also}
    messages = {case: [f"{f.rule}: {message_of(f)}" for f in each] for case, each in found.items()}
    assert _rules(found) == rules, messages
    if broken.only:
        assert list(found) == [f"{broken.only}@{broken.dialect}"], messages


def test_every_rule_has_an_adapter_that_breaks_it() -> None:
    # That of approvals is broken in test_approvals, by an adapter that offers hosted tools.
    broken = {broken.rule for broken in BROKEN_ADAPTERS} | {"approval-asked"}
    assert {rule.id for rule in RULES} == broken


def test_the_scenarios_that_show_bugs_and_the_adapters_with_them_exist() -> None:
    assert set(SHOWN_BY) <= set(Catalogue.shipped().ids())
    named = {name for names in SHOWN_BY.values() for name in names}
    assert named <= {broken.name for broken in BROKEN_ADAPTERS}


# The bugs of real adapters that are most frequent or do most damage, and the adapter that has each.
WORST = {
    "a call emitted at each point that completes it": "EmitsAtEachPoint",
    "the item's id taken for the call's": "UsesItemIds",
    "items known by ids that rotate": "KnowsItemsById",
    "a call without arguments lost": "NeedsArguments",
    "a cut-off call executed": "RunsIncompleteCalls",
    "broken arguments executed as {}": "EmptyForBrokenArguments",
    "a call in the final response alone lost": "ForgetsTheFinalResponse",
    "an error event ignored": "IgnoresErrorEvents",
    "an error read from the wrong field": "ReadsErrorsFromAnotherField",
    "a failed response shown as finished": "SwallowsFailures",
    "an incomplete response shown as finished": "IncompleteIsStop",
    "a cut stream shown as finished": "TakesACutForCompletion",
    "comments shown as text": "ShowsComments",
    "characters broken between reads": "BreaksCharacters",
    "blanks for ignored events": "BlankForIgnored",
    "text from its deltas and from its end": "RepeatsWholeText",
    "reasoning read from the wrong field": "ReadsReasoningFromAnotherField",
    "an incomplete call flushed when the run is cancelled": "FlushesCalls",
    "parts after a cancellation": "CancelsTooLate",
    "a connection that stays open after a cancellation": "KeepsListening",
    "calls that share an index merged": "KnowsCallsByIndexAlone",
    "fragments given to the last call": "IgnoresTheIndex",
    "calls lost because the finish says stop": "NeedsTheRightFinish",
    "content beside calls lost": "DropsContentBesideCalls",
    "repeated arguments executed as {}": "EmptyForBrokenArguments",
    "a blank for each part of a full stream": "BlankForUnhandled",
    "an error part that is not handled": "IgnoresErrors",
    "an error without an errorText swallowed": "NeedsErrorText",
    "an error's reason read from errorText and lost": "ReadsErrorText",
    "reasoning read from the field of provider parts": "ReadsReasoningFromDelta",
    "a call made when its input ends and when it is complete": "MakesStreamedAndCompleteCalls",
    "a call that is only streamed lost": "IgnoresStreamedInputs",
    "a call without an input lost": "NeedsAnInput",
    "an empty field of the old name preferred": "PrefersTextDelta",
    "held calls lost because the finish says stop": "NeedsAToolCallsFinish",
    "an invalid call executed with {}": "EmptyForInvalidCalls",
    "a provider-executed call handed to the host": "MakesProvidersCalls",
    "text blocks of two steps with one id merged": "KnowsTextsByIdAlone",
}


def test_the_worst_bugs_of_real_adapters_have_a_broken_adapter() -> None:
    names = {broken.name for broken in BROKEN_ADAPTERS}
    assert {bug: name for bug, name in WORST.items() if name not in names} == {}


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(("vocabulary", "make"), [("stream", Framed), ("fullstream", Stepped)])
def test_the_reference_adapter_with_its_parts_framed_breaks_no_rule(
    workbench: Workbench, vocabulary: str, make: type[Framed], reach: str
) -> None:
    adapted = described("framed", DECLARED, Claims(), vocabulary)
    assert findings(workbench, adapted, make(), reach=reach) == {}


@pytest.mark.parametrize("reach", REACHES)
def test_an_adapter_that_declares_ids_of_its_own_breaks_no_rule(
    workbench: Workbench, reach: str
) -> None:
    adapted = described("own-ids", own_ids.OWN, Claims(cancel=True, turns=True))
    assert findings(workbench, adapted, own_ids.MakesIds(), reach=reach) == {}


def test_ids_of_the_adapters_own_do_not_go_upstream(workbench: Workbench) -> None:
    adapted = described("own-ids", own_ids.OWN, Claims(cancel=True, turns=True))
    found = findings(workbench, adapted, own_ids.SendsItsOwnIds(), reach="few")
    assert "turn-pairs" in _rules(found), found


class _RetriesBeforeTheFirstPart(Wrapped):
    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        parts: list[Data] = []

        def through(part: Data) -> None:
            parts.append(part)
            emit(part)

        done = await super().run(run, through, cancel)
        for _ in range(run["options"]["max_retries"]):
            if done["outcome"] != "failed" or parts:
                break
            done = await super().run(run, through, cancel)
        return done


@pytest.mark.parametrize("reach", REACHES)
def test_a_retry_before_the_first_part_breaks_no_rule(workbench: Workbench, reach: str) -> None:
    adapted = described("retries", DECLARED, Claims())
    assert findings(workbench, adapted, _RetriesBeforeTheFirstPart(), reach=reach) == {}


TRAITS = [
    Traits(),
    Traits(call_id_prefix="gw-"),
    Traits(reasoning="text"),
    Traits(reasoning="prefixed"),
    Traits(reasoning="hidden"),
    Traits(refusal="error"),
    Traits(refusal="hidden"),
    Traits(annotations="data"),
    Traits(annotations="hidden"),
    Traits(errors="text"),
    Traits(emit_call_at="item"),
    Traits(emit_call_at="end"),
    Traits("gw-", reasoning="text", refusal="error", errors="text", emit_call_at="end"),
]


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("traits", TRAITS, ids=str)
def test_the_reference_adapter_breaks_no_rule(
    workbench: Workbench, traits: Traits, reach: str
) -> None:
    declared = {name: getattr(traits, name) for name in Traits.__dataclass_fields__}
    adapter = reference.Adapter(declared)
    right = described("reference", traits, Claims(cancel=True))
    assert findings(workbench, right, adapter, reach=reach) == {}


CHAT_TRAITS = [
    Traits(),
    Traits(call_id_prefix="gw-"),
    Traits(reasoning="text"),
    Traits(reasoning="hidden", refusal="error"),
    Traits(refusal="hidden", errors="text"),
    Traits(emit_call_at="end"),
    Traits(choices="merge"),
]
IN_COPILOT = [*CHAT_TRAITS, Traits(errors="part"), Traits(errors="part", blank_before_call=True)]


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(
    ("vocabulary", "make", "traits"),
    [
        *(
            ("vscode", copilot_vscode.Adapter, traits)
            for traits in (*CHAT_TRAITS, Traits(reasoning="prefixed"))
        ),
        *(("copilot", copilot_copilot.Adapter, traits) for traits in IN_COPILOT),
    ],
    ids=lambda value: "" if callable(value) else str(value),
)
def test_the_reference_adapters_of_chat_completions_break_no_rule(
    workbench: Workbench,
    vocabulary: str,
    make: Callable[[Data], Adapter],
    traits: Traits,
    reach: str,
) -> None:
    right = described("reference", traits, Claims(cancel=True), vocabulary, "chat")
    assert findings(workbench, right, make(asdict(traits)), reach=reach) == {}


FULL_STREAM_TRAITS = [
    Traits(),
    Traits(call_id_prefix="gw-"),
    Traits(reasoning="text"),
    Traits(reasoning="prefixed"),
    Traits(reasoning="hidden", annotations="hidden"),
    Traits(annotations="data"),
    Traits(errors="text"),
]


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("make", [FullStreamAdapter, GatewayAdapter, UiAdapter])
@pytest.mark.parametrize("traits", FULL_STREAM_TRAITS, ids=str)
def test_the_reference_adapters_of_the_ai_sdk_break_no_rule(
    workbench: Workbench, traits: Traits, make: Any, reach: str
) -> None:
    claims = Claims(cancel=True)
    upstream, *_ = make.args
    right = described("reference", traits, claims, dialect=upstream.dialect)
    assert findings(workbench, right, make(asdict(traits)), reach=reach) == {}
