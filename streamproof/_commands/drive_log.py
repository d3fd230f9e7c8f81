"""Prints the messages between the kit and an adapter, line by line, without credentials.

For an adapter that speaks drive/1, the lines are printed as sent. Other drivers have no lines; for
them, equivalent messages are printed.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.text import Text

from mockserver.foundation.visible import visible
from mockserver.server.journal import REDACTED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import Console

    from conformance.drivers.driver import Driver, Outcome, Overhear
    from conformance.drivers.recorder import Recorder

KIT, ADAPTER = "→", "←"

# The most lines printed under one heading.
_MAX_LINES = 60
_MAX_LENGTH = 4000
_SECRETS = (
    re.compile(
        r'("[\w-]*(?:auth|key|token|cookie|secret|password|credential)[\w-]*"\s*:\s*")'
        r'(?:[^"\\]|\\.)+(?=")',
        re.IGNORECASE,
    ),
    re.compile(r"(\bbearer\s+)[^\s\"\\]+", re.IGNORECASE),
    re.compile(r"(\bsk-)[\w-]+"),
)


def without_secrets(text: str) -> str:
    """A line with its credentials replaced."""
    for secret in _SECRETS:
        text = secret.sub(rf"\g<1>{REDACTED}", text)
    return text


class LinePrinter:
    """Prints lines under a heading, which is printed with the first line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._heading = ""
        self._count = 0

    def under(self, heading: str) -> None:
        """Begin a new heading for the lines that follow."""
        with self._lock:
            self._close()
            self._heading, self._count = heading, 0

    def done(self) -> None:
        """End the last heading."""
        self.under("")

    def __call__(self, direction: str, line: bytes) -> None:
        text = line[:_MAX_LENGTH].decode("utf-8", "replace").rstrip("\r\n")
        with self._lock:
            if self._heading and not self._count:
                self._print(Text(self._heading, "bold"))
            self._count += 1
            if self._count <= _MAX_LINES:
                self._print(Text(f"  {direction} {visible(without_secrets(text))}"))

    def _close(self) -> None:
        if (more := self._count - _MAX_LINES) > 0:
            self._print(Text(f"  … and {more:,} more lines"))
        if self._count:
            self._console.print()

    def _print(self, line: Text) -> None:
        line.truncate(self._console.width, overflow="ellipsis")
        self._console.print(line, no_wrap=True)


@dataclass(frozen=True, slots=True)
class LoggingDriver:
    """Wraps a driver without lines of drive/1 and gives equivalent ones to the listener."""

    driver: Driver
    listener: Overhear

    def hello(self) -> Mapping[str, Any]:
        return self.driver.hello()

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = False,
        fresh: bool = False,
    ) -> Outcome:
        self._log(KIT, message)
        recorder.watch(_PartLogger(recorder, message["id"], self._log))
        outcome = self.driver.run(message, recorder, ended, alone=alone, fresh=fresh)
        for end in outcome.ends:
            error = {"error": asdict(end.error)} if end.error else {}
            ending = {"type": "done", "id": message["id"], "outcome": end.outcome}
            self._log(ADAPTER, ending | error)
        return outcome

    def cancel(self, id_: str) -> None:
        self._log(KIT, {"type": "cancel", "id": id_})
        self.driver.cancel(id_)

    async def catch_up(self) -> None:
        await self.driver.catch_up()

    def close(self) -> None:
        self.driver.close()

    def left_behind(self) -> Sequence[str]:
        return self.driver.left_behind()

    def _log(self, direction: str, message: Mapping[str, Any]) -> None:
        self.listener(direction, json.dumps(message, separators=(",", ":")).encode())


class _PartLogger:
    """Logs each part of a run once, from any thread."""

    def __init__(
        self, recorder: Recorder, id_: str, log: Callable[[str, Mapping[str, Any]], None]
    ) -> None:
        self._recorder, self._id, self._log = recorder, id_, log
        self._lock = threading.Lock()
        self._logged = 0

    def __call__(self) -> None:
        with self._lock:
            for emitted in self._recorder.parts()[self._logged :]:
                part = {"type": "part", "id": self._id, "n": emitted.n, "part": emitted.part}
                self._log(ADAPTER, part)
                self._logged += 1
