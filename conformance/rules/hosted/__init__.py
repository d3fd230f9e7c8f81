"""The rules on the upstream's own tools in `stream` and `fullstream`, in the order of checking.

They compare the parts with the items on the wire. An adapter may ignore these items altogether, as
OpenResponses allows; what it emits of them must be right, and complete.
"""

from conformance.findings.finding import Rule
from conformance.rules.evidence import Evidence
from conformance.rules.hosted.calls import (
    arguments_incremental,
    hosted_emitted,
    hosted_executor,
    hosted_input,
)
from conformance.rules.hosted.metadata import (
    reasoning_encrypted,
    reasoning_end,
    response_named,
    text_annotations,
)
from conformance.rules.hosted.results import approval_id, hosted_result, image_previews

__all__ = ["HOSTED_RULES", "hosted_executor"]

# hosted_executor comes before all other rules on calls: what a call is depends on who executes it.
HOSTED_RULES: tuple[Rule[Evidence], ...] = (
    hosted_executor,
    approval_id,
    hosted_input,
    hosted_result,
    image_previews,
    hosted_emitted,
    arguments_incremental,
    response_named,
    text_annotations,
    reasoning_encrypted,
    reasoning_end,
)
