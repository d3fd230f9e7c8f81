"""The rules about what an adapter emits, in the order in which they are asked.

Specific rules stand before general ones: a finding claims the pieces that it explains, so that one
defect is one finding. A rule is added by writing a file here and naming it in ``RULES``.
"""

from conformance.contract.finding import Rule
from conformance.rules import (
    begin_once,
    call_complete,
    call_name,
    call_namespaced,
    call_none_invented,
    call_none_lost,
    call_not_early,
    call_once,
    call_prompt,
    call_released,
    cancel_resolves,
    cancel_stops,
    cancel_upstream,
    citation_routed,
    data_exact,
    end_honest,
    end_once,
    error_told,
    ignored_silently,
    part_after_end,
    part_known,
    part_order,
    refusal_routed,
    request_valid,
    retry_clean,
    text_exact,
    text_incremental,
    text_markup,
    text_unicode,
    thinking_routed,
    updates_cumulative,
    usage_last,
)
from conformance.rules.evidence import Evidence

RULES: tuple[Rule[Evidence], ...] = tuple(
    module.RULE
    for module in (
        request_valid,
        part_known,
        part_after_end,
        retry_clean,
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
    )
)

BY_ID: dict[str, Rule[Evidence]] = {rule.id: rule for rule in RULES}
