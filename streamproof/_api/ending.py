"""The ending of a run in the terms of drive/1, from what a test says about it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, get_args

from streamproof._api.faults import Problem, UserError, did_you_mean

Outcome = Literal["completed", "failed", "cancelled", "hung"]
_OUTCOMES: tuple[str, ...] = get_args(Outcome)
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
    turn: int | None
    messages: Sequence[Mapping[str, Any]] | None


def make_ending(
    outcome: Outcome | None,
    error: Error | None,
    finish: str | None = None,
    usage: Mapping[str, int] | None = None,
    *,
    cancelled: bool = False,
) -> dict[str, Any] | None:
    """The ``done`` message of a run; None for a run that never ended.

    Without an ``outcome`` a run with an ``error`` has failed, and any other is completed, or
    cancelled if the test has cancelled it. Raises UserError if the outcome is none.
    """
    if outcome is not None and outcome not in _OUTCOMES:
        hint = did_you_mean(str(outcome), _OUTCOMES)
        message = f"outcome is none of {', '.join(_OUTCOMES)}: {outcome!r:.80}"
        raise UserError(Problem(message, hint=hint))
    ended: Outcome = "cancelled" if cancelled else "completed"
    outcome = outcome or (ended if error is None else "failed")
    if outcome == "hung":
        return None
    told = {} if error is None else {"error": _told(error)}
    if outcome == "failed" and not told:
        told = {"error": {"kind": "unknown", "message": ""}}
    said = {"finish": finish, "usage": usage}
    known = {name: value for name, value in said.items() if value is not None}
    return {"type": "done", "outcome": outcome, **known, **told}


def read_cancelled(parts: Any) -> dict[str, int] | None:
    """What is posted of a run that the test cancelled when so many parts were out.

    Raises UserError if it is not their number.
    """
    if parts is None:
        return None
    if not isinstance(parts, int) or isinstance(parts, bool) or parts < 0:
        message = f"cancelled is the number of parts before the test cancelled, not {parts!r:.80}"
        raise UserError(Problem(message, hint="such as cancelled=2; None if it did not cancel"))
    return {"parts": parts}


def _told(error: Error) -> Mapping[str, Any]:
    if isinstance(error, Mapping):
        return {"kind": "unknown", "message": "", **error}
    if isinstance(error, BaseException):
        return {"kind": "unknown", "message": str(error), "thrown": type(error).__name__}
    return {"kind": "unknown", "message": error}
