"""The rules on the framing of the parts of `stream` and `fullstream`, in the order of checking."""

from conformance.findings.finding import Rule
from conformance.rules.evidence import Evidence
from conformance.rules.framing.blocks import block_framing, input_agrees
from conformance.rules.framing.results import approval_once, result_of_call
from conformance.rules.framing.steps import (
    finish_last,
    metadata_once,
    step_framing,
    stream_start_first,
)

FRAMING_RULES: tuple[Rule[Evidence], ...] = (
    step_framing,
    stream_start_first,
    metadata_once,
    block_framing,
    input_agrees,
    result_of_call,
    approval_once,
    finish_last,
)
