"""Decoders that misread the fields of an event."""

from __future__ import annotations

import re

from conformance.dialects.client.sse import Decoder, Message
from tests.cases.variations.decoders.wrong import Altered, Blocks, Wrong

BOM = "\ufeff"


class Renames(Decoder):
    """Changes each line before it is read."""

    def _take(self, line: str) -> list[Message]:
        return super()._take(self.rename(line))

    def rename(self, line: str) -> str:
        raise NotImplementedError


class Matches(Decoder):
    """Finds data by a pattern whose group is the value; other lines with `data` are skipped."""

    pattern = ""

    def _take(self, line: str) -> list[Message]:
        if not line.startswith("data") or line == "data" or line.startswith("data: [DONE]"):
            return super()._take(line)
        found = re.fullmatch(self.pattern, line, re.DOTALL)
        return super()._take(f"data: {found[1] or ''}" if found else ":")


class NeedsASpace(Matches):
    """Needs white space after the colon."""

    pattern = r"data:\s+(.*)|data:"


class NeedsExactlyOneSpace(Matches):
    """Needs `data: `, and nothing else before the brace."""

    pattern = r"data: ([^\s].*)"


class CutsSixCharacters(Renames):
    """Cuts off as many characters as `data: ` has."""

    def rename(self, line: str) -> str:
        return f"data:{line[6:]}" if line.startswith("data:") else line


class KnowsOneSpaceAtMost(Matches):
    """Takes data for JSON only if the brace follows the colon, or one white space."""

    pattern = r"data:\s?([^\s].*)|data:\s?"


class KnowsNoTab(Matches):
    """Skips spaces before the data, but no tab."""

    pattern = r"data: *([^\s].*)|data: *"


class CaseInsensitive(Renames):
    """Compares the names of fields without case."""

    def rename(self, line: str) -> str:
        name, colon, value = line.partition(":")
        return name.lower() + colon + value


class ComparesTheBeginning(Renames):
    """Takes every field whose name begins with `data` for data."""

    def rename(self, line: str) -> str:
        return re.sub(r"^data[^:]*:", "data:", line)


class ComparesTheFirstLetter(Renames):
    """Knows fields by their first letter."""

    def rename(self, line: str) -> str:
        return re.sub(r"^d\w*:", "data:", line)


class StripsLines(Renames):
    """Removes white space around every line."""

    def rename(self, line: str) -> str:
        return line.strip(" \t")


class StripsNames(Renames):
    """Removes white space around the name of a field."""

    def rename(self, line: str) -> str:
        name, colon, value = line.partition(":")
        return name.strip(" \t") + colon + value


class FindsDataAnywhere(Renames):
    """Takes what follows `data:` in any line for data."""

    def rename(self, line: str) -> str:
        return line[at:] if (at := line.find("data:")) >= 0 else line


class NeverDropsABom(Decoder):
    """Keeps a BOM at the start of the stream."""

    def __init__(self) -> None:
        super().__init__()
        self._first = False


class DropsABomOfTheFirstChunk(NeverDropsABom):
    """Drops a BOM if the first chunk has all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = False

    def feed(self, chunk: bytes) -> list[Message]:
        if not self._begun:
            self._begun = True
            chunk = chunk.removeprefix(BOM.encode())
        return super().feed(chunk)


class DropsTheBomOfEveryLine(Renames):
    """Drops a BOM at the beginning of any line."""

    def rename(self, line: str) -> str:
        return line.removeprefix(BOM)


class DropsEveryBom(Altered):
    """Drops the bytes of a BOM wherever they are."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk.replace(BOM.encode(), b"")


class FirstDataLine(Blocks):
    """Keeps the first data line of an event only."""

    def message(self, fields: list[tuple[str, str]]) -> list[Message]:
        data = [value for name, value in fields if name == "data"]
        return [Message("message", data[0])] if data else []


class LastDataLine(Blocks):
    """Keeps the last data line of an event only."""

    def message(self, fields: list[tuple[str, str]]) -> list[Message]:
        data = [value for name, value in fields if name == "data"]
        return [Message("message", data[-1])] if data else []


class EachDataLine(Blocks):
    """Takes every data line that is not empty for an event."""

    def message(self, fields: list[tuple[str, str]]) -> list[Message]:
        return [Message("message", value) for name, value in fields if name == "data" and value]


class DataWithoutAColonIsText(Renames):
    """Takes the name of a data line without a colon for its value."""

    def rename(self, line: str) -> str:
        return "data: data" if line == "data" else line


class NeedsAColon(Blocks):
    """Fails for a line without a colon."""

    def field(self, line: str) -> tuple[str, str]:
        name, value = line.split(":", 1)
        return name, value.removeprefix(" ")


class ContinuesData(Decoder):
    """Takes a line that is no field for more of the data before it."""

    def _take(self, line: str) -> list[Message]:
        if self._data and line and ":" not in line and line != "data":
            self._data.append(line)
            return []
        return super()._take(line)


class FailsForUnknownFields(Blocks):
    """Fails for fields that the standard does not know."""

    def field(self, line: str) -> tuple[str, str]:
        name, value = super().field(line)
        if name not in ("", "data", "event", "id", "retry"):
            raise ValueError(f"unknown field {name!r}")
        return name, value


class ParsesRetry(Blocks):
    """Fails if the time to retry is no number."""

    def field(self, line: str) -> tuple[str, str]:
        name, value = super().field(line)
        return name, str(int(value)) if name == "retry" else value


class EndsTextAtNul(Altered):
    """Takes a NUL for the end of what was read, as strings of C end."""

    def alter(self, chunk: bytes) -> bytes:
        return chunk.partition(b"\0")[0]


class DropsEventsWithNul(Blocks):
    """Drops an event whose id it does not accept."""

    def read(self, block: list[str]) -> list[Message]:
        return [] if any("\0" in line for line in block) else super().read(block)


class DataComesLast(Blocks):
    """Needs the data in the last line of an event."""

    def read(self, block: list[str]) -> list[Message]:
        return super().read(block) if block and block[-1].startswith("data") else []


class ParsesEveryLine(Blocks):
    """Takes every line for data, whether or not it begins with `data:`."""

    def read(self, block: list[str]) -> list[Message]:
        lines = (re.sub(r"^data: ?", "", line) for line in block)
        return [Message("message", line) for line in lines]


class DataIsLatin1(Decoder):
    """Decodes lines as Latin-1."""

    def _whole_line(self) -> str:
        return super()._whole_line().encode().decode("latin-1")


class DataIsAscii(Decoder):
    """Drops characters outside of ASCII."""

    def _whole_line(self) -> str:
        return super()._whole_line().encode("ascii", "ignore").decode()


class UnescapesTwice(Decoder):
    """Replaces escapes in a line before it is parsed as JSON."""

    def _whole_line(self) -> str:
        return super()._whole_line().replace("\\n", "\n").replace('\\"', '"')


class DropsInvisibleCharacters(Decoder):
    """Drops characters of no width, such as the joiners in an emoji."""

    def _whole_line(self) -> str:
        return re.sub("[\u200b-\u200f]", "", super()._whole_line())


FIELDS = (
    Wrong(NeedsASpace, "no-space"),
    Wrong(NeedsExactlyOneSpace),
    Wrong(CutsSixCharacters, "no-space"),
    Wrong(KnowsOneSpaceAtMost, "two-spaces"),
    Wrong(KnowsNoTab, "tab"),
    Wrong(CaseInsensitive, "near-fields"),
    Wrong(ComparesTheBeginning, "near-fields"),
    Wrong(ComparesTheFirstLetter, "near-fields"),
    Wrong(StripsLines, "near-fields"),
    Wrong(StripsNames, "near-fields"),
    Wrong(FindsDataAnywhere),
    Wrong(NeverDropsABom, "bom+no-event-line+data-lines"),
    Wrong(DropsABomOfTheFirstChunk, "bom+no-event-line+data-lines+cut:1"),
    Wrong(DropsTheBomOfEveryLine, "bom-later"),
    Wrong(DropsEveryBom, "bom-later"),
    Wrong(FirstDataLine),
    Wrong(LastDataLine, "data-lines"),
    Wrong(EachDataLine, "data-lines"),
    Wrong(DataWithoutAColonIsText, "bare-data"),
    Wrong(NeedsAColon),
    Wrong(ContinuesData, "foreign-fields"),
    Wrong(FailsForUnknownFields),
    Wrong(ParsesRetry, "ids"),
    Wrong(EndsTextAtNul, "nul-in-id"),
    Wrong(DropsEventsWithNul, "nul-in-id"),
    Wrong(DataComesLast),
    Wrong(ParsesEveryLine),
    Wrong(DataIsLatin1),
    Wrong(DataIsAscii),
    Wrong(UnescapesTwice),
    Wrong(DropsInvisibleCharacters),
)
