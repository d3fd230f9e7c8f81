"""The rules about the requests of an adapter, in the order in which they are checked.

Specific rules come before general ones, because a finding claims the pieces that it explains. A new
rule goes into the file of its subject and into ``TURN_RULES``.
"""

from conformance.findings.finding import Rule
from conformance.rules.requests.calls import (
    turn_no_half_call,
    turn_output_shape,
    turn_pairs,
    turn_tool_name,
)
from conformance.rules.requests.conversation import turn_history, turn_opaque, turn_roles
from conformance.rules.requests.evidence import SentBack
from conformance.rules.requests.hosted import turn_approvals, turn_hosted_outputs, turn_hosted_tools
from conformance.rules.requests.options import (
    limits_passed,
    options_passed,
    turn_asked,
    turn_authorized,
    turn_model,
    turn_request,
    turn_token,
    turn_tools,
)

TURN_RULES: tuple[Rule[SentBack], ...] = (
    turn_asked,
    turn_authorized,
    turn_model,
    turn_token,
    turn_tools,
    turn_hosted_tools,
    turn_roles,
    turn_no_half_call,
    turn_pairs,
    turn_tool_name,
    turn_output_shape,
    turn_hosted_outputs,
    turn_approvals,
    turn_history,
    turn_opaque,
    limits_passed,
    options_passed,
    turn_request,
)
