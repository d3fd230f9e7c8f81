"""Random scripts: blocks that start, stream and end, interleaved, then an ending."""

from hypothesis import strategies as st

from mockserver.cases.case import Case
from mockserver.scenario.model import Scenario, Turn
from mockserver.scenario.script import (
    BlockKind,
    Citation,
    Cite,
    Close,
    Delta,
    End,
    Ending,
    Failed,
    Finish,
    Incomplete,
    NextPart,
    Queued,
    Says,
    SayStep,
    Start,
)

_WORDS = st.sampled_from(["Let me ", "see", "\n", "…", "👩‍👧", ". "])
_ARGUMENTS = st.sampled_from(
    [(), ("{}",), ("{", "}"), ('{"a":', "1}"), ('{"path":"/s', 'rc"}'), ('{"a":1}', " \n")]
)
_SOURCES = st.sampled_from(
    [Citation("https://example.org/a", "A"), Citation("https://example.org/b", "B")]
)
_NAMES = st.sampled_from(["read_file", "list_dir"])


@st.composite
def _block(draw: st.DrawFn, n: int) -> list[SayStep]:
    kind: BlockKind = draw(st.sampled_from(["text", "text", "call", "call", "reasoning"]))
    block = f"{kind}-{n}"
    if kind == "call":
        start = Start(block, kind, f"call_{n}", draw(_NAMES))
        values = draw(_ARGUMENTS)
    else:
        start = Start(block, kind)
        values = tuple(draw(st.lists(_WORDS, min_size=1, max_size=3)))
    deltas: list[SayStep] = [Delta(block, value) for value in values]
    if kind == "reasoning":
        start = draw(_reasoning_start(block))
        for _ in range(draw(st.integers(0, 2))):
            deltas.insert(draw(st.integers(0, len(deltas))), NextPart(block))
        deltas = draw(st.sampled_from([deltas, deltas, []]))
    if kind == "text":
        for citation in draw(st.lists(_SOURCES, max_size=2)):
            deltas.insert(draw(st.integers(0, len(deltas))), Cite(block, citation))
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
def _ending(draw: st.DrawFn) -> list[SayStep]:
    return [draw(st.sampled_from(_ENDINGS)), Close("clean")]


_ENDINGS: list[Ending] = [
    Finish("stop"),
    Finish("stop"),
    Finish("tool-calls"),
    Incomplete("length"),
    Incomplete("other", "steered"),
    Failed("server_error", "Overloaded."),
    Failed("server_error", "Overloaded.", in_band=True),
]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case in OpenResponses whose blocks are interleaved in any order."""
    blocks = [draw(_block(n)) for n in range(draw(st.integers(1, 4)))]
    steps: list[SayStep] = [Queued()] if draw(st.booleans()) else []
    while blocks:
        block = draw(st.sampled_from(blocks))
        steps.append(block.pop(0))
        blocks = [block for block in blocks if block]
    script = Says((*steps, *draw(_ending())))
    return Case(
        Scenario("drawn/script", "Drawn", ("openresponses",), (Turn(script),)), "openresponses"
    )
