"""The rules about the output of an adapter, in the order in which they are checked.

Specific rules come before general ones, because a finding claims the pieces that it explains. A new
rule goes into the file of its subject and into ``RULES``.
"""

from conformance.findings.finding import Rule
from conformance.rules.announcements import BEGIN_ONCE, CALL_RELEASED, UPDATES_CUMULATIVE
from conformance.rules.call_timing import CALL_NOT_EARLY, CALL_PROMPT, PART_ORDER
from conformance.rules.calls import (
    CALL_COMPLETE,
    CALL_NAME,
    CALL_NAMESPACED,
    CALL_NONE_INVENTED,
    CALL_NONE_LOST,
    CALL_ONCE,
)
from conformance.rules.cancellation import CANCEL_RESOLVES, CANCEL_STOPS, CANCEL_UPSTREAM
from conformance.rules.citations import CITATION_ROUTED
from conformance.rules.error_told import ERROR_TOLD
from conformance.rules.evidence import Evidence
from conformance.rules.finish import FINISH_REASON, USAGE_LAST
from conformance.rules.framing import FRAMING_RULES
from conformance.rules.honest_ending import END_HONEST
from conformance.rules.hosted import HOSTED_EXECUTOR, HOSTED_RULES
from conformance.rules.ignored import IGNORED_SILENTLY
from conformance.rules.parts import DATA_EXACT, PART_AFTER_END, PART_KNOWN
from conformance.rules.routing import APPROVAL_ASKED, REFUSAL_ROUTED, THINKING_ROUTED
from conformance.rules.single_ending import END_ONCE
from conformance.rules.text import TEXT_EXACT, TEXT_INCREMENTAL, TEXT_MARKUP, TEXT_UNICODE
from conformance.rules.upstream import REQUEST_VALID, RETRY_CLEAN

RULES: tuple[Rule[Evidence], ...] = (
    REQUEST_VALID,
    PART_KNOWN,
    PART_AFTER_END,
    RETRY_CLEAN,
    HOSTED_EXECUTOR,
    IGNORED_SILENTLY,
    END_ONCE,
    ERROR_TOLD,
    REFUSAL_ROUTED,
    END_HONEST,
    THINKING_ROUTED,
    CITATION_ROUTED,
    TEXT_UNICODE,
    TEXT_EXACT,
    DATA_EXACT,
    APPROVAL_ASKED,
    *HOSTED_RULES[1:],
    CALL_ONCE,
    CALL_NOT_EARLY,
    CALL_NAME,
    CALL_COMPLETE,
    CALL_NONE_INVENTED,
    CALL_NONE_LOST,
    BEGIN_ONCE,
    UPDATES_CUMULATIVE,
    PART_ORDER,
    CANCEL_STOPS,
    CANCEL_RESOLVES,
    CANCEL_UPSTREAM,
    CALL_PROMPT,
    CALL_RELEASED,
    CALL_NAMESPACED,
    TEXT_INCREMENTAL,
    TEXT_MARKUP,
    USAGE_LAST,
    FINISH_REASON,
    *FRAMING_RULES,
)
