"""How a response is written in ``sends``: what is left out, and what only raw text can say."""

import json
from typing import Any

import pytest

from conformance.dialects.recording import read_dump
from mockserver.dialects import DIALECTS
from streamproof._captures.file_text import write_step
from streamproof._captures.script import choose_way, write_response

HEAD = {"id": "c1", "object": "chat.completion.chunk", "created": 5, "model": "m"}


def _chunk(content: str | None = "Hi", finish: str | None = None, **other: Any) -> dict[str, Any]:
    delta = {"content": content} if content is not None else {}
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {**HEAD, "choices": [choice], **other}


END = _chunk(None, "stop")


def _written(*items: Any, dialect: str = "chat", close: Any = None, ends: str = "\n") -> list[Any]:
    """The steps of a stream of these items: values are events, text is sent as it is."""
    lines = [i if isinstance(i, str) else f"data: {json.dumps(i)}\n\n" for i in items]
    dump = read_dump(f"HTTP/1.1 200 OK\n\n{''.join(lines)}".replace("\n", ends).encode(), "x")
    spoken = DIALECTS[dialect]
    way = choose_way(dump.events, spoken)
    made = write_response(dump.events, dump.framing, spoken, close=close, way=way)
    return [*map(write_step, made.steps), *made.vary]


DONE = "data: [DONE]\n\n"

STREAMS: dict[str, tuple[list[Any], list[Any]]] = {
    "kinds of chunks": (
        [_chunk(), END, {**HEAD, "choices": [], "usage": {"prompt_tokens": 1}}, DONE],
        [{"delta": {"content": "Hi"}}, "finish", {"usage": {"prompt_tokens": 1}}],
    ),
    "a chunk with a field of its own": (
        [_chunk(), _chunk(x_groq={}), END, DONE],
        [
            {"delta": {"content": "Hi"}},
            {"chunk": {"choices": _chunk()["choices"], "x_groq": {}}},
            "finish",
        ],
    ),
    "an id that changes": (
        [_chunk(), _chunk(id="c2"), _chunk(), END, DONE],
        [
            {"delta": {"content": "Hi"}},
            {"chunk": {"id": "c2", "choices": _chunk()["choices"]}},
            {"delta": {"content": "Hi"}},
            "finish",
        ],
    ),
    "a field that is missing": (
        [_chunk(), {k: v for k, v in _chunk().items() if k != "model"}, END, DONE],
        [
            {"delta": {"content": "Hi"}},
            {"chunk": {"choices": _chunk()["choices"]}, "absent": ["model"]},
            "finish",
        ],
    ),
    "an error": (
        [{"error": {"message": "no"}}, DONE],
        [{"error": {"message": "no"}, "absent": ["type", "param", "code"]}],
    ),
    "a comment": ([": hello\n\n", END, DONE], [{"comment": "hello"}, "finish"]),
    "what is not JSON": ([END, "data: {\n\n", DONE], ["finish", {"raw": "data: {\n\n"}]),
    "JSON that is no object": ([END, "data: 7\n\n", DONE], ["finish", {"raw": "data: 7\n\n"}]),
    "an end in the middle": (
        [END, DONE, _chunk()],
        ["finish", {"raw": "data: [DONE]\n\n"}, {"delta": {"content": "Hi"}}],
    ),
    "an end without a finish": (
        [_chunk(), DONE],
        [{"delta": {"content": "Hi"}}, {"raw": "data: [DONE]\n\n"}],
    ),
    "no end": ([_chunk()], [{"delta": {"content": "Hi"}}, {"close": "cut"}]),
    "no [DONE]": ([END], ["finish", "no-done"]),
}


@pytest.mark.parametrize("name", list(STREAMS))
def test_a_stream_is_written_with_the_fewest_fields(name: str) -> None:
    items, steps = STREAMS[name]
    assert _written(*items) == steps


def test_a_stream_that_breaks_off_after_its_end_has_its_end_as_text() -> None:
    steps = [{"raw": "data: [DONE]\n\n"}, {"close": "reset"}]
    assert _written(END, DONE, close="reset") == ["finish", *steps]


def test_line_ends_are_a_variation() -> None:
    assert _written(END, DONE, ends="\r\n") == ["finish", "crlf"]


def test_events_without_their_names_are_a_variation() -> None:
    assert _written({"type": "error", "sequence_number": 0}, dialect="openresponses") == [
        {"error": {}, "absent": ["error"]},
        {"close": "cut"},
        "no-event-line",
    ]


def test_a_name_that_is_not_the_type_is_sent_as_text() -> None:
    event = 'event: b\ndata: {"type":"a"}\n\n'
    assert _written(event, dialect="openresponses") == [{"raw": event}, {"close": "cut"}]


def test_half_a_character_is_sent_as_an_escape() -> None:
    (raw, _) = _written(_chunk("\ud83d"))
    assert raw["raw"].isascii()
    assert '{"content":"\\ud83d"}' in raw["raw"]
