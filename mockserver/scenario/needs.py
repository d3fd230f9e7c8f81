"""The features that a scenario may need and that not every dialect has.

A dialect declares the features it does not have in ``unsupported``. A scenario for all dialects is
not played in a dialect that lacks a feature of its script.
"""

from collections.abc import Iterator, Mapping

from mockserver.scenario.model import Host, Turn
from mockserver.scenario.script import (
    Cite,
    Delta,
    End,
    Hosted,
    Incomplete,
    Queued,
    Says,
    SayStep,
    Start,
)

CITATIONS = "citations"
QUEUED = "queued"
OTHER_REASONS = "other-reasons"
REFUSALS = "refusals"
REASONING = "reasoning"
OPEN_BLOCKS = "open-blocks"
HOSTED_TOOLS = "hosted-tools"
PHASES = "phases"
ENCRYPTED = "encrypted"

NEEDS: Mapping[str, str] = {
    CITATIONS: "sources that an answer cites",
    QUEUED: "a response that waits before the model begins",
    OTHER_REASONS: "an incomplete response with a reason of its own",
    REFUSALS: "a refusal that is not text",
    REASONING: "reasoning beside the answer",
    OPEN_BLOCKS: "two blocks that are open at the same time",
    HOSTED_TOOLS: "tools besides functions that a host offers, approves or has upstream",
    PHASES: "texts that say whether they are the answer or a commentary",
    ENCRYPTED: "reasoning in encrypted form",
}
"""Every feature by its name, with a description."""

_ASKS_NOTHING = Host()
_KINDS = {"refusal": REFUSALS, "reasoning": REASONING}


def needs(turns: tuple[Turn, ...], host: Host = _ASKS_NOTHING) -> frozenset[str]:
    """The features that the neutral scripts and the host of a scenario need, of ``NEEDS``."""
    scripts = [attempt.script for turn in turns for attempt in turn.attempts]
    found = {need for script in scripts if isinstance(script, Says) for need in _of(script)}
    offers = any(tool.get("type", "function") != "function" for tool in host.tools)
    if offers or any(turn.then and (turn.then.outputs or turn.then.approvals) for turn in turns):
        found.add(HOSTED_TOOLS)
    return frozenset(found)


def _of(script: Says) -> Iterator[str]:
    open_: set[str] = set()
    for step in script.steps:
        yield from _of_step(step)
        if isinstance(step, Start):
            open_.add(step.block)
        elif isinstance(step, End):
            open_.discard(step.block)
        if isinstance(step, Delta | Start) and len(open_) > 1:
            yield OPEN_BLOCKS


def _of_step(step: SayStep) -> Iterator[str]:
    match step:
        case Cite():
            yield CITATIONS
        case Queued():
            yield QUEUED
        case Incomplete("other"):
            yield OTHER_REASONS
        case Hosted():
            yield HOSTED_TOOLS
        case Start(kind="text", phase=phase) if phase:
            yield PHASES
        case Start(kind=kind, encrypted=encrypted) if kind in _KINDS:
            yield _KINDS[kind]
            if encrypted:
                yield ENCRYPTED


def why_not(
    unsupported: Mapping[str, str], turns: tuple[Turn, ...], host: Host = _ASKS_NOTHING
) -> str:
    """Why a dialect without these features cannot express a scenario; empty if it can."""
    wanted = needs(turns, host)
    return "; ".join(reason for need, reason in unsupported.items() if need in wanted)
