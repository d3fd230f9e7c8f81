"""``Wrong``: a decoder of event streams with one real defect, and what exposes it.

Most are made of a base with one changed step: what a chunk, a line or a block is taken for.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.dialects.client.sse import Decoder, Message

Fields = list[tuple[str, str]]


class Decodes(Protocol):
    """What an adapter asks of a decoder."""

    def feed(self, chunk: bytes) -> list[Message]: ...

    def end(self) -> list[Message]: ...


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong decoder; ``only`` is the variation without which it would pass the default cases.

    ``only`` is empty for decoders that plain streams, or several variations, expose. ``dialect`` is
    the one in which the decoder is played.
    """

    decoder: Callable[[], Decodes]
    only: str = ""
    dialect: str = "chat"

    @property
    def name(self) -> str:
        return getattr(self.decoder, "__name__", repr(self.decoder))


def wrong(name: str, base: type[Decoder], only: str = "", **steps: Any) -> Wrong:
    """A decoder of this name: the base with these steps, which are functions or values."""
    changed = {key: staticmethod(step) if callable(step) else step for key, step in steps.items()}
    return Wrong(type(name, (base,), changed), only)


class Chunks(Decoder):
    """The reference decoder with a change of every chunk."""

    alter: Callable[[bytes], bytes]

    def feed(self, chunk: bytes) -> list[Message]:
        return super().feed(self.alter(chunk))


class RawLines(Decoder):
    """The reference decoder with a change of every line as it is decoded."""

    alter: Callable[[str], str]

    def _whole_line(self) -> str:
        return self.alter(super()._whole_line())


class Lines(Decoder):
    """The reference decoder with a change of every line before its fields are read."""

    alter: Callable[[str], str]

    def _take(self, line: str) -> list[Message]:
        return super()._take(self.alter(line))


class Matches(Decoder):
    """Finds data by a pattern whose group is the value; other lines with `data` are skipped."""

    pattern = ""

    def _take(self, line: str) -> list[Message]:
        if not line.startswith("data") or line == "data" or line.startswith("data: [DONE]"):
            return super()._take(line)
        found = re.fullmatch(self.pattern, line, re.DOTALL)
        return super()._take(f"data: {found[1] or ''}" if found else ":")


def read_field(line: str) -> tuple[str, str]:
    """The name and the value of a line."""
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")


def values(fields: Fields, name: str) -> list[str]:
    """The values of the fields of a name."""
    return [value for each, value in fields if each == name]


def read_message(fields: Fields) -> list[Message]:
    """The message of the fields of a block, if it has one."""
    data, events = values(fields, "data"), list(filter(None, values(fields, "event")))
    return [Message(events[-1] if events else "message", "\n".join(data))] if data else []


def read_block(block: list[str]) -> list[Message]:
    """The message of the lines of a block, if it has one."""
    return read_message(list(map(read_field, block)))


class Blocks(Decoder):
    """A decoder that collects the lines of a block, and reads them at its blank line.

    It is correct, unless a step is changed: ``read`` of the whole block, or ``field`` of a line and
    ``message`` of the fields.
    """

    field: Callable[[str], tuple[str, str]] = staticmethod(read_field)
    message: Callable[[Fields], list[Message]] = staticmethod(read_message)

    def __init__(self) -> None:
        super().__init__()
        self._block: list[str] = []

    def _take(self, line: str) -> list[Message]:
        if line:
            self._block.append(line)
            return []
        block, self._block = self._block, []
        return self.read(block)

    def end(self) -> list[Message]:
        return []

    def read(self, block: list[str]) -> list[Message]:
        """The message of the lines of a block, if it has one."""
        return self.message(list(map(self.field, block)))
