"""The alternative expectations of a case, for an adapter with certain traits."""

from collections.abc import Sequence

from conformance.contract.traits import Traits
from conformance.dialects.ledger import ledger, text_due
from conformance.expectation.broken_answers import as_delivered
from conformance.expectation.content import ExpectedContent, as_rendered, link_spellings
from conformance.expectation.projection import Expected, project
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.cases.variations import variation
from mockserver.dialects import CALL_ENDS, DIALECTS
from mockserver.scenario.host import tool_name


def expectations(
    case: Case, contents: Sequence[ExpectedContent], traits: Traits
) -> list[tuple[ExpectedContent, Expected]]:
    """The alternative expectations of a case for an adapter with these traits.

    Each comes with the content that it is derived from, as rendered by the dialect.
    """
    calls_late = any(
        variation(name).in_dialect(case.dialect).calls_at_end for name in case.variations
    )
    dialect = DIALECTS[case.dialect]
    breaks = case.scenario.conduct == "violation"
    return [
        (content, expected)
        for rendered in (as_rendered(content, dialect.capabilities) for content in contents)
        for delivered in as_delivered(case, rendered, traits)
        for content in link_spellings(delivered, traits)
        for expected in project(
            content,
            traits,
            says_complete=not calls_late,
            dialect_says_complete=CALL_ENDS in dialect.capabilities,
            calls_may_be_lost=breaks and not _is_only_right_completion(content, contents),
            offered=frozenset(map(tool_name, case.scenario.host.tools)),
            announced=_announced(case, content, traits) if traits.blank_before_call else (),
        )
    ]


def _is_only_right_completion(
    content: ExpectedContent, contents: Sequence[ExpectedContent]
) -> bool:
    """Whether every right adapter completes with the calls of a content.

    Then the upstream did send them properly, whatever else it broke.
    """
    versions = [each for each in contents if each.attempt == content.attempt]
    return len(versions) == 1 and content.outcome == "completed"


def _announced(case: Case, content: ExpectedContent, traits: Traits) -> tuple[int, ...]:
    """The code points of text before and after the event that announces the first call.

    They are taken from the rendered stream, since scripts do not say when a call is announced.
    """
    entries = ledger(case.dialect, render(case, content.turn, content.attempt).plan.sent, traits)
    due = text_due(entries, traits)
    first = next((n for n, entry in enumerate(entries) if entry.announces), None)
    return () if first is None else tuple(due[max(first - 1, 0) : first + 1])
