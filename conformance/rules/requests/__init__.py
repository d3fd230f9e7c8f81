"""The rules about what an adapter sends back upstream, in the order in which they are asked.

Specific rules stand before general ones: a finding claims what it explains, so that one defect is
one finding. A rule is added by writing a file in ``rules`` and naming it in ``TURN_RULES``.
"""

from conformance.contract.finding import Rule
from conformance.rules.requests import (
    limits_passed,
    options_passed,
    turn_asked,
    turn_history,
    turn_no_half_call,
    turn_opaque,
    turn_output_shape,
    turn_pairs,
    turn_request,
    turn_roles,
    turn_token,
    turn_tool_name,
    turn_tools,
)
from conformance.rules.requests.evidence import SentBack

TURN_RULES: tuple[Rule[SentBack], ...] = tuple(
    module.RULE
    for module in (
        turn_asked,
        turn_token,
        turn_tools,
        turn_roles,
        turn_no_half_call,
        turn_pairs,
        turn_tool_name,
        turn_output_shape,
        turn_history,
        turn_opaque,
        limits_passed,
        options_passed,
        turn_request,
    )
)

BY_ID: dict[str, Rule[SentBack]] = {rule.id: rule for rule in TURN_RULES}
