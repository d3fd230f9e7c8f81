"""What the kit and an adapter say to each other, line by line, as a person may read it.

An adapter that speaks drive/1 is overheard to the letter. The other ways of driving have no lines;
of those the same messages are shown, as they stand for what was handed over.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.text import Text

from conformance.report.summary import visible
from mockserver.server.journal import REDACTED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

    from conformance.drivers.driver import Driver, Outcome, Overhear
    from conformance.drivers.recorder import Recorder

KIT, ADAPTER = "→", "←"

# Behind that it is a flood.
_MOST_LINES = 60
_MOST_READ = 4000
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
    """A line in which no credential can be read."""
    for secret in _SECRETS:
        text = secret.sub(rf"\g<1>{REDACTED}", text)
    return text


class Shown:
    """Prints what is overheard, under a heading that comes with the first line of it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._heading = ""
        self._count = 0

    def under(self, heading: str) -> None:
        """What follows belongs to this."""
        with self._lock:
            self._close()
            self._heading, self._count = heading, 0

    def done(self) -> None:
        """Nothing follows."""
        self.under("")

    def __call__(self, direction: str, line: bytes) -> None:
        text = line[:_MOST_READ].decode("utf-8", "replace").rstrip("\r\n")
        with self._lock:
            if self._heading and not self._count:
                self._print(Text(self._heading, "bold"))
            self._count += 1
            if self._count <= _MOST_LINES:
                self._print(Text(f"  {direction} {visible(without_secrets(text))}"))

    def _close(self) -> None:
        if (more := self._count - _MOST_LINES) > 0:
            self._print(Text(f"  … and {more:,} more lines"))
        if self._count:
            self._console.print()

    def _print(self, line: Text) -> None:
        line.truncate(self._console.width, overflow="ellipsis")
        self._console.print(line, no_wrap=True)


@dataclass(frozen=True, slots=True)
class Watched:
    """A driver without lines, whose messages are shown in their place."""

    driver: Driver
    overhear: Overhear

    def hello(self) -> Mapping[str, Any]:
        return self.driver.hello()

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = False,
    ) -> Outcome:
        self._tell(KIT, message)
        recorder.watch(_News(recorder, message["id"], self._tell))
        outcome = self.driver.run(message, recorder, ended, alone=alone)
        for end in outcome.ends:
            error = {"error": asdict(end.error)} if end.error else {}
            ending = {"type": "done", "id": message["id"], "outcome": end.outcome}
            self._tell(ADAPTER, ending | error)
        return outcome

    def cancel(self, id_: str) -> None:
        self._tell(KIT, {"type": "cancel", "id": id_})
        self.driver.cancel(id_)

    def close(self) -> None:
        self.driver.close()

    def _tell(self, direction: str, message: Mapping[str, Any]) -> None:
        self.overhear(direction, json.dumps(message, separators=(",", ":")).encode())


class _News:
    """Tells each part of a run once, from whichever thread it comes."""

    def __init__(
        self, recorder: Recorder, id_: str, tell: Callable[[str, Mapping[str, Any]], None]
    ) -> None:
        self._recorder, self._id, self._tell = recorder, id_, tell
        self._lock = threading.Lock()
        self._told = 0

    def __call__(self) -> None:
        with self._lock:
            for emitted in self._recorder.parts()[self._told :]:
                part = {"type": "part", "id": self._id, "n": emitted.n, "part": emitted.part}
                self._tell(ADAPTER, part)
                self._told += 1
