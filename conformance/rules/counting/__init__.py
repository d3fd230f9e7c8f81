"""The rules about what an adapter counts.

Each item of ``SEQUENCES`` is an item of the suite: runs whose usage is known, with counts between
them. A rule is added to the file of its subject, to ``COUNT_RULES``, and to the sequence that shows
what it is about.
"""

from conformance.contract.finding import Rule
from conformance.rules.counting.counts import (
    COUNT_ANSWERED,
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
)

COUNT_RULES: tuple[Rule[Evidence], ...] = (
    COUNT_ANSWERED,
    COUNT_LIMITS,
    COUNT_FALLBACK,
    COUNT_ACTUAL,
    COUNT_NEW_ONLY,
    COUNT_EDITED,
    COUNT_KEPT,
    COUNT_CORRECTION,
)
