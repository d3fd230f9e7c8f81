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
    from mockserver.scenario.model import Scenario
    from streamproof._api.ending import Ending
    from streamproof._api.faults import (
        AdapterError,
        Fault,
        InputError,
        KitError,
        Problem,
        ScenarioError,
        UserError,
    )
    from streamproof._api.fixture import AsyncStreamproof, Streamproof
    from streamproof._api.mock import AsyncMock, Mock, connect, serve
    from streamproof._api.offline import Played, cases, judge, lint, load, play
    from streamproof._api.run import AsyncRun, Run
    from streamproof._api.verdict import Finding, Request, Verdict
    from streamproof._api.wanted import When

__all__ = [
    "AdapterError",
    "AsyncMock",
    "AsyncRun",
    "AsyncStreamproof",
    "Ending",
    "Fault",
    "Finding",
    "InputError",
    "KitError",
    "Mock",
    "Played",
    "Problem",
    "Request",
    "Run",
    "Scenario",
    "ScenarioError",
    "Streamproof",
    "UserError",
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
    "mockserver.scenario.model": "Scenario",
    "streamproof._api.ending": "Ending",
    "streamproof._api.faults": (
        "AdapterError Fault InputError KitError Problem ScenarioError UserError"
    ),
    "streamproof._api.fixture": "AsyncStreamproof Streamproof",
    "streamproof._api.mock": "AsyncMock Mock connect serve",
    "streamproof._api.offline": "Played cases judge lint load play",
    "streamproof._api.run": "AsyncRun Run",
    "streamproof._api.verdict": "Finding Request Verdict",
    "streamproof._api.wanted": "When",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: a command or a plugin needs few of them."""
    for home, names in _HOMES.items():
        if name in names.split():
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
