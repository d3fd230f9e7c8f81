"""The rules on the upstream's own tools in `stream` and `fullstream`, in the order of checking.

They compare the parts with the items on the wire. An adapter may ignore these items altogether, as
OpenResponses allows; what it emits of them must be right, and complete.
"""

from conformance.findings.finding import Rule
from conformance.rules.evidence import Evidence
from conformance.rules.hosted.approvals import APPROVAL_ID
from conformance.rules.hosted.calls import HOSTED_EMITTED, HOSTED_EXECUTOR, HOSTED_INPUT
from conformance.rules.hosted.metadata import REASONING_ENCRYPTED, REASONING_END, TEXT_ANNOTATIONS
from conformance.rules.hosted.results import HOSTED_RESULT, IMAGE_PREVIEWS
from conformance.rules.hosted.streaming import ARGUMENTS_INCREMENTAL, RESPONSE_NAMED

__all__ = ["HOSTED_EXECUTOR", "HOSTED_RULES"]

# HOSTED_EXECUTOR comes before all other rules on calls: what a call is depends on who executes it.
HOSTED_RULES: tuple[Rule[Evidence], ...] = (
    HOSTED_EXECUTOR,
    APPROVAL_ID,
    HOSTED_INPUT,
    HOSTED_RESULT,
    IMAGE_PREVIEWS,
    HOSTED_EMITTED,
    ARGUMENTS_INCREMENTAL,
    RESPONSE_NAMED,
    TEXT_ANNOTATIONS,
    REASONING_ENCRYPTED,
    REASONING_END,
)
