"""Decoders that depend on where the network cuts a stream."""

from __future__ import annotations

import re

from conformance.dialects.client.sse import Decoder, Message
from tests.cases.variations.decoders.wrong import Altered, Wrong


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


class ReplacesHalfCharacters(Altered):
    """Decodes each chunk as UTF-8 by itself."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk.decode("utf-8", "replace").encode()


class IgnoresHalfCharacters(Altered):
    """Decodes each chunk as UTF-8 by itself, without what is not valid."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk.decode("utf-8", "ignore").encode()


class FailsOnHalfCharacters(Altered):
    """Decodes each chunk as UTF-8 by itself, strictly."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk.decode("utf-8").encode()


class ReadsHalfCharactersAsLatin1(Altered):
    """Decodes a chunk that is not valid UTF-8 as Latin-1."""

    def alter(self, chunk: bytes) -> bytes:
        try:
            return chunk.decode("utf-8").encode()
        except UnicodeDecodeError:
            return chunk.decode("latin-1").encode()


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


class TakesDigitsForAChunkSize(Altered):
    """Takes digits at the beginning of a chunk for its size in HTTP."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk.lstrip(b"0123456789")


class MendsEscapes(Altered):
    """Doubles backslashes that escape nothing, chunk by chunk."""

    def alter(self, chunk: bytes) -> bytes:
        return re.sub(rb'\\(\\|["/bfnrtu]|\Z)', self._mended, chunk)

    def _mended(self, found: re.Match[bytes]) -> bytes:
        return found[0] if found[1] else rb"\\"


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


class StripsChunks(Altered):
    """Removes white space around every chunk."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk.strip()


class EndsLinesAtChunks(Altered):
    """Puts a line end where two chunks meet."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk if chunk.endswith((b"\n", b"\r")) else chunk + b"\n"


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


class FirstOfAChunk(Decoder):
    """Reads the first event of every chunk only."""

    def feed(self, chunk: bytes) -> list[Message]:
        return super().feed(chunk)[:1]


class LastOfAChunk(Decoder):
    """Reads the last event of every chunk only."""

    def feed(self, chunk: bytes) -> list[Message]:
        return super().feed(chunk)[-1:]


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


CHUNKS = (
    Wrong(DecodesEachChunkAlone),
    Wrong(DropsUnfinishedLines),
    Wrong(ReplacesHalfCharacters, "cut:character"),
    Wrong(IgnoresHalfCharacters, "cut:character"),
    Wrong(FailsOnHalfCharacters, "cut:character"),
    Wrong(ReadsHalfCharactersAsLatin1, "cut:character"),
    Wrong(KeepsOnlyBegunData, "cut:field"),
    Wrong(EndsLinesBehindTheColon, "cut:colon"),
    Wrong(TakesDigitsForAChunkSize, "cut:number"),
    Wrong(MendsEscapes, "cut:escape"),
    Wrong(LooksForTheEndInNewBytes, "cut:line-ends"),
    Wrong(StripsChunks),
    Wrong(EndsLinesAtChunks),
    Wrong(RemembersOneChunk, "cut:number"),
    Wrong(KnowsStreamsByTheirFirstChunk, "cut:1"),
    Wrong(FirstOfAChunk),
    Wrong(LastOfAChunk),
    Wrong(OneChunkBehind),
    Wrong(ForgetsTheNameOfAnEventAtAChunk),
)
