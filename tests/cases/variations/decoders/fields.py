"""Decoders that misread the fields of an event."""

import re
from collections.abc import Callable

from conformance.dialects.client.sse import Decoder, Message
from tests.cases.variations.decoders.wrong import (
    Blocks,
    Chunks,
    Fields,
    Lines,
    Matches,
    RawLines,
    Wrong,
    read_block,
    read_field,
    values,
    wrong,
)

BOM = "\ufeff"


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


class ContinuesData(Decoder):
    """Takes a line that is no field for more of the data before it."""

    def _take(self, line: str) -> list[Message]:
        if self._data and line and ":" not in line and line != "data":
            self._data.append(line)
            return []
        return super()._take(line)


def _one_data_line(which: int) -> Callable[[Fields], list[Message]]:
    def message(fields: Fields) -> list[Message]:
        data = values(fields, "data")
        return [Message("message", data[which])] if data else []

    return message


def _change_name(change: Callable[[str], str]) -> Callable[[str], str]:
    def alter(line: str) -> str:
        name, colon, value = line.partition(":")
        return f"{change(name)}{colon}{value}"

    return alter


def _split_at_a_colon(line: str) -> tuple[str, str]:
    name, value = line.split(":", 1)
    return name, value.removeprefix(" ")


def _known_field(line: str) -> tuple[str, str]:
    name, value = read_field(line)
    if name not in ("", "data", "event", "id", "retry"):
        raise ValueError(f"unknown field {name!r}")
    return name, value


def _retry_as_a_number(line: str) -> tuple[str, str]:
    name, value = read_field(line)
    return name, str(int(value)) if name == "retry" else value


def _without_nul(block: list[str]) -> list[Message]:
    return [] if any("\0" in line for line in block) else read_block(block)


FIELDS = (
    wrong("NeedsASpace", Matches, "no-space", pattern=r"data:\s+(.*)|data:"),
    wrong("NeedsExactlyOneSpace", Matches, pattern=r"data: ([^\s].*)"),
    # Cuts off as many characters as `data: ` has.
    wrong(
        "CutsSixCharacters",
        Lines,
        "no-space",
        alter=lambda line: f"data:{line[6:]}" if line.startswith("data:") else line,
    ),
    # Takes data for JSON only if the brace follows the colon, or one white space.
    wrong("KnowsOneSpaceAtMost", Matches, "two-spaces", pattern=r"data:\s?([^\s].*)|data:\s?"),
    # Skips spaces before the data, but no tab.
    wrong("KnowsNoTab", Matches, "tab", pattern=r"data: *([^\s].*)|data: *"),
    # Compares the names of fields without case.
    wrong("CaseInsensitive", Lines, "near-fields", alter=_change_name(str.lower)),
    # Takes every field whose name begins with `data` for data.
    wrong(
        "ComparesTheBeginning",
        Lines,
        "near-fields",
        alter=lambda line: re.sub(r"^data[^:]*:", "data:", line),
    ),
    # Knows fields by their first letter.
    wrong(
        "ComparesTheFirstLetter",
        Lines,
        "near-fields",
        alter=lambda line: re.sub(r"^d\w*:", "data:", line),
    ),
    wrong("StripsLines", Lines, "near-fields", alter=lambda line: line.strip(" \t")),
    wrong("StripsNames", Lines, "near-fields", alter=_change_name(lambda name: name.strip(" \t"))),
    # Takes what follows `data:` in any line for data.
    wrong("FindsDataAnywhere", Lines, alter=lambda line: line[max(line.find("data:"), 0) :]),
    Wrong(NeverDropsABom, "bom+no-event-line+data-lines"),
    Wrong(DropsABomOfTheFirstChunk, "bom+no-event-line+data-lines+cut:1"),
    wrong("DropsTheBomOfEveryLine", Lines, "bom-later", alter=lambda line: line.removeprefix(BOM)),
    wrong(
        "DropsEveryBom", Chunks, "bom-later", alter=lambda chunk: chunk.replace(BOM.encode(), b"")
    ),
    wrong("FirstDataLine", Blocks, message=_one_data_line(0)),
    wrong("LastDataLine", Blocks, "data-lines", message=_one_data_line(-1)),
    # Takes every data line that is not empty for an event.
    wrong(
        "EachDataLine",
        Blocks,
        "data-lines",
        message=lambda fields: [Message("message", v) for v in values(fields, "data") if v],
    ),
    # Takes the name of a data line without a colon for its value.
    wrong(
        "DataWithoutAColonIsText",
        Lines,
        "bare-data",
        alter=lambda line: "data: data" if line == "data" else line,
    ),
    wrong("NeedsAColon", Blocks, field=_split_at_a_colon),
    Wrong(ContinuesData, "foreign-fields"),
    wrong("FailsForUnknownFields", Blocks, field=_known_field),
    wrong("ParsesRetry", Blocks, "ids", field=_retry_as_a_number),
    # Takes a NUL for the end of what was read, as strings of C end.
    wrong("EndsTextAtNul", Chunks, "nul-in-id", alter=lambda chunk: chunk.partition(b"\0")[0]),
    # Drops an event whose id it does not accept.
    wrong("DropsEventsWithNul", Blocks, "nul-in-id", read=_without_nul),
    # Needs the data in the last line of an event.
    wrong(
        "DataComesLast",
        Blocks,
        read=lambda block: read_block(block) if block and block[-1].startswith("data") else [],
    ),
    # Takes every line for data, whether or not it begins with `data:`.
    wrong(
        "ParsesEveryLine",
        Blocks,
        read=lambda block: [Message("message", re.sub(r"^data: ?", "", line)) for line in block],
    ),
    wrong("DataIsLatin1", RawLines, alter=lambda line: line.encode().decode("latin-1")),
    wrong("DataIsAscii", RawLines, alter=lambda line: line.encode("ascii", "ignore").decode()),
    # Replaces escapes in a line before it is parsed as JSON.
    wrong(
        "UnescapesTwice", RawLines, alter=lambda line: line.replace("\\n", "\n").replace('\\"', '"')
    ),
    # Drops characters of no width, such as the joiners in an emoji.
    wrong(
        "DropsInvisibleCharacters", RawLines, alter=lambda line: re.sub("[\u200b-\u200f]", "", line)
    ),
)
