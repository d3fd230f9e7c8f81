"""Legal streams of the AI SDK by layer and generation, and functions to make parts.

Each holds reasoning, text, a call with a streamed input, a source and a file; a full stream and a
message also hold a second step. Source: the notes about the streams of released versions; the
examples are those of ai 4.3.19, 5.0.277, 6.0.326 and 7.0.173.
"""

from typing import Any

from tests.stream.tables import Events, Json, Wire, table_of

STREAMS = table_of("conformance.dialects.vercel").bases
"""The legal streams by name, each with its dialect and its events."""

V3, AI_4, AI_6 = (STREAMS[name][1] for name in ("V3", "ai 4", "ai 6"))
V3_FINISH = V3[-1]
PNG = "iVBORw0KGgo="


def part(type_: str, **fields: Any) -> Json:
    return {"type": type_, **fields}


def streamed(id_: str, *pieces: str) -> Events:
    """The streamed input of a call, as providers and full streams name its parts."""
    grown = [part("tool-input-delta", id=id_, delta=piece) for piece in pieces]
    return [
        part("tool-input-start", id=id_, toolName="search"),
        *grown,
        part("tool-input-end", id=id_),
    ]


def called(id_: str, **input_: Any) -> Json:
    return part("tool-call", toolCallId=id_, toolName="search", **input_)


written = Wire(names=False).bytes
