"""Parses the turns of a scenario file: answers, what is expected, and when the host cancels.

Source of plain answers: RFC 9110 (HTTP Semantics), § 5 for headers, § 6.4 for the answers that have
no body.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mockserver.foundation.faults import Problem, ScenarioError, did_you_mean
from mockserver.foundation.json_text import dump, encode
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
from mockserver.scenario.host import parse_request, parse_then
from mockserver.scenario.model import Cancel, Turn
from mockserver.scenario.says import parse_says
from mockserver.scenario.script import Answer, Checkpoint, Citation, Cite, Delta, Says, Sends, Start
from mockserver.scenario.sends import parse_sends
from mockserver.scenario.source import Path, Tree, refuse, with_tuples
from mockserver.scenario.steps import MAX_FILE_STEPS, add_checkpoint

_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"

CONNECTION_HEADERS = frozenset((
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    "te", "trailer", "transfer-encoding", "upgrade",
))  # fmt: skip
"""The names of headers about one connection, in lower case (RFC 9110 § 7.6.1)."""

# Headers that the server sets itself: framing, and those of the connection.
_SERVER_HEADERS = CONNECTION_HEADERS | {"content-length"}
_WITHOUT_BODY = (204, 205, 304)

_FAILED = 400

_PARTS: dict[str, Callable[[Any], ExpectPart]] = {
    "text": ExpectText,
    "reasoning": ExpectReasoning,
    "refusal": ExpectRefusal,
    "message": lambda value: ExpectText(value, begins=True),
    "call": lambda call: ExpectCall(**{"id": "", "name": "", "input": {}, **call}),
    "cite": lambda cite: ExpectCite(Citation(**cite)),
    "data": lambda data: ExpectData(data["mimeType"], data["data"], data.get("by_url", False)),
}

MAX_CONTENT = 4096
"""The maximum number of characters of content in a turn that is cancelled.

Every prefix of the content is a correct result, and the schema of these must stay small.
"""


def parse_turns(tree: Tree, specified: bool) -> Iterator[Turn]:
    """The turns of the file. Raises ScenarioError if all scripts together are too long."""
    count = 0
    for n in range(len(tree.value["turns"])):
        turn = _turn(tree, ("turns", n), specified)
        count += sum(len(attempt.script.steps) for attempt in turn.attempts)
        if count > MAX_FILE_STEPS:
            place = tree.place(("turns", n))
            refuse(place, f"more than {MAX_FILE_STEPS:,} events in one file", "make it two files")
        yield turn


def _turn(tree: Tree, path: Path, specified: bool) -> Turn:
    value = tree.at(path)
    if "attempts" not in value:
        return _attempt(tree, path, specified)
    for key in value:
        if key not in ("attempts", "then"):
            place = tree.key_place((*path, key))
            refuse(place, f"{key!r} is beside 'attempts'", "each attempt has its own")
    paths: list[Path] = [(*path, "attempts", n) for n in range(len(value["attempts"]))]
    *earlier, last = (_attempt(tree, each, specified) for each in paths)
    _check_checkpoints(tree, paths, (*earlier, last))
    return replace(last, earlier=tuple(earlier), then=parse_then(tree, path, last.script))


def _check_checkpoints(tree: Tree, paths: list[Path], attempts: tuple[Turn, ...]) -> None:
    before: set[str] = set()
    for path, attempt in zip(paths, attempts, strict=True):
        for step in attempt.script.steps:
            if isinstance(step, Checkpoint):
                add_checkpoint(step, before, tree.place(path))


def _attempt(tree: Tree, path: Path, specified: bool) -> Turn:
    value = tree.at(path)
    forms = [form for form in _FORMS if form in value]
    if len(forms) != 1:
        why = (
            "a turn has either 'says' (a neutral script), 'sends' (a dialect's own events) or "
            "'status' (a plain HTTP answer)"
        )
        refuse(tree.place(path), why)
    for key in ("headers", "body"):
        if key in value and "status" not in value:
            place = tree.key_place((*path, key))
            refuse(place, f"{key!r} belongs to a plain answer, which has a 'status'")
    script = _FORMS[forms[0]](tree, path)
    expect = parse_expectations(tree, path, script, specified)
    return Turn(
        script,
        expect,
        parse_cancel(tree, path, script, expect),
        request=parse_request(tree, path),
        then=parse_then(tree, path, script),
    )


def scripts(turns: tuple[Turn, ...]) -> Iterator[tuple[Path, Says | Sends]]:
    """The scripts of all attempts that are streams, with their paths in the file."""
    for n, turn in enumerate(turns):
        for m, attempt in enumerate(turn.attempts):
            path: Path = ("turns", n, "attempts", m) if turn.earlier else ("turns", n)
            if not isinstance(attempt.script, Answer):
                yield path, attempt.script


def parse_answer(tree: Tree, path: Path) -> Answer:
    """Parse the plain answer at this path. Raises ScenarioError."""
    value = tree.at(path)
    status, headers = int(value["status"]), dict(value.get("headers", {}))
    problems = [*_header_problems(tree, (*path, "headers"), headers)]
    if "body" in value and status in _WITHOUT_BODY:
        why = f"an answer with the status {status} has no body"
        problems.append(Problem(why, tree.key_place((*path, "body"))))
    if problems:
        raise ScenarioError(*problems)
    if "body" not in value:
        return Answer(status, headers)
    body = value["body"]
    if "content-type" not in map(str.lower, headers):
        headers["Content-Type"] = _TEXT if isinstance(body, str) else _JSON
    return Answer(status, headers, encode(body if isinstance(body, str) else dump(body)))


def _header_problems(tree: Tree, path: Path, headers: dict[str, str]) -> Iterator[Problem]:
    before: set[str] = set()
    for name in headers:
        place = tree.key_place((*path, name))
        if name.lower() in _SERVER_HEADERS:
            yield Problem(f"the header {name!r} is the server's own", place, "leave it out")
        if name.lower() in before:
            yield Problem(f"the header {name!r} is here twice; case makes no difference", place)
        before.add(name.lower())


_FORMS: dict[str, Callable[[Tree, Path], Says | Sends | Answer]] = {
    "says": lambda tree, path: parse_says(tree, (*path, "says")),
    "sends": lambda tree, path: parse_sends(tree, (*path, "sends")),
    "status": parse_answer,
}


def parse_expectations(
    tree: Tree, path: Path, script: Says | Sends | Answer, specified: bool
) -> tuple[Expect, ...]:
    """Parse the expectations of a turn; empty if they are to be derived from the script.

    If the upstream keeps to its specification, only one outcome is right. Raises ScenarioError.
    """
    written, at = tree.at(path).get("expect"), (*path, "expect")
    # With a request alone, the result has no expectation.
    if written is None or (isinstance(written, dict) and written.keys() == {"request"}):
        if not isinstance(script, Says):
            form = "sends" if isinstance(script, Sends) else "status"
            hint = "add expect: with 'parts' (an empty list for none) and 'outcome'"
            why = f"a turn with {form!r} says in 'expect' what is right"
            refuse(tree.place(path), why, hint)
        return ()
    several = isinstance(written, list)
    entries = {(*at, n): each for n, each in enumerate(written)} if several else {at: written}
    problems = [
        problem
        for each, entry in entries.items()
        for problem in _entry_problems(tree, each, entry, script)
    ]
    if several and specified:
        why = "several outcomes are right only where the upstream is not legal"
        hint = "leave one entry, or say 'conduct: deviation' or 'conduct: violation'"
        problems.insert(0, Problem(why, tree.place(at), hint))
    if problems:
        raise ScenarioError(*problems)
    return tuple(map(_expect, entries.values()))


def _expect(entry: dict[str, Any]) -> Expect:
    error, parts = entry.get("error"), entry["parts"]
    several = any("choice" in part for part in parts)
    return Expect(
        parts=tuple(_part(part) for part in parts),
        outcome=entry.get("outcome", "completed"),
        reason=entry.get("reason", ""),
        error=ExpectError(**error) if error else None,
        at={name: ExpectAt(**with_tuples(at)) for name, at in entry.get("at", {}).items()},
        choices=tuple(part.get("choice", 0) for part in parts) if several else (),
    )


def _part(part: dict[str, Any]) -> ExpectPart:
    ((kind, value),) = ((name, value) for name, value in part.items() if name != "choice")
    return _PARTS[kind](value)


def _entry_problems(
    tree: Tree, path: Path, entry: dict[str, Any], script: Says | Sends | Answer
) -> Iterator[Problem]:
    if "parts" not in entry:
        yield Problem("the key 'parts' is missing here", tree.place(path), "an empty list is none")
    ids = [part["call"].get("id") for part in entry.get("parts", ()) if "call" in part]
    for id_, count in Counter(ids).items():
        if id_ and count > 1:
            yield Problem(f"the call {id_!r} is expected twice", tree.place((*path, "parts")))
    if entry.get("error") and entry.get("outcome", "completed") == "completed":
        place = tree.place((*path, "error"))
        yield Problem("an 'error' is expected only with 'outcome: failed' or 'incomplete'", place)
    checkpoints = _checkpoints(script)
    for name in entry.get("at", {}):
        if name not in checkpoints:
            place = tree.key_place((*path, "at", name))
            hint = did_you_mean(name, checkpoints)
            yield Problem(f"the script has no checkpoint {name!r}", place, hint)
    wrong = entry.get("outcome") != "failed" or entry.get("parts")
    if isinstance(script, Answer) and script.status >= _FAILED and wrong:
        why = f"an answer with the status {script.status} has failed and says nothing"
        yield Problem(why, tree.place(path), "expect 'parts: []' and 'outcome: failed'")


def _checkpoints(script: Says | Sends | Answer) -> set[str]:
    return {step.name for step in script.steps if isinstance(step, Checkpoint)}


def parse_cancel(
    tree: Tree, path: Path, script: Says | Sends | Answer, expect: tuple[Expect, ...]
) -> Cancel | None:
    """Parse when the turn at this path is cancelled, if it is. Raises ScenarioError."""
    written = tree.at(path).get("cancel")
    if written is None:
        return None
    found = Cancel(**written)
    checkpoints = _checkpoints(script)
    if found.at and found.at not in checkpoints:
        place, hint = tree.place((*path, "cancel", "at")), did_you_mean(found.at, checkpoints)
        refuse(place, f"the script has no checkpoint {found.at!r} to cancel at", hint)
    if max(_contents(script, expect), default=0) > MAX_CONTENT:
        why = f"a turn that is cancelled has at most {MAX_CONTENT:,} characters of content"
        refuse(tree.place((*path, "cancel")), why)
    return found


def _contents(script: Says | Sends | Answer, expect: tuple[Expect, ...]) -> Iterator[int]:
    """The number of characters of content in the script, and in each of its expectations."""
    if isinstance(script, Says):
        starts = (step for step in script.steps if isinstance(step, Start))
        calls = {start.block for start in starts if start.kind == "call"}
        deltas = (step for step in script.steps if isinstance(step, Delta))
        cites = (step for step in script.steps if isinstance(step, Cite))
        said = sum(len(delta.value) for delta in deltas if delta.block not in calls)
        yield said + sum(_length(cite.citation) for cite in cites)
    for entry in expect:
        yield sum(map(_part_length, entry.parts))


def _part_length(part: ExpectPart) -> int:
    match part:
        case ExpectCall() | ExpectData():
            return 0
        case ExpectCite(citation):
            return _length(citation)
    return len(part.value)


def _length(citation: Citation) -> int:
    return sum(map(len, citation.fields().values()))
