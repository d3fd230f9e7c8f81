"""The rules about the token counts of an adapter.

The suite checks them with sequences (``SEQUENCES``): runs with known usage, and counts between
them. A new rule goes into the file of its subject, into ``COUNT_RULES``, and into the sequence that
checks it.
"""

from conformance.findings.finding import Rule
from conformance.rules.counting.counts import (
    count_answered,
    count_edited,
    count_files,
    count_new_only,
    count_tool_results,
    count_tools,
)
from conformance.rules.counting.evidence import Evidence
from conformance.rules.counting.learning import (
    count_actual,
    count_correction,
    count_fallback,
    count_kept,
    count_ratio,
)
from conformance.rules.counting.limits import count_default_limit, count_limits

COUNT_RULES: tuple[Rule[Evidence], ...] = (
    count_answered,
    count_limits,
    count_default_limit,
    count_fallback,
    count_actual,
    count_new_only,
    count_edited,
    count_tools,
    count_tool_results,
    count_files,
    count_kept,
    count_correction,
    count_ratio,
)
