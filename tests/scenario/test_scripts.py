"""Short forms of a scenario are loaded as complete steps."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cases.load import load
from mockserver.scenario.expected import (
    Expect,
    ExpectAt,
    ExpectCall,
    ExpectCite,
    ExpectData,
    ExpectError,
    ExpectReasoning,
    ExpectRefusal,
    ExpectText,
)
from mockserver.scenario.model import Scenario, Sighting, Turn
from mockserver.scenario.says import cut
from mockserver.scenario.script import (
    Checkpoint,
    Citation,
    Cite,
    Close,
    Comment,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    NoUsage,
    Pause,
    Raw,
    Send,
    Start,
    Usage,
)
from mockserver.scenario.steps import duration

Json = Any
CLEAN = Close("clean")


def loaded(document: Json, id_: str = "openresponses/x") -> Scenario:
    """A scenario from a document as JSON, which is YAML."""
    return load(json.dumps(document).encode(), "x.yaml", id_)


def turn(**fields: Json) -> Turn:
    return loaded({"title": "Written in short", "conduct": "violation", "turns": [fields]}).turns[0]


def says(*steps: Json) -> list[Any]:
    """The steps as loaded, with blocks numbered in the order in which they start."""
    script = turn(says=list(steps)).script
    blocks: dict[str, int] = {}
    return [_numbered(step, blocks) for step in script.steps]


def _numbered(step: Any, blocks: dict[str, int]) -> Any:
    if isinstance(step, Start):
        number = blocks.setdefault(step.block, len(blocks))
        return Start(str(number), step.kind, step.call_id, step.name)
    if isinstance(step, Delta):
        return Delta(str(blocks[step.block]), step.value)
    if isinstance(step, Cite):
        return replace(step, block=str(blocks[step.block]))
    return End(str(blocks[step.block])) if isinstance(step, End) else step


def test_a_text_is_a_block_that_starts_grows_and_ends() -> None:
    whole = [Start("0", "text"), Delta("0", "abc"), End("0"), Finish("stop"), CLEAN]
    assert says({"text": "abc"}) == whole
    assert says({"start": {"text": "t"}}, {"delta": {"t": "abc"}}, {"end": "t"}) == whole


@pytest.mark.parametrize("kind", ["text", "reasoning", "refusal"])
def test_an_empty_value_has_no_delta(kind: Any) -> None:
    assert says({kind: ""}) == [Start("0", kind), End("0"), Finish("stop"), CLEAN]


def test_a_value_is_split_into_deltas() -> None:
    assert says({"text": "abcdefgh", "in": 3})[1:4] == [
        Delta("0", "ab"),
        Delta("0", "cde"),
        Delta("0", "fgh"),
    ]
    streamed = says({"start": {"reasoning": "r"}}, {"delta": {"r": "ab"}, "in": 2}, {"end": "r"})
    assert streamed[1:3] == [Delta("0", "a"), Delta("0", "b")]


@given(st.text(min_size=1), st.integers(1, 50))
def test_splitting_keeps_the_value_and_makes_nearly_equal_pieces(value: str, pieces: int) -> None:
    found = cut(value, pieces)
    assert "".join(found) == value
    assert len(found) == min(pieces, len(value))
    assert max(map(len, found)) - min(map(len, found)) <= 1


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"input": {"path": "/ä", "n": [1, 2.5]}}, '{"path":"/ä","n":[1,2.5]}'),
        ({"input": {"id": 2512292042121000001}}, '{"id":2512292042121000001}'),
        ({"arguments": '{ "a" : 1'}, '{ "a" : 1'),
        ({}, "{}"),
    ],
)
def test_an_input_becomes_compact_json_and_arguments_are_kept_verbatim(
    given: Json, arguments: str
) -> None:
    call = {"id": "call_1", "name": "f", **given}
    assert says({"call": call}) == [
        Start("0", "call", "call_1", "f"),
        Delta("0", arguments),
        End("0"),
        Finish("tool-calls"),
        CLEAN,
    ]


def test_a_call_without_any_arguments_has_no_delta() -> None:
    steps = says({"call": {"id": "call_1", "name": "f", "arguments": ""}})
    assert steps[:2] == [Start("0", "call", "call_1", "f"), End("0")]


def test_shorthands_have_blocks_of_their_own() -> None:
    steps = says({"text": "a"}, {"call": {"id": "call_1", "name": "f"}}, {"text": "b"})
    kinds = [(step.block, step.kind) for step in steps if isinstance(step, Start)]
    assert kinds == [("0", "text"), ("1", "call"), ("2", "text")]


@pytest.mark.parametrize(
    ("written", "played"),
    [
        ({"finish": "stop"}, Finish("stop")),
        ({"incomplete": "length"}, Incomplete("length")),
        ({"failed": {"message": "m"}}, Failed("server_error", "m")),
        ({"failed": {"message": "m", "code": "c"}}, Failed("c", "m")),
        ({"error": {"message": "m", "code": "c"}}, Failed("c", "m", in_band=True)),
    ],
)
def test_a_written_ending_is_the_only_one(written: Json, played: Any) -> None:
    call = {"call": {"id": "call_1", "name": "f"}}
    assert says(call, written)[-2:] == [played, CLEAN]


@pytest.mark.parametrize("how", ["clean", "cut", "reset", "half-close", "stall"])
def test_a_stream_that_is_closed_early_gets_no_ending(how: Any) -> None:
    assert says({"text": "a"}, {"close": how})[-2:] == [End("0"), Close(how)]
    assert says({"text": "a"}, {"finish": "stop"}, {"close": how})[-2:] == [
        Finish("stop"),
        Close(how),
    ]


SHARED: list[tuple[Json, Any]] = [
    ({"pause": "20ms"}, Pause(0.02)),
    ({"pause": "1.5s"}, Pause(1.5)),
    ({"comment": ""}, Comment("")),
    ({"comment": " keepalive"}, Comment(" keepalive")),
    ({"raw": "data: x\r\n\n"}, Raw("data: x\r\n\n")),
    ({"close": "cut"}, Close("cut")),
]


@pytest.mark.parametrize(("written", "played"), SHARED)
def test_pauses_comments_and_bytes_are_steps_of_both_forms(written: Json, played: Any) -> None:
    assert says(written)[0] == played
    assert turn(sends=[written], expect={"parts": []}).script.steps == (played,)


@pytest.mark.parametrize(
    ("written", "played"),
    [
        ({"url": "u", "title": "T"}, Cite("0", Citation("u", "T"))),
        ({"url": "u", "title": "T", "start": 2, "end": 5.0}, Cite("0", Citation("u", "T"), 2, 5)),
        ({"url": "u", "title": "T", "end": 0}, Cite("0", Citation("u", "T"), end=0)),
        ({"file_id": "f"}, Cite("0", Citation(file_id="f"))),
        (
            {"file_id": "f", "filename": "a.pdf", "container_id": "c"},
            Cite("0", Citation(file_id="f", filename="a.pdf", container_id="c")),
        ),
    ],
)
def test_a_citation_is_inside_its_text(written: Json, played: Cite) -> None:
    steps = says(
        {"start": {"text": "t"}},
        {"delta": {"t": "a"}},
        {"cite": {"block": "t", **written}},
        {"end": "t"},
    )
    assert steps[1:4] == [Delta("0", "a"), played, End("0")]


def test_a_checkpoint_is_a_step_of_both_forms() -> None:
    steps = says(
        {"start": {"text": "t"}}, {"delta": {"t": "a"}}, {"checkpoint": "here"}, {"end": "t"}
    )
    assert steps[2] == Checkpoint("here")
    delta = {"response.output_text.delta": {"delta": "a"}}
    sends = turn(sends=[delta, {"checkpoint": "here"}], expect={"parts": []}).script
    assert sends.steps[1] == Checkpoint("here")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0ms", 0), ("1ms", 0.001), ("0.5ms", 0.0005), ("2s", 2), ("999999.999s", 999999.999)],
)
def test_a_duration_becomes_seconds(text: str, seconds: float) -> None:
    assert duration(text) == seconds


def test_usage_is_two_integers() -> None:
    assert says({"usage": {"input": 11, "output": 2.0}})[0] == Usage(11, 2)


def test_usage_may_be_left_out_of_the_answer() -> None:
    assert says({"usage": "none"})[0] == NoUsage()


def test_an_event_is_a_type_or_a_type_with_its_fields() -> None:
    script = turn(
        sends=[
            "response.created",
            {"response.in_progress": None},
            {"response.output_text.delta": {"delta": "a", "item_id": None}},
            {"unknown": {"type": "ping", "at": 1}},
            {"event": {"type": "error"}, "absent": ["type", "error.param", ["a", "b.c"]]},
        ],
        expect={"parts": []},
    ).script
    assert script.steps == (
        Send("response.created"),
        Send("response.in_progress"),
        Send("response.output_text.delta", {"delta": "a", "item_id": None}),
        Send("ping", {"at": 1}, known=False),
        Send("error", absent=(("type",), ("error", "param"), ("a", "b.c"))),
    )


def test_expectations_are_loaded_completely() -> None:
    script = [
        {"start": {"text": "t"}},
        {"delta": {"t": "a"}},
        {"checkpoint": "here"},
        {"failed": {"message": "m"}},
    ]
    call = {"id": "call_1", "name": "f", "input": {"a": 1}}
    entry = {
        "parts": [
            *({"text": "a"}, {"reasoning": "b"}, {"refusal": "c"}, {"call": call}),
            {"cite": {"url": "u", "title": "T"}},
            {"data": {"mimeType": "image/png", "data": "AAAA"}},
        ],
        "outcome": "failed",
        "reason": "length",
        "error": {"message": "m"},
        "at": {"here": {"calls": ["call_1"], "without": ["call_2"]}},
    }
    expected = Expect(
        parts=(
            ExpectText("a"),
            ExpectReasoning("b"),
            ExpectRefusal("c"),
            ExpectCall("call_1", "f", {"a": 1}),
            ExpectCite(Citation("u", "T")),
            ExpectData("image/png", "AAAA"),
        ),
        outcome="failed",
        reason="length",
        error=ExpectError("m", ""),
        at={"here": ExpectAt(("call_1",), ("call_2",))},
    )
    assert turn(says=script, expect=entry).expect == (expected,)
    assert turn(says=script, expect=[entry, {"parts": []}]).expect == (expected, Expect(()))
    assert turn(says=script).expect == ()


def test_a_scenario_has_the_fields_of_its_head() -> None:
    scenario = loaded(
        {
            "title": "Head",
            "about": "Why",
            "source": ["rfc-00022 § Gap 1"],
            "seen": [{"at": "a/b#1", "line": "data: 1", "upstream": "Azure"}],
            "reports": ["d/e#2"],
            "dialects": ["openresponses"],
            "conduct": "deviation",
            "turns": [{"says": [{"text": "a"}]}],
        },
        "any/x",
    )
    assert (scenario.id, scenario.title, scenario.about) == ("any/x", "Head", "Why")
    assert (scenario.source, scenario.reports) == (("rfc-00022 § Gap 1",), ("d/e#2",))
    assert scenario.seen == (Sighting(at="a/b#1", line="data: 1", upstream="Azure"),)
    assert (scenario.dialects, scenario.conduct) == (("openresponses",), "deviation")


@pytest.mark.parametrize("id_", ["openresponses/x", "openresponses/deep/x", "any/x", "x"])
def test_a_script_needs_no_dialect(id_: str) -> None:
    document = {"title": "Anywhere", "turns": [{"says": [{"text": "a"}]}]}
    assert "openresponses" in loaded(document, id_).dialects


def test_events_in_a_dialects_folder_are_in_that_dialect() -> None:
    turns = [{"sends": ["response.created"], "expect": {"parts": []}}]
    document = {"title": "Events", "turns": turns}
    assert loaded(document, "openresponses/x").dialects == ("openresponses",)
