"""Decoders that dispatch what is no event, or not what is one."""

from __future__ import annotations

import json
from dataclasses import replace

from conformance.dialects.client.sse import Decoder, Message
from tests.cases.variations.decoders.wrong import Blocks, Wrong


class EveryBlankLine(Decoder):
    """Dispatches an event at every blank line, with or without data."""

    def _dispatch(self) -> list[Message]:
        return super()._dispatch() or [Message("message", "")]

    def end(self) -> list[Message]:
        return []


class TwoBlankLinesEndTheStream(Decoder):
    """Takes two blank lines for the end of the stream."""

    def __init__(self) -> None:
        super().__init__()
        self._blank = 0

    def _take(self, line: str) -> list[Message]:
        self._blank = 0 if line else self._blank + 1
        return [*super()._take(line), *([Message("message", "[DONE]")] if self._blank > 1 else [])]


class CommentEndsTheEvent(Decoder):
    """Dispatches an event at a comment."""

    def _take(self, line: str) -> list[Message]:
        return self._dispatch() if line.startswith(":") else super()._take(line)


class CommentAtTheBeginning(Blocks):
    """Takes an event that begins with a comment for a comment."""

    def read(self, block: list[str]) -> list[Message]:
        return [] if block and block[0].startswith(":") else super().read(block)


class CommentAlone(Blocks):
    """Dispatches a comment with a blank line as an event without data."""

    def read(self, block: list[str]) -> list[Message]:
        if block and all(line.startswith(":") for line in block):
            return [Message("message", "")]
        return super().read(block)


class CommentIsData(Blocks):
    """Takes a line without a name for data."""

    def field(self, line: str) -> tuple[str, str]:
        name, value = super().field(line)
        return name or "data", value


class NameAlone(Blocks):
    """Dispatches an event that has a name and no data."""

    def message(self, fields: list[tuple[str, str]]) -> list[Message]:
        names = [value for name, value in fields if name == "event"]
        return super().message(fields) or [Message(name, "") for name in names]


class IdAlone(Blocks):
    """Dispatches an event that has an id and no data."""

    def message(self, fields: list[tuple[str, str]]) -> list[Message]:
        ids = [Message("message", "") for name, _ in fields if name == "id"]
        return super().message(fields) or ids


class RetryAlone(Blocks):
    """Dispatches an event that has a time to retry and no data."""

    def message(self, fields: list[tuple[str, str]]) -> list[Message]:
        retries = [Message("message", "") for name, _ in fields if name == "retry"]
        return super().message(fields) or retries


class KeepsTheName(Decoder):
    """Keeps the name of an event that is not dispatched for the next one."""

    def _dispatch(self) -> list[Message]:
        if self._data:
            return super()._dispatch()
        return []


class NameOverType(Decoder):
    """Puts the name of an event in place of the type in its data."""

    def _dispatch(self) -> list[Message]:
        return [
            replace(each, data=json.dumps({**json.loads(each.data), "type": each.event}))
            if self.named and each.data != "[DONE]"
            else each
            for each in super()._dispatch()
        ]

    def _take(self, line: str) -> list[Message]:
        self.named = bool(self._event)
        return super()._take(line)


class NeedsAName(Decoder):
    """Skips events without a name, other than `[DONE]`."""

    def _dispatch(self) -> list[Message]:
        named = bool(self._event)
        return [each for each in super()._dispatch() if named or each.data == "[DONE]"]


class SkipsNames(Decoder):
    """Skips events that have a name, where the first ones have none."""

    def _dispatch(self) -> list[Message]:
        named = bool(self._event)
        return [] if named and super()._dispatch() else super()._dispatch()


class NeedsDone(Decoder):
    """Keeps everything until `[DONE]`."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[Message] = []

    def feed(self, chunk: bytes) -> list[Message]:
        self._kept += super().feed(chunk)
        return self._kept if any(each.data == "[DONE]" for each in self._kept) else []

    def end(self) -> list[Message]:
        return []


class ParsesTheWholeBody(Decoder):
    """Reads the whole body, and parses all events in it, with the last one that is cut off."""

    def __init__(self) -> None:
        super().__init__()
        self._all: list[Message] = []

    def feed(self, chunk: bytes) -> list[Message]:
        self._all += super().feed(chunk)
        return []

    def end(self) -> list[Message]:
        every = [*self._all, *super().end()]
        for each in every:
            if each.data != "[DONE]":
                json.loads(each.data)
        return every


DISPATCHING = (
    Wrong(EveryBlankLine),
    Wrong(TwoBlankLinesEndTheStream, "blank-lines"),
    Wrong(CommentEndsTheEvent, "comments-inside"),
    Wrong(CommentAtTheBeginning, "comments-inside"),
    Wrong(CommentAlone, "comments"),
    Wrong(CommentIsData),
    Wrong(NameAlone, "empty-events"),
    Wrong(IdAlone, "ids-alone"),
    Wrong(RetryAlone, "ids-alone"),
    Wrong(KeepsTheName, "empty-events"),
    Wrong(NameOverType, "event-message", "vercel-gateway"),
    Wrong(NeedsAName, "no-event-line", "openresponses"),
    Wrong(SkipsNames, "event-message"),
    Wrong(NeedsDone, "no-done"),
    Wrong(ParsesTheWholeBody, "unterminated-end"),
)
