"""Reads the AI SDK's ``fullStream``, and compares it with the expected content.

With a script, each delta is compared: the SDK passes every delta on, in the order of the wire,
except empty ones of text. Block ids are the upstream's choice, so only the grouping by id is
compared with the script's blocks. The parts around the content follow a grammar.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mockserver.scenario.script import Citation, Cite, Delta, End, NextPart, Says, Start, Usage
from tests.clients.truth import Truth

Part = Mapping[str, Any]
Piece = tuple[Any, ...]

_BLOCKS = {"text": "text", "refusal": "text", "reasoning": "reasoning"}
_GOOD = {"stop", "tool-calls"}


def expect_parts(parts: Sequence[Part], truth: Truth) -> None:
    """The stream was read completely, and its content, ending and usage are the scenario's."""
    failed = truth.content.outcome == "failed"
    expect_grammar(parts, closed=not failed)
    expect_content(list(pieces(parts)), truth)
    errors = [part["error"] for part in parts if part["type"] == "error"]
    assert bool(errors) == failed
    if failed:
        expect_error(errors[0], truth)
    step, finish = parts[-2:]
    assert step["finishReason"] == finish["finishReason"]
    expect_ending(finish["finishReason"], finish["totalUsage"], truth)


def expect_answer(answer: Part, truth: Truth) -> None:
    """A non-streaming answer has the scenario's content, in the blocks of the stream."""
    found = answer["content"]
    assert not [part for part in found if part["type"] == "tool-error"]
    if isinstance(truth.script, Says):
        expected = list(script_pieces(truth.script))
        assert texts(found) == {kind: blocks(expected, kind) for kind in ("text", "reasoning")}
        rest = [piece for piece in expected if piece[0] in ("call", "source")]
        assert [piece for piece in pieces(found) if piece[0] in ("call", "source")] == rest
    else:
        grown = [(part["type"], "", part.get("text")) for part in found if "text" in part]
        expect_content([*pieces(found), *grown], truth)
    expect_ending(answer["finishReason"], answer["usage"], truth)


def texts(content: Iterable[Part]) -> dict[str, list[str]]:
    """The non-empty blocks of an answer."""
    found: dict[str, list[str]] = {"text": [], "reasoning": []}
    for part in content:
        if part.get("text"):
            found[part["type"]].append(part["text"])
    return found


def blocks(content: Iterable[Piece], kind: str) -> list[str]:
    """The content of each block, in the order in which the blocks have their first content."""
    grown: dict[str, str] = {}
    for _, id_, value in _of(content, kind):
        grown[id_] = grown.get(id_, "") + value
    return [value for value in grown.values() if value]


def expect_grammar(parts: Sequence[Part], *, closed: bool) -> None:
    """One step from its beginning to its end; blocks and inputs start, grow, and end."""
    types = [part["type"] for part in parts]
    assert types[:2] == ["start", "start-step"]
    assert types[-2:] == ["finish-step", "finish"]
    assert not set(types[2:-2]) & {"start", "start-step", "finish-step", "finish", "abort"}
    opened: set[tuple[str, str]] = set()
    for part in parts:
        kind, _, step = part["type"].rpartition("-")
        if step == "start" and kind:
            assert (kind, part["id"]) not in opened
            opened.add((kind, part["id"]))
        elif step == "delta":
            assert (kind, part["id"]) in opened
        elif step == "end":
            opened.remove((kind, part["id"]))
        elif part["type"] == "tool-call":
            assert ("tool-input", part["toolCallId"]) not in opened
    assert not (closed and opened & {block for block in opened if block[0] != "tool-input"})


def pieces(parts: Iterable[Part]) -> Iterator[Piece]:
    for part in parts:
        match part:
            case {
                "type": "text-delta" | "reasoning-delta" as type_,
                "id": id_,
                "text": script_pieces,
            }:
                yield type_.removesuffix("-delta"), id_, script_pieces
            case {"type": "tool-input-delta", "id": id_, "delta": script_pieces}:
                yield "input", id_, script_pieces
            case {"type": "tool-call", "providerExecuted": True}:
                assert not part.get("invalid")
            case {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_}:
                assert not part.get("invalid")
                yield "call", id_, name, in_node(json.dumps(input_))
            case {"type": "source"}:
                yield source(part)
            case {"type": "file" | "reasoning-file", "file": held}:
                yield "file", held["mediaType"], held["base64"]


def in_node(text: str) -> Any:
    """JSON as Node parses it: every number is a double."""
    return json.loads(text, parse_int=float)


def source(part: Part) -> Piece:
    """A source as a piece; a document is identified by the provider's metadata."""
    if part["sourceType"] == "url":
        return "source", part["url"], part.get("title", "")
    own = part["providerMetadata"]["openai"]
    ids = own.get("fileId", ""), own.get("containerId", "")
    return "source", *ids, part.get("filename", "")


def _cited(citation: Citation) -> Piece:
    if citation.url:
        return "source", citation.url, citation.title or ""
    return "source", citation.file_id or "", citation.container_id or "", citation.filename or ""


def expect_content(found: Sequence[Piece], truth: Truth) -> None:
    """The content is the scenario's, piece by piece if it is a script."""
    if isinstance(truth.script, Says):
        assert renamed(found) == renamed(script_pieces(truth.script))
        return
    # In a list of parts the deltas are the author's, so the joined content is compared.
    expected = truth.streamed
    assert joined(found, "text") == expected["text"] + expected["refusal"]
    assert joined(found, "reasoning") == expected["reasoning"]
    assert {id_: call for _, id_, *call in _of(found, "call")} == {
        id_: [name, in_node(json.dumps(input_))] for id_, (name, input_) in truth.calls.items()
    }
    assert _of(found, "source") == [_cited(citation) for citation in truth.content.citations]
    files = [("file", data.mime_type, data.data) for data in truth.content.data]
    assert sorted(_of(found, "file")) == sorted(files)


def _of(found: Iterable[Piece], kind: str) -> list[Piece]:
    return [piece for piece in found if piece[0] == kind]


def joined(found: Iterable[Piece], kind: str) -> str:
    return "".join(piece[2] for piece in _of(found, kind))


def renamed(found: Iterable[Piece]) -> list[Piece]:
    """The pieces with block ids replaced by numbers in order of first use."""
    names: dict[tuple[str, str], int] = {}
    return [
        (piece[0], names.setdefault(piece[:2], len(names)), *piece[2:])
        if piece[0] in _BLOCKS
        else piece
        for piece in found
    ]


def script_pieces(script: Says) -> Iterator[Piece]:
    """The content of a script, as pieces."""
    starts: dict[str, Start] = {}
    inputs: dict[str, str] = {}
    parts: dict[str, int] = {}
    for step in script.steps:
        match step:
            case Start(block):
                starts[block], inputs[block], parts[block] = step, "", 0
            case NextPart(block):
                parts[block] += 1
            case Delta(block, value) if starts[block].kind == "call":
                inputs[block] += value
                yield "input", starts[block].call_id, value
            case Delta(block, value) if value or starts[block].kind == "reasoning":
                yield _BLOCKS[starts[block].kind], f"{block}:{parts[block]}", value
            case End(block) if starts[block].kind == "call":
                input_ = in_node(inputs[block] or "{}")
                yield "call", starts[block].call_id, starts[block].name, input_
            case Cite(_, citation):
                yield _cited(citation)


def expect_ending(reason: str, usage: Mapping[str, Any], truth: Truth) -> None:
    """The finish reason is the scenario's, or a good one if it is left open; so is the usage."""
    content = truth.content
    if content.outcome == "failed":
        assert reason == "error"
    elif content.reason:
        assert reason == content.reason
    else:
        assert (reason in _GOOD) == (content.outcome == "completed")
    counts = [usage[f"{side}Tokens"] for side in ("input", "output")]
    assert usage["totalTokens"] == sum(counts)
    steps = truth.script.steps if isinstance(truth.script, Says) else ()
    for expected in (step for step in steps if isinstance(step, Usage)):
        assert counts == [expected.input, expected.output]


def expect_error(error: Any, truth: Truth) -> None:
    """The error has the upstream's message and code."""
    expected = truth.content.error
    assert expected
    assert error["message"] == expected.message
    assert error.get("code") == (expected.code or None)
