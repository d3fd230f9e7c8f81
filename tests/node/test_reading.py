"""Parts become the same reading in Python and in Node."""

import json
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.citations import MEDIA_TYPE
from conformance.contract.traits import Traits
from conformance.contract.transcript import end_of
from conformance.vocabularies import VOCABULARIES
from mockserver.foundation.call_arguments import round_to_doubles
from tests.clients.npm import needs_node
from tests.docs.pages import ROOT
from tests.rows import row

FOLD = ROOT / "tests" / "node" / "fold.mjs"


class Fold:
    """One Node process that reads lists of parts."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def read(self, parts: Any, done: Any, vocabulary: str, traits: Traits | None = None) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(
            json.dumps([parts, done, vocabulary, asdict(traits or Traits())]) + "\n"
        )
        self._process.stdin.flush()
        # JavaScript writes the shortest digits of a double: the same number, another integer.
        return round_to_doubles(json.loads(self._process.stdout.readline()))


@pytest.fixture(scope="module")
def fold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fold]:
    needs_node()
    place: Path = tmp_path_factory.mktemp("fold")
    place.joinpath("node_modules").mkdir()
    place.joinpath("node_modules", "streamproof").symlink_to(ROOT / "node")
    place.joinpath("fold.mjs").write_bytes(FOLD.read_bytes())
    with subprocess.Popen(
        ["node", "fold.mjs"], cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Fold(process)
        assert process.stdin
        process.stdin.close()


def in_python(parts: Any, done: Any, vocabulary: str, traits: Traits | None = None) -> Any:
    end = end_of(done, 0.0) if done else None
    reading = VOCABULARIES[vocabulary].with_traits(traits or Traits()).read(parts, end).to_json()
    return json.loads(json.dumps(reading))


def b64(text: str) -> str:
    return b64encode(text.encode()).decode()


def text(value: Any) -> dict[str, Any]:
    return {"type": "text", "value": value}


def data(body: str, mime_type: Any = MEDIA_TYPE) -> dict[str, Any]:
    return {"type": "data", "mimeType": mime_type, "data": body}


def call(input_: Any, **more: Any) -> dict[str, Any]:
    return {"type": "toolCall", "callId": "call_1", "name": "search", "input": input_, **more}


def tool_call(input_: Any, **more: Any) -> dict[str, Any]:
    part = {"type": "tool-call", "toolCallId": "call_1", "toolName": "search", "input": input_}
    return {**part, **more}


VSCODE: dict[str, list[Any]] = {
    "nothing": [],
    "text, cut inside a character": [text("a\ud83d"), call({}), text("\udc0db"), call({})],
    "astral text before a call": [text("🐍é"), call({"n": [1.0, -0.0, 1e21, True]})],
    "thinking of both kinds": [
        {"type": "thinking", "value": "a"},
        {"type": "thinking", "value": ["b", "c"], "id": "x"},
    ],
    "calls that lack something": [
        call(None),
        {"type": "toolCall", "callId": "c", "name": "n"},
        call({}, callId=1),
        call({}, name=None),
    ],
    "bytes in odd spellings": [
        data(each, "image/png")
        for each in ("", "aGk=", "aGl=", "aGk", "a===", "====", "aGk=\n", "aG k", "aGk=aGk=", "é")
    ],
    "citations": [
        data(b64('{"url":"https://example.org","title":"T","more":1}')),
        data(b64('{"fileId":"f","filename":"a","fileName":"b","containerId":""}')),
        data(b64('{"file_id":"f","fileId":7}')),
        data(b64('\ufeff{"url":"u"}')),
        data(b64('{"title":""}')),
        data(b64('["url"]')),
        data(b64("null")),
        data(b64('{"__proto__":{"url":"u"}}')),
        data("no base64"),
        data(b64encode(b'{"url":"\xff"}').decode()),
        data(b64('{"url":"u"}'), "text/plain"),
    ],
    "values that are not parts": [
        *(None, 1, "text", [], {}, {"type": 1}, {"type": "toString"}, {"type": "toolResult"}),
        *(text(None), text(1), {"type": "thinking", "value": {}}, data("", None)),
    ],
}

STREAM: dict[str, list[Any]] = {
    "text, thinking and calls": [
        {"type": "text-delta", "id": "t", "delta": "🐍"},
        {"type": "reasoning-delta", "id": "r", "delta": "Hm."},
        tool_call('{"q":[1.0,-0.0]}'),
        tool_call(""),
        tool_call(" \n"),
        tool_call('{"q":"wea'),
        tool_call({"q": 1}),
        tool_call("{}", providerExecuted=True),
        {"type": "tool-call", "id": "c", "name": "n", "params": {"p": 1}},
        {"type": "tool-call", "id": "c", "name": "n"},
        {"type": "tool-call", "toolCallId": None, "id": "c", "name": "n"},
        {"type": "text-delta", "id": "t", "delta": None},
    ],
    "calls of custom tools, with a text": [
        {"type": "tool-input-start", "id": "call_1", "toolName": "sql", "inputEncoding": "text"},
        {"type": "tool-input-start", "id": ["call_1"], "inputEncoding": "text"},
        tool_call('"select \\"n\u00e4me\\"\\n"'),
        tool_call('""'),
        tool_call('"1"', toolCallId="call_2"),
    ],
    "a call of a custom tool that begins after it": [
        tool_call('"select 1"'),
        {"type": "tool-input-start", "id": "call_1", "inputEncoding": "text"},
    ],
    **{
        f"a call of a custom tool with {input_!r}": [
            {"type": "tool-input-start", "id": "call_1", "inputEncoding": "text"},
            tool_call(input_),
        ]
        for input_ in ("{}", "", "1", "select 1", {"a": 1})
    },
    "a call with an odd id that cannot be parsed": [
        {"type": "tool-input-start", "id": "call_1", "inputEncoding": "json"},
        tool_call('"1"', toolCallId=["call_1"]),
    ],
    "a call of nobody's that cannot be parsed": [
        {"type": "tool-call", "input": "[1]", "providerExecuted": True},
        {"type": "error", "error": {"message": "first"}},
    ],
    "text, cut inside characters": [
        *(
            {"type": "text-delta", "delta": d}
            for d in ("a\ud83d", "", "\udc0db", "\ud83d", "\udc0d")
        ),
        tool_call("{}"),
    ],
    "files": [
        {"type": "file", "mediaType": "image/png", "data": "aGl="},
        {"type": "file", "mediaType": "image/png", "data": {"type": "data", "data": "aGk="}},
        {"type": "file", "mediaType": "image/png", "data": {"url": "x"}},
    ],
    "sources": [
        {"type": "source", "sourceType": "url", "url": "https://example.org", "title": "T"},
        {
            "type": "source",
            "title": "a.txt",
            "filename": "a.txt",
            "providerMetadata": {"openai": {"fileId": "f", "url": "no"}, "other": None},
        },
        {"type": "source", "fileName": "b", "metadata": {"x": {"containerId": "c"}}},
        {"type": "source", "title": ""},
        {"type": "source"},
    ],
    # JavaScript puts keys that are numbers first.
    "a source of two providers": [
        {
            "type": "source",
            "title": "b",
            "metadata": {
                "a": {"fileId": "b", "containerId": "d"},
                "0": {"fileId": None, "containerId": "c"},
            },
        }
    ],
    "an ending of its own": [
        {"type": "finish", "finishReason": "stop", "usage": {"inputTokens": 1}},
        {
            "type": "finish",
            "finishReason": {"unified": "unknown", "raw": "x"},
            "usage": {"inputTokens": {"total": 3}, "outputTokens": {"total": None}},
        },
    ],
    "broken off": [{"type": "finish", "finishReason": {"unified": "interrupted"}}],
    "a pause": [{"type": "finish", "reason": "pause", "usage": None}],
    "the reason error": [{"type": "finish", "finishReason": "error", "usage": {}}],
    "an error that is a text": [{"type": "error", "error": "No."}, {"type": "error", "error": "2"}],
    "an error in layers": [
        {"type": "error", "error": {"message": "", "error": {"message": "in", "code": "c"}}}
    ],
    "an error without a message": [{"type": "error", "error": {"a": [1, {"é": None}], "b": {}}}],
    "a missing error": [{"type": "error"}],
}

FULLSTREAM: dict[str, list[Any]] = {
    "text, thinking and calls": [
        {"type": "start"},
        {"type": "start-step", "request": {}, "warnings": []},
        {"type": "text-delta", "id": "t", "text": "🐍"},
        {"type": "text-delta", "id": "t", "delta": "no"},
        {"type": "reasoning-delta", "id": "r", "text": "Hm."},
        tool_call({"q": [1.0, -0.0]}),
        tool_call({}, providerExecuted=True),
        {"type": "tool-result", "toolCallId": "call_1", "toolName": "search", "output": 1},
        {"type": "text-delta", "id": "t", "text": None},
    ],
    "calls that are not for the host": [tool_call(each) for each in ([1], "{}", "half", None)],
    "a call that lacks its input": [{"type": "tool-call", "toolCallId": "c", "toolName": "n"}],
    "invalid calls": [
        tool_call("half", invalid=True, error={"name": "E", "message": "cannot be parsed"}),
        tool_call({"q": 1}, invalid=True),
        tool_call({"q": 1}, invalid=False),
        {"type": "tool-error", "toolCallId": "call_1", "toolName": "search", "error": "no"},
    ],
    "an invalid call without an error": [tool_call({"q": 1}, invalid=True)],
    "an invalid call with a text for its error": [tool_call({}, invalid=True, error="no tool")],
    "an invalid call beside an error": [
        tool_call({}, invalid=True),
        {"type": "error", "error": {"message": "first"}},
    ],
    "calls of custom tools, with a text": [
        {"type": "tool-input-start", "id": "call_1", "toolName": "sql", "inputEncoding": "text"},
        tool_call("select 1"),
        tool_call({}),
    ],
    "files": [
        {"type": "file", "file": {"mediaType": "image/png", "base64": "aGl="}},
        {"type": "file", "file": {"mediaType": "image/png", "base64": {"type": "url", "url": "u"}}},
        {"type": "file", "file": {"base64": "aGk="}},
        {"type": "file", "mediaType": "image/png", "data": "aGk="},
        {"type": "reasoning-file", "file": {"mediaType": "image/png", "base64": "aGk="}},
    ],
    "a source": [{"type": "source", "sourceType": "url", "url": "https://example.org", "id": "s"}],
    "two steps": [
        {"type": "finish-step", "finishReason": "tool-calls", "usage": {"inputTokens": 1}},
        {"type": "finish-step", "finishReason": "stop", "usage": {"inputTokens": 2}},
        {
            "type": "finish",
            "finishReason": "stop",
            "usage": {"inputTokens": 9},
            "totalUsage": {"inputTokens": 3, "outputTokens": None},
        },
    ],
    "an abort": [{"type": "abort", "reason": "AbortError"}],
    "an error and an abort": [{"type": "error", "error": "No."}, {"type": "abort"}],
    "broken off": [{"type": "finish", "finishReason": "interrupted", "totalUsage": {}}],
    "values that are not parts": [None, 1, [], {}, {"type": 1}, {"type": ["file"]}],
}


def delta(index: Any = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "delta", "index": index, "delta": fields}


def completion(reason: Any = "stop", index: Any = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "completion", "index": index, "reason": reason, **fields}


def copilot_call(arguments: Any, **more: Any) -> dict[str, Any]:
    call = {"id": "call_1", "name": "search", "arguments": arguments, **more}
    return delta(text="", copilotToolCalls=[call])


COPILOT: dict[str, list[Any]] = {
    "text, thinking and calls": [
        delta(text="🐍"),
        delta(text="", thinking={"text": "Hm."}),
        delta(text="", thinking={"text": ["a", 1, "b"], "id": "x", "encrypted": "y"}),
        delta(text="", beginToolCalls=[{"name": "search", "id": "call_1"}]),
        delta(copilotToolCallStreamUpdates=[{"name": "search", "arguments": "{}", "id": "c"}]),
        delta(text="x", copilotToolCalls=[{"id": "c", "name": "n", "arguments": '{"q":-0.0}'}]),
        completion("tool_calls", usage={"prompt_tokens": 1, "completion_tokens": None}),
    ],
    "odd calls": [
        *map(copilot_call, ("", " \n", '{"q":"wea', "[1]", None, {"q": 1})),
        copilot_call("{}", id=None),
        copilot_call("{}", name=1),
        delta(copilotToolCalls={}),
        delta(copilotToolCalls=[None, {}]),
        completion(),
    ],
    "calls without ids": [
        delta(_deprecatedCopilotFunctionCalls=[{"name": "a", "arguments": "{}", "id": "x"}]),
        delta(_deprecatedCopilotFunctionCalls=[{"name": "b", "arguments": ""}, {"name": "c"}]),
        completion("function_call"),
    ],
    "text, cut inside a character": [delta(text="a\ud83d"), delta(text="\udc0db"), completion()],
    "several choices": [
        delta(text="a"),
        delta(1, text="b"),
        completion(),
        completion("length", 1, usage={"prompt_tokens": 3}),
    ],
    "invalid choices": [
        *(delta(index, text="x") for index in (None, "0", True, 0.5, -1)),
        completion(index=None),
    ],
    "no completion": [delta(text="a")],
    "cut off": [completion("content_filter")],
    "a reason of nobody's": [completion("DONE"), completion(usage={"prompt_tokens": 1})],
    "an invalid reason": [completion(None), completion(7)],
    "an error": [completion("error", error={"message": "m", "code": 429})],
    "an error without a message": [
        completion("error", error={"code": None}),
        completion(error="x"),
    ],
    "values that are not deltas": [
        delta(),
        {"type": "delta", "index": 0},
        {"type": "delta"},
        None,
        1,
    ],
}

DONES: list[Any] = [
    None,
    {"type": "done", "outcome": "completed"},
    {"type": "done", "outcome": "completed", "finish": "length", "usage": {"input": 2}},
    {"type": "done", "outcome": "completed", "usage": {}},
    {"type": "done", "outcome": "cancelled"},
    {"type": "done", "outcome": "failed", "error": {"kind": "http", "message": "m", "code": "c"}},
    {"type": "done", "outcome": "failed", "error": {"kind": "unknown", "message": ""}},
    {"type": "error", "message": "KeyError"},
    {"type": "unsupported", "reason": "no"},
]


@pytest.mark.parametrize(
    ("vocabulary", "table"),
    [("vscode", VSCODE), ("stream", STREAM), ("fullstream", FULLSTREAM), ("copilot", COPILOT)],
    ids=["vscode", "stream", "fullstream", "copilot"],
)
def test_node_and_python_read_listed_parts_alike(
    fold: Fold, vocabulary: str, table: dict[str, list[Any]]
) -> None:
    for (name, parts), done in product(table.items(), DONES):
        with row(f"{name}, {done}"):
            assert fold.read(parts, done, vocabulary) == in_python(parts, done, vocabulary)


TEXTS = st.text(max_size=6) | st.sampled_from(["\ud83d", "\udc0d", "🐍", "toolCall", ""])
NUMBERS = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | TEXTS | NUMBERS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
SOURCES = st.dictionaries(
    st.sampled_from(["url", "title", "file_id", "fileId", "filename", "fileName", "container_id"]),
    SCALARS,
)
BODIES = (
    st.binary(max_size=9).map(lambda raw: b64encode(raw).decode())
    | st.text("aQg9=/+-\n ", max_size=9)
    | SOURCES.map(lambda source: b64(json.dumps(source)))
)


def record(type_: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A part with these fields, some of them replaced or missing."""
    odd = {name: field | VALUES for name, field in fields.items()}
    return st.one_of(
        st.fixed_dictionaries({"type": st.just(type_), **fields}),
        st.fixed_dictionaries({"type": st.just(type_)}, optional=odd),
    )


VSCODE_PARTS = st.one_of(
    record("text", value=TEXTS),
    # Only strings, since how other values would be written as text is not defined.
    st.fixed_dictionaries({"type": st.just("thinking"), "value": TEXTS | st.lists(TEXTS)}),
    record("toolCall", callId=TEXTS, name=TEXTS, input=VALUES),
    record("data", mimeType=st.just(MEDIA_TYPE) | TEXTS, data=BODIES),
    VALUES,
)
STREAM_PARTS = st.one_of(
    record("text-delta", delta=TEXTS),
    record("reasoning-delta", delta=TEXTS),
    record("tool-call", toolCallId=TEXTS, toolName=TEXTS, input=VALUES.map(json.dumps)),
    record("tool-call", id=TEXTS, name=TEXTS, params=VALUES),
    st.fixed_dictionaries({"type": st.just("file"), "mediaType": TEXTS, "data": BODIES | VALUES}),
    record("source", url=TEXTS, title=TEXTS, filename=TEXTS, providerMetadata=VALUES),
    st.fixed_dictionaries({"type": st.just("source"), "metadata": st.dictionaries(TEXTS, SOURCES)}),
    record("finish", finishReason=TEXTS),
    VALUES,
)


FULLSTREAM_PARTS = st.one_of(
    record("text-delta", text=TEXTS),
    record("tool-call", toolCallId=TEXTS, toolName=TEXTS, input=VALUES, invalid=st.booleans()),
    record("file", file=st.fixed_dictionaries({"mediaType": TEXTS, "base64": BODIES | VALUES})),
    record("finish", finishReason=TEXTS, totalUsage=VALUES),
    record("abort"),
    VALUES,
)


COPILOT_CALLS = st.lists(
    record("call", id=TEXTS, name=TEXTS, arguments=VALUES.map(json.dumps)), max_size=2
)
COPILOT_PARTS = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("delta"),
            "index": st.sampled_from([0, 0, 1, None]),
            "delta": st.fixed_dictionaries(
                {},
                optional={
                    "text": TEXTS | VALUES,
                    "thinking": st.fixed_dictionaries({"text": TEXTS | st.lists(TEXTS)}) | VALUES,
                    "copilotToolCalls": COPILOT_CALLS | VALUES,
                    "_deprecatedCopilotFunctionCalls": COPILOT_CALLS,
                },
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("completion"),
            "index": st.sampled_from([0, 1]),
            "reason": st.sampled_from(["stop", "tool_calls", "length", "DONE"]) | VALUES,
        },
        optional={"error": st.dictionaries(st.sampled_from(["message", "code"]), TEXTS) | TEXTS},
    ),
    VALUES,
)
PARTS = {
    "vscode": VSCODE_PARTS,
    "stream": STREAM_PARTS,
    "fullstream": FULLSTREAM_PARTS,
    "copilot": COPILOT_PARTS,
}
TRAITS = st.sampled_from([Traits(), Traits(choices="merge")])


@pytest.mark.parametrize("vocabulary", PARTS)
@given(data=st.data(), done=st.sampled_from(DONES), traits=TRAITS)
def test_node_and_python_read_any_parts_alike(
    fold: Fold, vocabulary: str, data: st.DataObject, done: Any, traits: Traits
) -> None:
    parts = data.draw(st.lists(PARTS[vocabulary], max_size=8))
    assert fold.read(parts, done, vocabulary, traits) == in_python(parts, done, vocabulary, traits)


@pytest.mark.parametrize("choices", ["alternatives", "merge"])
def test_node_and_python_read_several_choices_alike(fold: Fold, choices: Any) -> None:
    traits, parts = Traits(choices=choices), COPILOT["several choices"]
    read = fold.read(parts, DONES[1], "copilot", traits)
    assert read == in_python(parts, DONES[1], "copilot", traits)
    assert read["text"] == {"alternatives": "a", "merge": "ab"}[choices]
    assert read["finish"] == {"alternatives": "stop", "merge": "length"}[choices]


def test_node_and_python_read_prefixed_reasoning_alike(fold: Fold) -> None:
    words = ("[Thinking] I", "[Thinking]  see.", "[Thinking]", "No [Thinking] here.")
    traits, parts = Traits(reasoning="prefixed"), [text(each) for each in words]
    read = fold.read(parts, DONES[1], "vscode", traits)
    assert read == in_python(parts, DONES[1], "vscode", traits)
    assert read["thinking"] == "I see."
    assert read["text"] == "[Thinking]No [Thinking] here."


def test_every_vocabulary_of_the_kit_is_read(fold: Fold) -> None:
    for vocabulary in VOCABULARIES:
        assert fold.read([], None, vocabulary) == in_python([], None, vocabulary)
