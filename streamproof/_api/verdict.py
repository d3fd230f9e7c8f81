"""What a run has to show: the requests that it received, and the verdict on emitted parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Status = Literal["passed", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule at one place: what was seen, and what would have been right.

    ``kind`` is what is wrong by this rule (``streamproof explain RULE`` lists its kinds), and
    ``values`` are what was seen; ``message`` and ``right`` are the words for them. ``level`` is
    ``must`` or ``should``; ``source`` is the section that has the rule. ``event`` is
    the number of the upstream's event, ``part`` that of the emitted part, ``turn`` that of the
    conversation's turn, each counted from 0. ``explains`` are findings that follow from this one.
    """

    rule: str
    kind: str
    level: Literal["must", "should"]
    message: str
    right: str
    values: Mapping[str, Any]
    source: str
    event: int | None = None
    part: int | None = None
    turn: int = 0
    explains: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """A finding from the JSON object that the server answers."""
        explains = tuple(map(cls.of, value.get("explains", ())))
        return cls(**{**value, "explains": explains})

    def __str__(self) -> str:
        return f"{self.rule} ({self.level}): {self.message}\n  right: {self.right}"


@dataclass(frozen=True, slots=True)
class Request:
    """A request that a run received, and how it was answered.

    ``headers`` have lower-case names, and credentials in them are removed. ``body`` is the JSON
    value of the body. ``case`` and ``turn`` say what answered and ``why``, or why nothing did, if
    ``turn`` is None; ``attempt`` is the number of the request for its turn, from 1. ``problems``
    are the mistakes in the request. ``events`` are those that were sent: ``n``, ``type``, ``data``
    and the time ``at``, in seconds since the request. ``left`` is the time at which the client left
    before the answer's end, or None.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    case: str
    turn: int | None
    why: str
    attempt: int
    status: int
    problems: tuple[str, ...]
    events: tuple[Mapping[str, Any], ...]
    left: float | None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """A request from an entry of the server's journal."""
        same = ("method", "path", "body", "case", "turn", "attempt", "status")
        left = value["left"]
        return cls(
            **{name: value[name] for name in same},
            why=value["why"] or value["refused"],
            headers={name.lower(): text for name, text in value["headers"].items()},
            problems=tuple(value["problems"]),
            events=tuple(value["events"]),
            left=left and left["at"],
        )

    def __str__(self) -> str:
        why = "; ".join(self.why.splitlines())
        answered = f"turn {self.turn} of {self.case}" if self.turn is not None else why
        return f"{self.method} {self.path}: {self.status}, {answered}"


def only(requests: Sequence[Request], base_url: str) -> Request:
    """The one request to a base URL. Raises AssertionError if there is none, or another one."""
    __tracebackhide__ = True
    if len(requests) == 1:
        return requests[0]
    came = "".join(f"\n  {each}" for each in requests) or f" to {base_url}"
    raise AssertionError(f"one request was expected, and {len(requests) or 'none'} came{came}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say about the parts that an adapter emitted for a case.

    ``error`` is the exception that the adapter raised while it made them. As a string it is what a
    failing test should show: the timeline, with each finding at its place.
    """

    case: str
    status: Status
    findings: tuple[Finding, ...]
    timeline: str
    error: Exception | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, value: Mapping[str, Any], error: Exception | None = None) -> Self:
        """A verdict from the JSON object that the server answers."""
        findings = tuple(map(Finding.of, value["findings"]))
        return cls(value["case"], value["status"], findings, value["timeline"], error)

    @property
    def passed(self) -> bool:
        """Whether no finding is of level ``must``."""
        return self.status == "passed"

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that are broken, each once."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def check(self) -> None:
        """Raises AssertionError with the timeline if a finding is of level ``must``."""
        __tracebackhide__ = True
        if not self.passed:
            raise AssertionError(str(self)) from self.error

    def __str__(self) -> str:
        return f"{self.case}: {self.status}\n\n{self.timeline}"
