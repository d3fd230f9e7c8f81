"""The ending of a run in the terms of drive/1, from what a test says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

Outcome = Literal["completed", "failed", "cancelled", "hung"]
Error = str | BaseException | Mapping[str, Any]
Finish = Literal["stop", "length", "content-filter", "tool-calls", "error", "other"]
Vocabulary = Literal["vscode", "stream", "fullstream", "copilot"]


class Decoded(TypedDict, total=False):
    """What a verdict on a decoder needs to know beyond the parts: see ``Played.verdict``."""

    error: Error | None
    finish: Finish | None
    usage: Mapping[str, int] | None
    vocabulary: Vocabulary
    traits: Mapping[str, Any] | None


class Ending(Decoded, total=False):
    """What a verdict needs to know beyond the parts and the outcome: see ``Run.verdict``."""

    cancelled: int | None
    turn: int
    messages: Sequence[Mapping[str, Any]] | None


def ending_of(
    outcome: Outcome | None,
    error: Error | None,
    finish: str | None = None,
    usage: Mapping[str, int] | None = None,
) -> dict[str, Any] | None:
    """The ``done`` message of a run; None for a run that never ended.

    Without an ``outcome`` a run with an ``error`` has failed, and any other is completed.
    """
    outcome = outcome or ("completed" if error is None else "failed")
    if outcome == "hung":
        return None
    told = {} if error is None else {"error": _told(error)}
    if outcome == "failed" and not told:
        told = {"error": {"kind": "unknown", "message": ""}}
    said = {"finish": finish, "usage": usage}
    known = {name: value for name, value in said.items() if value is not None}
    return {"type": "done", "outcome": outcome, **known, **told}


def _told(error: Error) -> Mapping[str, Any]:
    if isinstance(error, Mapping):
        return {"kind": "unknown", "message": "", **error}
    if isinstance(error, BaseException):
        return {"kind": "unknown", "message": str(error), "thrown": type(error).__name__}
    return {"kind": "unknown", "message": error}
