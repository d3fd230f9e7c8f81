"""``Wrong``: a decoder of event streams with one real defect, and what exposes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from conformance.dialects.client.sse import Decoder, Message


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


class Altered(Decoder):
    """The reference decoder behind a change of every chunk."""

    def feed(self, chunk: bytes) -> list[Message]:
        return super().feed(self.alter(chunk))

    def alter(self, chunk: bytes) -> bytes:
        raise NotImplementedError


class Blocks(Decoder):
    """A decoder that collects the lines of a block, and reads them at its blank line.

    It is correct, unless a method is overridden.
    """

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
        return self.message([self.field(line) for line in block])

    def field(self, line: str) -> tuple[str, str]:
        """The name and the value of a line."""
        name, _, value = line.partition(":")
        return name, value.removeprefix(" ")

    def message(self, fields: list[tuple[str, str]]) -> list[Message]:
        """The message of the fields of a block, if it has one."""
        data = [value for name, value in fields if name == "data"]
        events = [value for name, value in fields if name == "event" and value]
        return [Message(events[-1] if events else "message", "\n".join(data))] if data else []
