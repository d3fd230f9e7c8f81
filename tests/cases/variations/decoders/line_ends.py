"""Decoders that do not know where a line ends."""

import re
from collections.abc import Iterator

from conformance.dialects.client.sse import Decoder, Message
from tests.cases.variations.decoders.wrong import Blocks, Chunks, Wrong, wrong


class SplitText(Decoder):
    """Collects the text, and cuts it at each match of ``ends``."""

    ends = r"\r\n|\n|\r"

    def __init__(self) -> None:
        super().__init__()
        self._text = b""

    def _lines(self, chunk: bytes) -> Iterator[str]:
        self._text += chunk
        *lines, self._text = re.split(self.ends.encode(), self._text)
        for line in lines:
            self._line.append(line)
            yield self._whole_line()

    def end(self) -> list[Message]:
        return []


class LfOrElseCr(SplitText):
    """Ends lines at LF where there is one in the first chunk, else at CR."""

    def _lines(self, chunk: bytes) -> Iterator[str]:
        if self.ends == SplitText.ends and re.search(rb"[\r\n]", chunk):
            self.ends = r"\n" if b"\n" in chunk else r"\r"
        return super()._lines(chunk)


class EndsAtEveryCharacter(Decoder):
    """Takes CR LF for two line ends."""

    def _lines(self, chunk: bytes) -> Iterator[str]:
        self._after_cr = False
        for line in super()._lines(chunk.replace(b"\r\n", b"\n\n")):
            self._after_cr = False
            yield line


class SameEndsTwice(Blocks):
    """Ends events at two line ends of the same kind only."""

    def __init__(self) -> None:
        super().__init__()
        self._text = b""

    def feed(self, chunk: bytes) -> list[Message]:
        self._text += chunk
        *blocks, self._text = re.split(rb"\r\n\r\n|\n\n|\r\r", self._text)
        lines = ([*map(self._read, re.split(rb"[\r\n]+", block))] for block in blocks)
        return [message for block in lines for message in self.read(block)]

    def _read(self, line: bytes) -> str:
        self._line.append(line)
        return self._whole_line()


class FirstEndDecides(SplitText):
    """Ends every line at CR if the first one ends so, else at LF with or without CR."""

    def _lines(self, chunk: bytes) -> Iterator[str]:
        if self.ends == SplitText.ends:
            found = re.search(rb"\r\n|\n|\r(?!\Z)", self._text + chunk)
            if not found:
                self._text += chunk
                return iter(())
            self.ends = r"\r" if found[0] == b"\r" else r"\r?\n"
        return super()._lines(chunk)


class ReplacesCrLfInEachChunk(Decoder):
    """Replaces CR LF and CR by LF in each chunk; a CR at the end of a chunk stays as it is."""

    def __init__(self) -> None:
        super().__init__()
        self._kept = b""

    def feed(self, chunk: bytes) -> list[Message]:
        text = re.sub(rb"\r\n|\r(?!\Z)", b"\n", chunk)
        *lines, self._kept = (self._kept + text).split(b"\n")
        return [message for line in lines for message in self._take(self._read(line))]

    def end(self) -> list[Message]:
        return [*self._take(self._read(self._kept.rstrip(b"\r"))), *self._dispatch()]

    def _read(self, line: bytes) -> str:
        self._line.append(line)
        return self._whole_line()


class CountsASplitCrLfTwice(Decoder):
    """Takes an LF at the beginning of a chunk for a line end, also after a CR."""

    def feed(self, chunk: bytes) -> list[Message]:
        self._after_cr = False
        return super().feed(chunk)


class SkipsALfAfterAnyCr(Decoder):
    """Takes the LF of a blank line for that of a CR which came earlier in the chunk."""

    def feed(self, chunk: bytes) -> list[Message]:
        return super().feed(re.sub(rb"(\r[^\r]*[^\r\n])\n\n", rb"\1\n", chunk))


class LinesOf(Decoder):
    """Takes other characters for line ends, too."""

    characters = ""

    def _lines(self, chunk: bytes) -> Iterator[str]:
        for line in super()._lines(chunk):
            yield from re.split(f"[{self.characters}]", line) if line else [line]


LINE_ENDS = (
    # Keeps the CR before an LF, so that no line is blank.
    wrong("LfAlone", SplitText, ends=r"\n"),
    Wrong(LfOrElseCr, "crlf"),
    # Does not know that CR ends a line by itself.
    wrong("LfWithOrWithoutCr", SplitText, "cr", ends=r"\r?\n"),
    wrong("CrLfAlone", SplitText, ends=r"\r\n"),
    # Ends lines at CR LF and CR, but not at LF.
    wrong("WindowsOrMac", SplitText, ends=r"\r\n|\r"),
    wrong("RemovesCr", Chunks, "cr", alter=lambda chunk: chunk.replace(b"\r", b"")),
    Wrong(EndsAtEveryCharacter, "cut:data-lines"),
    # Takes every CR for one of CR LF, and skips the next character.
    wrong("SkipsWhatFollowsCr", SplitText, "cr", ends=r"(?s)\r.|\n"),
    Wrong(SameEndsTwice),
    Wrong(FirstEndDecides, "mixed-line-ends"),
    Wrong(ReplacesCrLfInEachChunk, "cut:cr-lf"),
    Wrong(CountsASplitCrLfTwice, "cut:data-lines"),
    Wrong(SkipsALfAfterAnyCr, "crlf-then-lf"),
    # As `splitlines` does and JavaScript did in strings.
    wrong("SplitsAtUnicodeSeparators", LinesOf, characters="\u2028\u2029"),
    wrong("SplitsAtNextLine", LinesOf, "line-separators", characters="\x85"),
    # As the white space of C.
    wrong("SplitsAtVerticalTab", LinesOf, "line-separators", characters="\v\f"),
    # As Python's `str.splitlines`.
    wrong("SplitsAtFileSeparators", LinesOf, "line-separators", characters="\x1c\x1d\x1e"),
)
