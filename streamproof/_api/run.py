"""Runs: one or several cases at a base URL of their own, with what they received and a verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamproof._api.ending import ending_of
from streamproof._api.verdict import Request, Verdict

if TYPE_CHECKING:
    from streamproof._api.connection import Connection
    from streamproof._api.ending import Error, Outcome


@dataclass(frozen=True, slots=True)
class When:
    """A case of a run, and what a request has to say to get it: all that is not empty.

    ``message`` is a part of the last user message's text, ``tool`` the name of a tool that is
    offered, ``model`` the model's name, in which ``*`` is any text.
    """

    case: str
    message: str = ""
    tool: str = ""
    model: str = ""

    def to_json(self) -> dict[str, Any]:
        """The entry of ``cases`` in a request that opens a run."""
        asked = {"message": self.message, "tool": self.tool, "model": self.model}
        return {"case": self.case, "when": {name: text for name, text in asked.items() if text}}


@dataclass(frozen=True, slots=True)
class Judging:
    """How verdicts are made, unless one says otherwise: the type of parts, and the traits."""

    vocabulary: str = "vscode"
    traits: Mapping[str, Any] | None = None


class Run:
    """An open run. As a context manager it is closed at the end of its block."""

    def __init__(self, connection: Connection, opened: Mapping[str, Any], judging: Judging) -> None:
        """``opened`` is the server's answer to the request for a run."""
        self._connection = connection
        self._judging = judging
        self.id: str = opened["id"]
        self.base_url: str = opened["base_url"]
        self.model = f"mock/r/{self.id}"
        """A model id that names the run, for a client whose base URL is that of the server."""
        self.verdicts: list[Verdict] = []
        """The verdicts so far."""

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests so far, oldest first, at most 64."""
        journal = self._connection.ask("GET", f"{self._path}/journal")
        return tuple(map(Request.of, journal["exchanges"]))

    def verdict(
        self,
        parts: Iterable[Any],
        outcome: Outcome | None = None,
        *,
        error: Error | None = None,
        finish: str | None = None,
        usage: Mapping[str, int] | None = None,
        cancelled: int | None = None,
        turn: int = 0,
        messages: Sequence[Mapping[str, Any]] | None = None,
        vocabulary: str | None = None,
        traits: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """The verdict on the parts that the adapter emitted, in their order.

        A run with an ``error`` (its text, an exception, or a mapping with ``kind``, ``message`` and
        ``code``) has failed, any other is completed, unless ``outcome`` says so: ``completed``,
        ``failed``, ``cancelled``, or ``hung`` for one that never ended. ``finish`` and ``usage``
        are what the adapter reported at the end. ``cancelled`` is the number of parts that were out
        when the test cancelled the run. In a conversation, ``turn`` is the turn of the parts,
        counted from 0. With ``messages``, those that the host gave to the adapter, its request is
        judged, too. Raises Fault if the values are none that can be judged.
        """
        posted = {
            "parts": list(parts),
            "end": ending_of(outcome, error, finish, usage),
            "cancelled": None if cancelled is None else {"parts": cancelled},
            "turn": turn,
            "messages": None if messages is None else list(messages),
            "adapter": "the adapter",
            "vocabulary": vocabulary or self._judging.vocabulary,
            "traits": {**(self._judging.traits or {}), **(traits or {})},
        }
        found = Verdict.of(self._connection.ask("POST", f"{self._path}/verdict", posted))
        self.verdicts.append(found)
        return found

    def check(self, parts: Iterable[Any], outcome: Outcome | None = None, **more: Any) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        self.verdict(parts, outcome, **more).check()

    def close(self) -> None:
        """Close the run: its base URL answers 404 from now on."""
        self._connection.ask("DELETE", self._path)

    @property
    def _path(self) -> str:
        return f"/_mock/runs/{self.id}"

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Run at {self.base_url}>"


class AsyncRun:
    """An open run in asyncio: as ``Run``, with coroutines in place of what asks the server."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.id = run.id
        self.base_url = run.base_url
        self.model = run.model

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts so far."""
        return self._run.verdicts

    async def requests(self) -> tuple[Request, ...]:
        """The requests so far, oldest first, at most 64."""
        return await asyncio.to_thread(lambda: self._run.requests)

    async def verdict(
        self, parts: Iterable[Any], outcome: Outcome | None = None, **more: Any
    ) -> Verdict:
        """The verdict on the parts that the adapter emitted; see ``Run.verdict``."""
        return await asyncio.to_thread(self._run.verdict, parts, outcome, **more)

    async def check(
        self, parts: Iterable[Any], outcome: Outcome | None = None, **more: Any
    ) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        (await self.verdict(parts, outcome, **more)).check()

    async def close(self) -> None:
        """Close the run."""
        await asyncio.to_thread(self._run.close)

    async def __aenter__(self) -> AsyncRun:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncRun at {self.base_url}>"
