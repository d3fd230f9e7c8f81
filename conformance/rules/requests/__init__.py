"""The rules about the requests of an adapter, in the order in which they are checked.

Specific rules come before general ones, because a finding claims the pieces that it explains. A new
rule goes into the file of its subject and into ``TURN_RULES``.
"""

from conformance.findings.finding import Rule
from conformance.rules.requests.calls import (
    TURN_NO_HALF_CALL,
    TURN_OUTPUT_SHAPE,
    TURN_PAIRS,
    TURN_TOOL_NAME,
)
from conformance.rules.requests.conversation import TURN_HISTORY, TURN_OPAQUE, TURN_ROLES
from conformance.rules.requests.evidence import SentBack
from conformance.rules.requests.hosted import TURN_APPROVALS, TURN_HOSTED_OUTPUTS, TURN_HOSTED_TOOLS
from conformance.rules.requests.options import (
    LIMITS_PASSED,
    OPTIONS_PASSED,
    TURN_ASKED,
    TURN_REQUEST,
    TURN_TOKEN,
    TURN_TOOLS,
)

TURN_RULES: tuple[Rule[SentBack], ...] = (
    TURN_ASKED,
    TURN_TOKEN,
    TURN_TOOLS,
    TURN_HOSTED_TOOLS,
    TURN_ROLES,
    TURN_NO_HALF_CALL,
    TURN_PAIRS,
    TURN_TOOL_NAME,
    TURN_OUTPUT_SHAPE,
    TURN_HOSTED_OUTPUTS,
    TURN_APPROVALS,
    TURN_HISTORY,
    TURN_OPAQUE,
    LIMITS_PASSED,
    OPTIONS_PASSED,
    TURN_REQUEST,
)
