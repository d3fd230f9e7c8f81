"""Decoders that depend on where the network cuts a stream."""

import re

from conformance.dialects.client.sse import Decoder, Message
from tests.cases.variations.decoders.wrong import Chunks, Wrong, wrong


class DecodesEachChunkAlone(Decoder):
    """Keeps nothing of a chunk for the next one."""

    def feed(self, chunk: bytes) -> list[Message]:
        alone = Decoder()
        return [*alone.feed(chunk), *alone.end()]


class DropsUnfinishedLines(Decoder):
    """Drops the last line of a chunk unless it is complete."""

    def feed(self, chunk: bytes) -> list[Message]:
        messages = super().feed(chunk)
        self._line.clear()
        return messages


class KeepsOnlyBegunData(Decoder):
    """Keeps an unfinished line for the next chunk only if it begins with `data:`."""

    def feed(self, chunk: bytes) -> list[Message]:
        messages = super().feed(chunk)
        if not b"".join(self._line).startswith((b"data:", b"\xef")):
            self._line.clear()
        return messages


class EndsLinesBehindTheColon(Decoder):
    """Takes `data:` at the end of a chunk for a complete line."""

    def feed(self, chunk: bytes) -> list[Message]:
        messages = super().feed(chunk)
        if b"".join(self._line) == b"data:":
            self._line.clear()
        return messages


class LooksForTheEndInNewBytes(Decoder):
    """Looks for the end of an event in the new chunk, not where it meets the one before."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = b""

    def feed(self, chunk: bytes) -> list[Message]:
        self._waiting += chunk
        if not re.search(rb"(\r\n|\r|\n)(\r\n|\r|\n)", chunk):
            return []
        ready, self._waiting = self._waiting, b""
        return super().feed(ready)

    def end(self) -> list[Message]:
        return []


class RemembersOneChunk(Decoder):
    """Joins an unfinished line with the next chunk, but not with the one after that."""

    def feed(self, chunk: bytes) -> list[Message]:
        kept, self._line = b"".join(self._line), []
        if kept and not re.search(rb"[\r\n]", chunk):
            self._line.append(chunk)
            return []
        return super().feed(kept + chunk)


class KnowsStreamsByTheirFirstChunk(Decoder):
    """Takes the answer for another format if its first chunk is one byte."""

    def __init__(self) -> None:
        super().__init__()
        self._known: bool | None = None

    def feed(self, chunk: bytes) -> list[Message]:
        if self._known is None:
            self._known = len(chunk) > 1
        return super().feed(chunk) if self._known else []


class OneChunkBehind(Decoder):
    """Reads a chunk when the next one comes, so never the last one."""

    def __init__(self) -> None:
        super().__init__()
        self._held = b""

    def feed(self, chunk: bytes) -> list[Message]:
        held, self._held = self._held, chunk
        return super().feed(held)


class ForgetsTheNameOfAnEventAtAChunk(Decoder):
    """Forgets the fields of an unfinished event when a chunk ends."""

    def feed(self, chunk: bytes) -> list[Message]:
        messages = super().feed(chunk)
        self._data = []
        return messages


class EventsOfAChunk(Decoder):
    """Reads some of the events of every chunk only."""

    which = slice(None)

    def feed(self, chunk: bytes) -> list[Message]:
        return super().feed(chunk)[self.which]


def _latin1_unless_valid(chunk: bytes) -> bytes:
    try:
        return chunk.decode("utf-8").encode()
    except UnicodeDecodeError:
        return chunk.decode("latin-1").encode()


def _mend_escapes(chunk: bytes) -> bytes:
    """Doubles backslashes that escape nothing, chunk by chunk."""
    return re.sub(rb'\\(\\|["/bfnrtu]|\Z)', lambda found: found[0] if found[1] else rb"\\", chunk)


CHUNKS = (
    Wrong(DecodesEachChunkAlone),
    Wrong(DropsUnfinishedLines),
    # Decode each chunk as UTF-8 by itself.
    wrong(
        "ReplacesHalfCharacters",
        Chunks,
        "cut:character",
        alter=lambda chunk: chunk.decode("utf-8", "replace").encode(),
    ),
    wrong(
        "IgnoresHalfCharacters",
        Chunks,
        "cut:character",
        alter=lambda chunk: chunk.decode("utf-8", "ignore").encode(),
    ),
    wrong(
        "FailsOnHalfCharacters",
        Chunks,
        "cut:character",
        alter=lambda chunk: chunk.decode("utf-8").encode(),
    ),
    wrong("ReadsHalfCharactersAsLatin1", Chunks, "cut:character", alter=_latin1_unless_valid),
    Wrong(KeepsOnlyBegunData, "cut:field"),
    Wrong(EndsLinesBehindTheColon, "cut:colon"),
    # Takes digits at the beginning of a chunk for its size in HTTP.
    wrong(
        "TakesDigitsForAChunkSize",
        Chunks,
        "cut:number",
        alter=lambda chunk: chunk.lstrip(b"0123456789"),
    ),
    wrong("MendsEscapes", Chunks, "cut:escape", alter=_mend_escapes),
    Wrong(LooksForTheEndInNewBytes, "cut:line-ends"),
    wrong("StripsChunks", Chunks, alter=bytes.strip),
    # Puts a line end where two chunks meet.
    wrong(
        "EndsLinesAtChunks",
        Chunks,
        alter=lambda chunk: chunk if chunk.endswith((b"\n", b"\r")) else chunk + b"\n",
    ),
    Wrong(RemembersOneChunk, "cut:number"),
    Wrong(KnowsStreamsByTheirFirstChunk, "cut:1"),
    wrong("FirstOfAChunk", EventsOfAChunk, which=slice(1)),
    wrong("LastOfAChunk", EventsOfAChunk, which=slice(-1, None)),
    Wrong(OneChunkBehind),
    Wrong(ForgetsTheNameOfAnEventAtAChunk),
)
