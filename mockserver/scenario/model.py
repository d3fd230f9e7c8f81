"""A scenario and its turns as frozen values: the host's requests, and the upstream's answers.

Scripts of answers are in ``script``, the results that are right for an adapter in ``expected``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mockserver.foundation.faults import Place
from mockserver.scenario.expected import Expect
from mockserver.scenario.script import Answer, Json, Says, Sends

Conduct = Literal["legal", "deviation", "violation"]
Standing = Literal["legal", "deviation", "violation", "unknown"]
"""A conduct that an upstream is known to have; ``unknown`` if none is known to send the stream."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Evidence that an upstream sends such a stream.

    ``at`` is a thread such as ``owner/repository#1``, an address, or a file of a repository,
    ``line`` what stands there of the very stream, and ``upstream`` who sent it.
    """

    at: str
    line: str
    upstream: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """When the host cancels the run: after a number of parts, or ``at`` a checkpoint.

    Only the conformance kit cancels; a server alone plays the whole turn.
    """

    after_parts: int | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """The limits of a model that the upstream reports when models are listed, in tokens."""

    context_window: int = 128_000
    max_tokens: int = 16_384


@dataclass(frozen=True, slots=True)
class Host:
    """The first request of the host; fields that it does not set are empty.

    A function of ``tools`` has a ``name`` and optionally a ``description`` and an ``input_schema``,
    any other tool a ``type`` and its fields in OpenAI's Responses API. ``options`` are sent
    upstream with the conversation. ``model`` has the limits of the selected model.
    """

    system: str = ""
    user: str = ""
    tools: tuple[Mapping[str, Json], ...] = ()
    options: Mapping[str, Json] = field(default_factory=dict)
    model: Model = Model()


@dataclass(frozen=True, slots=True)
class Then:
    """What the host adds for the next turn: results and approvals, then a user message.

    The results are by call id; that of a call without an id of the upstream is by its tool's name.
    ``outputs`` are results of tools that are no functions, each as OpenAI's item without its
    call_id. ``approvals`` has the answer to each approval request by its id, and ``reason`` the
    reason of all of them.
    """

    tool_results: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    approvals: Mapping[str, bool] = field(default_factory=dict)
    reason: str = ""
    user: str = ""

    @property
    def answered_calls(self) -> tuple[str, ...]:
        """The keys of the calls that have a result."""
        return (*self.tool_results, *self.outputs)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and its response.

    A result of the adapter is right if it is one of ``expect``, or without these, if it is what the
    script says. ``earlier`` has the answers to earlier attempts of the same request. ``request`` is
    a JSON Schema for the request. ``then`` is what the host adds for the next turn.
    """

    script: Says | Sends | Answer
    expect: tuple[Expect, ...] = ()
    cancel: Cancel | None = None
    earlier: tuple[Turn, ...] = ()
    request: Mapping[str, Json] | None = None
    then: Then | None = None

    @property
    def attempts(self) -> tuple[Turn, ...]:
        """The answers to successive attempts of the request."""
        return (*self.earlier, self)

    def attempt(self, n: int) -> Turn:
        """The answer to attempt ``n`` (from 1); the last answer is repeated."""
        return self.attempts[: max(n, 1)][-1]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation with an upstream, turn by turn.

    ``source`` lists the documents that describe it, ``seen`` the evidence that upstreams send it,
    and ``reports`` bugs of adapters in this situation. ``conduct`` is by the specification or, if
    it names a ``profile``, by that of this upstream. ``place`` is its file. ``generation`` is that
    of its events. If the scenario is for all dialects,
    ``unable`` has those that cannot express it, each with the reason. ``vary`` lists the variations
    under which the suite plays it, too.
    """

    id: str
    title: str
    dialects: tuple[str, ...]
    turns: tuple[Turn, ...]
    source: tuple[str, ...] = ()
    seen: tuple[Sighting, ...] = ()
    reports: tuple[str, ...] = ()
    conduct: Conduct = "legal"
    profile: str = ""
    about: str = ""
    place: Place | None = None
    host: Host = field(default_factory=Host)
    generation: str = ""
    unable: Mapping[str, str] = field(default_factory=dict)
    vary: tuple[str, ...] = ()

    @property
    def standing(self) -> Standing:
        """Its conduct, if upstreams are known to have it; ``unknown`` otherwise."""
        return self.conduct if self.conduct == "legal" or self.seen else "unknown"

    @property
    def is_specified(self) -> bool:
        """Whether its upstream keeps to the specification of the dialect, without a profile."""
        return self.conduct == "legal" and not self.profile

    @property
    def streams(self) -> bool:
        """Whether any of its answers is a stream."""
        attempts = (attempt for turn in self.turns for attempt in turn.attempts)
        return not all(isinstance(attempt.script, Answer) for attempt in attempts)
