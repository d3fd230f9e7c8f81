"""The rules on the framing of the parts of `stream` and `fullstream`, in the order of checking."""

from conformance.findings.finding import Rule
from conformance.rules.evidence import Evidence
from conformance.rules.framing.blocks import BLOCK_FRAMING, INPUT_AGREES
from conformance.rules.framing.results import APPROVAL_ONCE, RESULT_OF_CALL
from conformance.rules.framing.steps import (
    FINISH_LAST,
    METADATA_ONCE,
    STEP_FRAMING,
    STREAM_START_FIRST,
)

FRAMING_RULES: tuple[Rule[Evidence], ...] = (
    STEP_FRAMING,
    STREAM_START_FIRST,
    METADATA_ONCE,
    BLOCK_FRAMING,
    INPUT_AGREES,
    RESULT_OF_CALL,
    APPROVAL_ONCE,
    FINISH_LAST,
)
