"""Decoders that dispatch what is no event, or not what is one."""

import json
from collections.abc import Callable
from dataclasses import replace

from conformance.dialects.client.sse import Decoder, Message
from tests.cases.variations.decoders.wrong import (
    Blocks,
    Fields,
    Wrong,
    read_block,
    read_field,
    read_message,
    values,
    wrong,
)


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


def _comment_alone(block: list[str]) -> list[Message]:
    if block and all(line.startswith(":") for line in block):
        return [Message("message", "")]
    return read_block(block)


def _field_alone(name: str) -> Callable[[Fields], list[Message]]:
    def message(fields: Fields) -> list[Message]:
        return read_message(fields) or [
            Message(value if name == "event" else "message", "") for value in values(fields, name)
        ]

    return message


DISPATCHING = (
    Wrong(EveryBlankLine),
    Wrong(TwoBlankLinesEndTheStream, "blank-lines"),
    Wrong(CommentEndsTheEvent, "comments-inside"),
    # Takes an event that begins with a comment for a comment.
    wrong(
        "CommentAtTheBeginning",
        Blocks,
        "comments-inside",
        read=lambda block: [] if block and block[0].startswith(":") else read_block(block),
    ),
    # Dispatches a comment with a blank line as an event without data.
    wrong("CommentAlone", Blocks, "comments", read=_comment_alone),
    # Takes a line without a name for data.
    wrong(
        "CommentIsData",
        Blocks,
        field=lambda line: read_field(f"data{line}" if line.startswith(":") else line),
    ),
    wrong("NameAlone", Blocks, "empty-events", message=_field_alone("event")),
    wrong("IdAlone", Blocks, "ids-alone", message=_field_alone("id")),
    wrong("RetryAlone", Blocks, "ids-alone", message=_field_alone("retry")),
    Wrong(NameOverType, "event-message", "vercel-gateway"),
    Wrong(NeedsAName, "no-event-line", "openresponses"),
    Wrong(SkipsNames, "event-message"),
    Wrong(NeedsDone, "no-done"),
    Wrong(ParsesTheWholeBody, "unterminated-end"),
)
