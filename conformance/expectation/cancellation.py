"""The expected output of a run that the host cancels.

A cancelled run need not emit anything more. What it has emitted must be right so far: text and
thinking are prefixes of the model's, and calls are complete calls of the model, though not all of
them. Its outcome is a ``should``. It must release its upstream connection.

A run counts as cancelled from the moment at which the adapter knows: after it has emitted the part
at which it was to stop, or when it receives the message. A run that has ended before is not
cancelled.

Source: lm-stream-semantics § 1.1, § 5.2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.expectation.projection import Expected

RESOLVED = ("cancelled", "completed")
"""The outcomes that a cancelled run should have."""


def as_cancelled(expected: Expected) -> Expected:
    """The expectation for the same run if it is cancelled."""
    return replace(
        expected,
        text=replace(expected.text, cut=True),
        thinking=replace(expected.thinking, cut=True),
        upstream="cancelled",
        outcomes=(*RESOLVED, "failed", "error"),
        wrong_finish=(),
        cancelled=True,
    )
