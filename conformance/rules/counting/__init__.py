"""The rules about the token counts of an adapter.

The suite checks them with sequences (``SEQUENCES``): runs with known usage, and counts between
them. A new rule goes into the file of its subject, into ``COUNT_RULES``, and into the sequence that
checks it.
"""

from conformance.findings.finding import Rule
from conformance.rules.counting.counts import (
    COUNT_ANSWERED,
    COUNT_DEFAULT_LIMIT,
    COUNT_EDITED,
    COUNT_LIMITS,
    COUNT_NEW_ONLY,
)
from conformance.rules.counting.evidence import Evidence
from conformance.rules.counting.learning import (
    COUNT_ACTUAL,
    COUNT_CORRECTION,
    COUNT_FALLBACK,
    COUNT_KEPT,
    COUNT_RATIO,
)
from conformance.rules.counting.tools import COUNT_TOOL_RESULTS, COUNT_TOOLS

COUNT_RULES: tuple[Rule[Evidence], ...] = (
    COUNT_ANSWERED,
    COUNT_LIMITS,
    COUNT_DEFAULT_LIMIT,
    COUNT_FALLBACK,
    COUNT_ACTUAL,
    COUNT_NEW_ONLY,
    COUNT_EDITED,
    COUNT_TOOLS,
    COUNT_TOOL_RESULTS,
    COUNT_KEPT,
    COUNT_CORRECTION,
    COUNT_RATIO,
)
