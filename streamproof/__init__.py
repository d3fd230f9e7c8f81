"""A mock upstream and a conformance kit for LLM streaming adapters.

::

    with streamproof.serve() as mock:
        run = mock.run("any/refusal@chat")
        parts = adapter(run.base_url)
        run.check(parts, traits={"refusal": "text"})

A case is a scenario of the catalogue, a dialect and variations, such as
``any/refusal@chat+cut:3``. The names below are stable; what is imported from elsewhere in this
distribution may change.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mockserver.faults import Fault, Problem
    from mockserver.scenario.model import Scenario
    from streamproof._api.mock import AsyncMock, Mock, connect, serve
    from streamproof._api.offline import Played, cases, judge, lint, load, play
    from streamproof._api.run import AsyncRun, Run, When
    from streamproof._api.verdict import Finding, Request, Verdict

__all__ = [
    "AsyncMock",
    "AsyncRun",
    "Fault",
    "Finding",
    "Mock",
    "Played",
    "Problem",
    "Request",
    "Run",
    "Scenario",
    "Verdict",
    "When",
    "cases",
    "connect",
    "judge",
    "lint",
    "load",
    "play",
    "serve",
]

_HOMES = {
    "mockserver.faults": ("Fault", "Problem"),
    "mockserver.scenario.model": ("Scenario",),
    "streamproof._api.mock": ("AsyncMock", "Mock", "connect", "serve"),
    "streamproof._api.run": ("AsyncRun", "Run", "When"),
    "streamproof._api.verdict": ("Finding", "Request", "Verdict"),
    "streamproof._api.offline": ("Played", "cases", "judge", "lint", "load", "play"),
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: a command or a plugin needs few of them."""
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
