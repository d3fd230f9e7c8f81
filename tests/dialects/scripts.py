"""Random neutral scripts: every kind of block and step, and every ending."""

from hypothesis import strategies as st

from mockserver.scenario.script import (
    BlockKind,
    Close,
    Comment,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    NextPart,
    Pause,
    Queued,
    Raw,
    Says,
    SayStep,
    Start,
    Usage,
)

_KINDS: list[BlockKind] = ["text", "call", "reasoning", "refusal"]
_TEXT = st.text('ab é😀\n"\\', max_size=4)
# The first three look like ids that the dialect might generate.
_CALL_ID = st.sampled_from(["fc_00", "fc_01", "item_00", "call_a", "call_b", "call_c"])
_ASIDES: list[SayStep] = [Comment("x"), Pause(0.001), Raw(": x\n\n"), Usage(11, 22)]
_ENDINGS: list[SayStep] = [
    Incomplete("length"),
    Incomplete("content-filter"),
    Incomplete("other", "max_tool_calls"),
    Failed("overloaded", "Too much."),
    Failed("overloaded", "Too much.", in_band=True),
    Close("cut"),
    Close("clean"),
]
_GOOD_ENDINGS: list[SayStep] = [Finish("stop"), Finish("tool-calls")] * 2


@st.composite
def _blocks(draw: st.DrawFn) -> list[list[SayStep]]:
    call_ids = draw(st.lists(_CALL_ID, min_size=4, max_size=4, unique=True))
    return [_block(draw, n, call_ids[n]) for n in range(draw(st.integers(0, 4)))]


def _block(draw: st.DrawFn, n: int, call_id: str) -> list[SayStep]:
    kind = draw(st.sampled_from(_KINDS))
    block = f"block{n}"
    deltas: list[SayStep] = [Delta(block, draw(_TEXT)) for _ in range(draw(st.integers(0, 3)))]
    if kind == "reasoning":
        return [draw(_reasoning_start(block)), *draw(_in_parts(block, deltas)), End(block)]
    start = Start(block, kind, call_id, "f") if kind == "call" else Start(block, kind)
    return [start, *deltas, End(block)]


def _reasoning_start(block: str) -> st.SearchStrategy[Start]:
    return st.builds(
        Start,
        st.just(block),
        st.just("reasoning"),
        form=st.sampled_from(["summary", "raw"]),
        encrypted=st.sampled_from(["", "gAAAAABp"]),
    )


@st.composite
def _in_parts(draw: st.DrawFn, block: str, deltas: list[SayStep]) -> list[SayStep]:
    steps = list(deltas)
    for _ in range(draw(st.integers(0, 2))):
        steps.insert(draw(st.integers(0, len(steps))), NextPart(block))
    return steps


@st.composite
def scripts(draw: st.DrawFn) -> Says:
    """A script as it is loaded from a scenario: complete, with an explicit ending and close."""
    blocks = draw(_blocks())
    steps: list[SayStep] = [Queued()] if draw(st.booleans()) else []
    begun: list[SayStep] = []
    most = draw(st.sampled_from([*range(12), None]))
    while blocks and (most is None or len(steps) < most):
        block = draw(st.sampled_from(blocks))
        step = block.pop(0)
        steps.append(step)
        begun += [step] if isinstance(step, Start) else []
        blocks = [block for block in blocks if block]
        if draw(st.integers(0, 4)) == 0:
            steps.append(draw(st.sampled_from(_ASIDES)))
    ending = draw(st.sampled_from(_ENDINGS if blocks else [*_ENDINGS, *_GOOD_ENDINGS]))
    if isinstance(ending, Close):
        return Says((*steps, ending))
    if isinstance(ending, Incomplete):
        steps += _all_but_the_last(begun, blocks)
    return Says((*steps, ending, Close("clean")))


def _all_but_the_last(begun: list[SayStep], blocks: list[list[SayStep]]) -> list[SayStep]:
    """The remaining steps of all open blocks except the last, which may stay incomplete."""
    return [
        step
        for rest in blocks
        if not isinstance(rest[0], Start) and rest[-1] != End(getattr(begun[-1], "block", ""))
        for step in rest
    ]
