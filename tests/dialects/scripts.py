"""Neutral scripts drawn at random: every kind of lane and step, and every way to end."""

from __future__ import annotations

from hypothesis import strategies as st

from mockserver.scenario.model import (
    Close,
    Comment,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    LaneKind,
    Pause,
    Raw,
    Says,
    SayStep,
    Start,
    Usage,
)

_KINDS: list[LaneKind] = ["text", "call", "reasoning", "refusal"]
_TEXT = st.text('ab é😀\n"\\', max_size=4)
# The first three look like ids that the dialect might make up.
_CALL_ID = st.sampled_from(["fc_00", "fc_01", "item_00", "call_a", "call_b", "call_c"])
_ASIDES: list[SayStep] = [Comment("x"), Pause(0.001), Raw(": x\n\n"), Usage(11, 22)]
_ENDINGS: list[SayStep] = [
    Incomplete("length"),
    Incomplete("content-filter"),
    Failed("overloaded", "Too much."),
    Failed("overloaded", "Too much.", in_band=True),
    Close("cut"),
    Close("clean"),
]
_GOOD_ENDINGS: list[SayStep] = [Finish("stop"), Finish("tool-calls")] * 2


@st.composite
def _lanes(draw: st.DrawFn) -> list[list[SayStep]]:
    call_ids = draw(st.lists(_CALL_ID, min_size=4, max_size=4, unique=True))
    return [_lane(draw, n, call_ids[n]) for n in range(draw(st.integers(0, 4)))]


def _lane(draw: st.DrawFn, n: int, call_id: str) -> list[SayStep]:
    kind = draw(st.sampled_from(_KINDS))
    lane = f"lane{n}"
    start = Start(lane, kind, call_id, "f") if kind == "call" else Start(lane, kind)
    deltas = [Delta(lane, draw(_TEXT)) for _ in range(draw(st.integers(0, 3)))]
    return [start, *deltas, End(lane)]


@st.composite
def scripts(draw: st.DrawFn) -> Says:
    """A script as it comes out of a scenario: complete, its ending and its close explicit."""
    lanes = draw(_lanes())
    steps: list[SayStep] = []
    most = draw(st.sampled_from([*range(12), None]))
    while lanes and (most is None or len(steps) < most):
        lane = draw(st.sampled_from(lanes))
        steps.append(lane.pop(0))
        lanes = [lane for lane in lanes if lane]
        if draw(st.integers(0, 4)) == 0:
            steps.append(draw(st.sampled_from(_ASIDES)))
    ending = draw(st.sampled_from(_ENDINGS if lanes else [*_ENDINGS, *_GOOD_ENDINGS]))
    if isinstance(ending, Close):
        return Says((*steps, ending))
    return Says((*steps, ending, Close("clean")))
