"""What a program gets of the AI SDK's ``fullStream``, held against the truth.

A script tells each piece of content: the core hands on every delta by itself, in the order of the
wire, but for an empty one of text. Blocks are told apart by ids of the upstream's own, so only that
equal ones are one block is held against the blocks. What is around the content follows a grammar.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mockserver.scenario.script import Cite, Delta, End, NextPart, Says, Start, Usage

if TYPE_CHECKING:
    from mockserver.scenario.script import Citation
    from tests.clients.truth import Truth

Part = Mapping[str, Any]
Piece = tuple[Any, ...]

_BLOCKS = {"text": "text", "refusal": "text", "reasoning": "reasoning"}
_GOOD = {"stop", "tool-calls"}


def expect_parts(parts: Sequence[Part], truth: Truth) -> None:
    """The stream was read whole, and is the scenario's."""
    failed = truth.story.outcome == "failed"
    expect_grammar(parts, closed=not failed)
    expect_content(list(pieces(parts)), truth)
    errors = [part["error"] for part in parts if part["type"] == "error"]
    assert bool(errors) == failed
    if failed:
        expect_told(errors[0], truth)
    step, finish = parts[-2:]
    assert step["finishReason"] == finish["finishReason"]
    expect_ending(finish["finishReason"], finish["totalUsage"], truth)


def expect_answer(answer: Part, truth: Truth) -> None:
    """An answer that is there as a whole has the same, and its blocks are those of the stream."""
    found = answer["content"]
    assert not [part for part in found if part["type"] == "tool-error"]
    if isinstance(truth.script, Says):
        told = list(said(truth.script))
        assert texts(found) == {kind: blocks(told, kind) for kind in ("text", "reasoning")}
        rest = [piece for piece in told if piece[0] in ("call", "source")]
        assert [piece for piece in pieces(found) if piece[0] in ("call", "source")] == rest
    else:
        grown = [(part["type"], "", part.get("text")) for part in found if "text" in part]
        expect_content([*pieces(found), *grown], truth)
    expect_ending(answer["finishReason"], answer["usage"], truth)


def texts(content: Iterable[Part]) -> dict[str, list[str]]:
    """The blocks of an answer; one that nothing was said in is not there or is empty."""
    found: dict[str, list[str]] = {"text": [], "reasoning": []}
    for part in content:
        if part.get("text"):
            found[part["type"]].append(part["text"])
    return found


def blocks(told: Iterable[Piece], kind: str) -> list[str]:
    """What was said in each block, in the order of their first words."""
    grown: dict[str, str] = {}
    for _, id_, value in _of(told, kind):
        grown[id_] = grown.get(id_, "") + value
    return [value for value in grown.values() if value]


def expect_grammar(parts: Sequence[Part], *, closed: bool) -> None:
    """One step from its beginning to its end; blocks and inputs begin, grow, and end."""
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
    """The content of a stream."""
    for part in parts:
        match part:
            case {"type": "text-delta" | "reasoning-delta" as type_, "id": id_, "text": said}:
                yield type_.removesuffix("-delta"), id_, said
            case {"type": "tool-input-delta", "id": id_, "delta": said}:
                yield "input", id_, said
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
    """Who is cited; a document has what tells it from others in the provider's metadata."""
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
    """The content is the scenario's, piece by piece where it is a script."""
    if isinstance(truth.script, Says):
        assert renamed(found) == renamed(said(truth.script))
        return
    # A list of parts has them as the upstream cut them; the story tells what they amount to.
    told = truth.streamed
    assert joined(found, "text") == told["text"] + told["refusal"]
    assert joined(found, "reasoning") == told["reasoning"]
    assert {id_: call for _, id_, *call in _of(found, "call")} == {
        id_: [name, in_node(json.dumps(input_))] for id_, (name, input_) in truth.calls.items()
    }
    assert _of(found, "source") == [_cited(citation) for citation in truth.story.citations]
    files = [("file", data.mime_type, data.data) for data in truth.story.data]
    assert sorted(_of(found, "file")) == sorted(files)


def _of(found: Iterable[Piece], kind: str) -> list[Piece]:
    return [piece for piece in found if piece[0] == kind]


def joined(found: Iterable[Piece], kind: str) -> str:
    return "".join(piece[2] for piece in _of(found, kind))


def renamed(told: Iterable[Piece]) -> list[Piece]:
    """Blocks by the order of their beginning: which ids they have is left open."""
    names: dict[tuple[str, str], int] = {}
    return [
        (piece[0], names.setdefault(piece[:2], len(names)), *piece[2:])
        if piece[0] in _BLOCKS
        else piece
        for piece in told
    ]


def said(script: Says) -> Iterator[Piece]:
    """What a script tells, as pieces of content."""
    blocks: dict[str, Start] = {}
    inputs: dict[str, str] = {}
    parts: dict[str, int] = {}
    for step in script.steps:
        match step:
            case Start(block):
                blocks[block], inputs[block], parts[block] = step, "", 0
            case NextPart(block):
                parts[block] += 1
            case Delta(block, value) if blocks[block].kind == "call":
                inputs[block] += value
                yield "input", blocks[block].call_id, value
            case Delta(block, value) if value or blocks[block].kind == "reasoning":
                yield _BLOCKS[blocks[block].kind], f"{block}:{parts[block]}", value
            case End(block) if blocks[block].kind == "call":
                input_ = in_node(inputs[block] or "{}")
                yield "call", blocks[block].call_id, blocks[block].name, input_
            case Cite(_, citation):
                yield _cited(citation)


def expect_ending(reason: str, usage: Mapping[str, Any], truth: Truth) -> None:
    """The reason is the scenario's, or where that leaves it open, a good one; so is the usage."""
    story = truth.story
    if story.outcome == "failed":
        assert reason == "error"
    elif story.reason:
        assert reason == story.reason
    else:
        assert (reason in _GOOD) == (story.outcome == "completed")
    counts = [usage[f"{side}Tokens"] for side in ("input", "output")]
    assert usage["totalTokens"] == sum(counts)
    steps = truth.script.steps if isinstance(truth.script, Says) else ()
    for told in (step for step in steps if isinstance(step, Usage)):
        assert counts == [told.input, told.output]


def expect_told(error: Any, truth: Truth) -> None:
    """A failure is told in the words of the upstream."""
    expected = truth.story.error
    assert expected
    assert error["message"] == expected.message
    assert error.get("code") == (expected.code or None)
