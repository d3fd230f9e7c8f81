"""What an adapter that counts tokens is asked, and the rules about its answers.

Each item of ``SEQUENCES`` is an item of the suite: runs whose usage is known, with counts between
them. A rule is added by writing a file in ``rules`` and naming it in ``COUNT_RULES``, and in the
sequence that brings about what it looks at.
"""

from __future__ import annotations

from conformance.contract.finding import Rule
from conformance.rules.counting import (
    count_actual,
    count_answered,
    count_correction,
    count_edited,
    count_fallback,
    count_kept,
    count_limits,
    count_new_only,
)
from conformance.rules.counting.evidence import Evidence

COUNT_RULES: tuple[Rule[Evidence], ...] = tuple(
    module.RULE
    for module in (
        count_answered,
        count_limits,
        count_fallback,
        count_actual,
        count_new_only,
        count_edited,
        count_kept,
        count_correction,
    )
)
