"""What is right once the host has cancelled.

A cancelled run owes its host nothing more. What came out must be right as far as it goes: its text
and its thinking are the beginnings of the model's, its calls are some of the model's calls, each
whole. How it says that it has ended is a matter of ``should``. And it lets go of the upstream.

A run is cancelled from the moment at which the adapter itself knew: when it has emitted the part
after which it was to stop, or when it was told. One that was over before is a run like any other.

Source: lm-stream-semantics § 1.1, § 5.2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.expectation.projection import Expected

RELEASE_SECONDS = 1.0
"""How soon after its cancellation a run has let go of its upstream."""

RESOLVED = ("cancelled", "completed")
"""The outcomes that a cancelled run should have."""


def as_cancelled(expected: Expected) -> Expected:
    """The account of a run that was cancelled somewhere on its way."""
    return replace(
        expected,
        text=replace(expected.text, cut=True),
        thinking=replace(expected.thinking, cut=True),
        upstream="cancelled",
        outcomes=(*RESOLVED, "failed", "error"),
        wrong_finish=(),
        cancelled=True,
    )
