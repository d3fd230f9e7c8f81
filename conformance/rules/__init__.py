"""The rules about the output of an adapter, in the order in which they are checked.

Specific rules come before general ones, because a finding claims the pieces that it explains. A new
rule goes into the file of its subject and into ``RULES``.
"""

from conformance.findings.finding import Rule
from conformance.rules.announcements import begin_once, call_released, updates_cumulative
from conformance.rules.call_timing import call_not_early, call_prompt, part_order
from conformance.rules.calls import (
    call_complete,
    call_name,
    call_namespaced,
    call_none_lost,
    call_once,
)
from conformance.rules.cancellation import cancel_resolves, cancel_stops, cancel_upstream
from conformance.rules.citations import citation_routed
from conformance.rules.declared_traits import traits_kept
from conformance.rules.error_told import error_told
from conformance.rules.evidence import Evidence
from conformance.rules.finish import finish_reason, usage_last
from conformance.rules.framing import FRAMING_RULES
from conformance.rules.honest_ending import end_honest
from conformance.rules.hosted import HOSTED_RULES, hosted_executor
from conformance.rules.ignored import ignored_silently
from conformance.rules.invented_calls import call_none_invented
from conformance.rules.notices import notices_kept
from conformance.rules.parts import data_exact, part_after_end, part_known
from conformance.rules.routing import approval_asked, refusal_routed, thinking_routed
from conformance.rules.single_ending import end_once
from conformance.rules.text import text_exact, text_incremental, text_markup, text_unicode
from conformance.rules.upstream import request_valid, retry_clean

RULES: tuple[Rule[Evidence], ...] = (
    request_valid,
    part_known,
    part_after_end,
    retry_clean,
    hosted_executor,
    ignored_silently,
    end_once,
    error_told,
    refusal_routed,
    end_honest,
    thinking_routed,
    citation_routed,
    text_unicode,
    text_exact,
    data_exact,
    notices_kept,
    approval_asked,
    *HOSTED_RULES[1:],
    call_once,
    call_not_early,
    call_name,
    call_complete,
    call_none_invented,
    call_none_lost,
    begin_once,
    updates_cumulative,
    part_order,
    cancel_stops,
    cancel_resolves,
    cancel_upstream,
    call_prompt,
    call_released,
    call_namespaced,
    text_incremental,
    text_markup,
    usage_last,
    finish_reason,
    *FRAMING_RULES,
    traits_kept,
)
