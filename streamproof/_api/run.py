"""Runs: one or several cases at a base URL of their own, with what they received and a verdict.

In asyncio, coroutines take the place of what asks the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, Unpack

from streamproof._api.connection import Connection
from streamproof._api.ending import (
    Ending,
    Error,
    Finish,
    Outcome,
    Vocabulary,
    make_ending,
    read_cancelled,
)
from streamproof._api.faults import Fault
from streamproof._api.parts import AsyncParts, Parts, collect, collect_async
from streamproof._api.verdict import Request, Verdict, only

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Judging:
    """How verdicts are made, unless one says otherwise: the type of parts, and the traits."""

    vocabulary: Vocabulary = "vscode"
    traits: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A run that the server has opened, and the verdicts so far."""

    connection: Connection
    judging: Judging
    id: str
    base_url: str
    verdicts: list[Verdict] = field(default_factory=list)

    def ask(self, method: str, path: str = "", body: Any = None) -> Any:
        """What the server answers about the run; see ``Connection.ask``."""
        __tracebackhide__ = True
        return self.connection.ask(method, f"/_mock/runs/{self.id}{path}", body)


class RunView:
    """What there is of an open run: the requests that it received, and verdicts on parts."""

    def _opened(self) -> Opened:
        raise NotImplementedError

    @property
    def base_url(self) -> str:
        """The base URL of the run."""
        __tracebackhide__ = True
        return self._opened().base_url

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests so far, oldest first, at most 64."""
        __tracebackhide__ = True
        journal = self._opened().ask("GET", "/journal")
        return tuple(map(Request.of, journal["exchanges"]))

    @property
    def request(self) -> Request:
        """The one request so far. Raises AssertionError if there is none, or another one."""
        __tracebackhide__ = True
        return only(self.requests, self.base_url)

    def verdict(
        self,
        parts: Parts,
        outcome: Outcome | None = None,
        *,
        error: Error | None = None,
        finish: Finish | None = None,
        usage: Mapping[str, int] | None = None,
        cancelled: int | None = None,
        turn: int | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        vocabulary: Vocabulary | None = None,
        traits: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """The verdict on the parts that the adapter emitted, in their order.

        The parts may be what makes them, such as a generator: an exception that it raises is then
        the ``error``. A run with an ``error`` (its text, an exception, or a mapping with ``kind``,
        ``message`` and ``code``) has failed, any other is completed, or cancelled with
        ``cancelled``, unless ``outcome`` says so: ``completed``, ``failed``, ``cancelled``, or
        ``hung`` for one that never ended. ``finish`` and ``usage`` are what the adapter reported at
        the end. ``cancelled`` is the number of parts that were out when the test cancelled the run.
        In a conversation, ``turn`` is the turn of
        the parts, counted from 0; by default it is the only one that was played. With ``messages``,
        those that the host gave to the adapter, its request is judged, too. Raises Fault if the
        values are none that can be judged.
        """
        __tracebackhide__ = True
        opened = self._opened()
        emitted, raised = collect(parts)
        error = raised if error is None else error
        posted = {
            "parts": emitted,
            "end": make_ending(outcome, error, finish, usage, cancelled=cancelled is not None),
            "cancelled": read_cancelled(cancelled),
            "turn": turn,
            "messages": list(messages) if isinstance(messages, Iterable) else messages,
            "adapter": "the adapter",
            "vocabulary": vocabulary or opened.judging.vocabulary,
            "traits": {**(opened.judging.traits or {}), **(traits or {})},
        }
        answer = opened.ask("POST", "/verdict", posted)
        opened.verdicts.append(found := Verdict.of(answer, raised))
        return found

    def check(self, parts: Parts, outcome: Outcome | None = None, **ending: Unpack[Ending]) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        self.verdict(parts, outcome, **ending).check()


class Run(RunView):
    """An open run. As a context manager it is closed at the end of its block."""

    def __init__(self, opened: Opened) -> None:
        self._run = opened
        self._closed = False
        self.id: str = opened.id
        self.model = f"mock/r/{self.id}"
        """A model id that names the run, for a client whose base URL is that of the server."""
        self.verdicts: list[Verdict] = opened.verdicts
        """The verdicts so far."""

    def _opened(self) -> Opened:
        return self._run

    def close(self) -> None:
        """Close the run: its base URL answers 404 from now on."""
        if not self._closed:
            self._run.ask("DELETE")
            self._closed = True

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Run at {self.base_url}>"


async def in_thread(call: Callable[..., _T], *args: Any, **options: Any) -> _T:
    """Await a call that asks the server. A Fault is raised without the frames of the thread."""
    __tracebackhide__ = True
    try:
        return await asyncio.to_thread(call, *args, **options)
    except Fault as fault:
        raise fault.with_traceback(None) from fault.__cause__


class AsyncRunView:
    """What there is of an open run, with coroutines in place of what asks the server."""

    def _view(self) -> RunView:
        raise NotImplementedError

    @property
    def base_url(self) -> str:
        """The base URL of the run."""
        __tracebackhide__ = True
        return self._view().base_url

    async def requests(self) -> tuple[Request, ...]:
        """The requests so far, oldest first, at most 64."""
        __tracebackhide__ = True
        run = self._view()
        return await in_thread(lambda: run.requests)

    async def request(self) -> Request:
        """The one request so far. Raises AssertionError if there is none, or another one."""
        __tracebackhide__ = True
        return only(await self.requests(), self.base_url)

    async def verdict(
        self, parts: AsyncParts, outcome: Outcome | None = None, **ending: Unpack[Ending]
    ) -> Verdict:
        """The verdict on the parts that the adapter emitted; see ``Run.verdict``.

        The parts may be an async generator or an awaitable, whose exception is the ``error``.
        """
        __tracebackhide__ = True
        emitted = await collect_async(parts)
        return await in_thread(self._view().verdict, emitted, outcome, **ending)

    async def check(
        self, parts: AsyncParts, outcome: Outcome | None = None, **ending: Unpack[Ending]
    ) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        (await self.verdict(parts, outcome, **ending)).check()


class AsyncRun(AsyncRunView):
    """An open run in asyncio: as ``Run``, with coroutines in place of what asks the server."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.id: str = run.id
        self.model: str = run.model
        self.verdicts: list[Verdict] = run.verdicts
        """The verdicts so far."""

    def _view(self) -> Run:
        return self._run

    async def close(self) -> None:
        """Close the run."""
        await in_thread(self._run.close)

    async def __aenter__(self) -> AsyncRun:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncRun at {self.base_url}>"
