"""Parses the ``expect`` of a turn, and checks it against the script."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mockserver.foundation.faults import Problem, ScenarioError, did_you_mean
from mockserver.scenario.expected import (
    Expect,
    ExpectAt,
    ExpectCall,
    ExpectCite,
    ExpectData,
    ExpectError,
    ExpectPart,
    ExpectReasoning,
    ExpectRefusal,
    ExpectText,
)
from mockserver.scenario.script import Answer, Checkpoint, Citation, Says, Sends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockserver.scenario.source import Path, Tree

_FAILED = 400

_PARTS: dict[str, Callable[[Any], ExpectPart]] = {
    "text": ExpectText,
    "reasoning": ExpectReasoning,
    "refusal": ExpectRefusal,
    "message": lambda value: ExpectText(value, begins=True),
    "call": lambda call: ExpectCall(
        call.get("id", ""), call.get("name", ""), call.get("input", {}), call.get("raw", "")
    ),
    "cite": lambda cite: ExpectCite(Citation(**cite)),
    "data": lambda data: ExpectData(data["mimeType"], data["data"], data.get("by_url", False)),
}


def expectations(
    tree: Tree, path: Path, written: Any, script: Says | Sends | Answer, specified: bool
) -> tuple[Expect, ...]:
    """Parse the expectations of a turn; empty if they are to be derived from the script.

    If the upstream keeps to its specification, only one outcome is right. Raises ScenarioError.
    """
    if isinstance(written, dict) and written.keys() == {"request"}:
        # Only the request has an expectation, not the result.
        written = None
    problems = list(_form(tree, path, written, script, specified))
    if problems:
        raise ScenarioError(*problems)
    if written is None:
        return ()
    entries = written if isinstance(written, list) else [written]
    return tuple(_expect(entry) for entry in entries)


def _expect(entry: dict[str, Any]) -> Expect:
    error = entry.get("error")
    return Expect(
        parts=tuple(_part(part) for part in entry["parts"]),
        outcome=entry.get("outcome", "completed"),
        reason=entry.get("reason", ""),
        error=ExpectError(**error) if error else None,
        at={name: _at(at) for name, at in entry.get("at", {}).items()},
        choices=_choices(entry["parts"]),
    )


def _part(part: dict[str, Any]) -> ExpectPart:
    ((kind, value),) = ((name, value) for name, value in part.items() if name != "choice")
    return _PARTS[kind](value)


def _choices(parts: list[dict[str, Any]]) -> tuple[int, ...]:
    several = any("choice" in part for part in parts)
    return tuple(part.get("choice", 0) for part in parts) if several else ()


def _at(at: dict[str, Any]) -> ExpectAt:
    return ExpectAt(tuple(at.get("calls", ())), tuple(at.get("without", ())))


def _form(
    tree: Tree, path: Path, written: Any, script: Says | Sends | Answer, specified: bool
) -> Iterator[Problem]:
    if written is None:
        if not isinstance(script, Says):
            form = "sends" if isinstance(script, Sends) else "status"
            yield Problem(
                f"a turn with {form!r} says in 'expect' what is right",
                tree.place(path),
                "add expect: with 'parts' (an empty list for none) and 'outcome'",
            )
        return
    if isinstance(written, list) and specified:
        yield Problem(
            "several outcomes are right only where the upstream is not legal",
            tree.place((*path, "expect")),
            "leave one entry, or say 'conduct: deviation' or 'conduct: violation'",
        )
    checkpoints = {step.name for step in script.steps if isinstance(step, Checkpoint)}
    for entry, at in _entries(written, (*path, "expect")):
        yield from _entry(tree, at, entry, checkpoints)
        if isinstance(script, Answer):
            yield from _failure(tree, at, entry, script)


def _failure(tree: Tree, path: Path, entry: dict[str, Any], script: Answer) -> Iterator[Problem]:
    if script.status >= _FAILED and (entry.get("outcome") != "failed" or entry.get("parts")):
        yield Problem(
            f"an answer with the status {script.status} has failed and says nothing",
            tree.place(path),
            "expect 'parts: []' and 'outcome: failed'",
        )


def _entries(written: Any, path: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    if isinstance(written, list):
        yield from ((entry, (*path, n)) for n, entry in enumerate(written))
    else:
        yield written, path


def _entry(
    tree: Tree, path: Path, entry: dict[str, Any], checkpoints: set[str]
) -> Iterator[Problem]:
    if "parts" not in entry:
        yield Problem("the key 'parts' is missing here", tree.place(path), "an empty list is none")
    ids = [part["call"].get("id") for part in entry.get("parts", ()) if "call" in part]
    for id_, count in Counter(ids).items():
        if id_ and count > 1:
            yield Problem(f"the call {id_!r} is expected twice", tree.place((*path, "parts")))
    if entry.get("error") and entry.get("outcome") != "failed":
        yield Problem(
            "an 'error' is expected only with 'outcome: failed'", tree.place((*path, "error"))
        )
    for name in entry.get("at", {}):
        if name not in checkpoints:
            yield Problem(
                f"the script has no checkpoint {name!r}",
                tree.key_place((*path, "at", name)),
                did_you_mean(name, checkpoints),
            )
