"""Parses what the host sends, in its first request and between turns, and checks the conversation.

Every turn but the last must say what the host adds, with a result for every call of the model.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, SchemaError

from mockserver.foundation.faults import Place, Problem, did_you_mean
from mockserver.foundation.json_text import dump
from mockserver.scenario.expected import ExpectCall
from mockserver.scenario.hosted import McpApproval, id_of, runs_at_host
from mockserver.scenario.model import Host, Model, Then, Turn
from mockserver.scenario.script import Answer, End, Hosted, Says, Send, Sends, Start
from mockserver.scenario.source import Path, Tree, refuse, with_tuples

Script = Says | Sends | Answer

# A pattern may take forever to match, and a reference may be fetched from anywhere.
_FORBIDDEN = frozenset({"pattern", "patternProperties", "$ref", "$dynamicRef"})


def parse_host(tree: Tree) -> Host:
    """Parse the first request of the host."""
    written = tree.value.get("host", {})
    return Host(**{**with_tuples(written), "model": Model(**written.get("model", {}))})


def tool_name(tool: Mapping[str, Any]) -> str:
    """The name of a tool of the host: its own, the label of its server, or its type."""
    return str(tool.get("name") or tool.get("server_label") or tool["type"])


def parse_then(tree: Tree, path: Path, script: Script | None = None) -> Then | None:
    """Parse what the host adds after the script of the turn at this path; None if nothing.

    Raises ScenarioError if it answers an approval request that the script does not have.
    """
    written = tree.at(path).get("then")
    if written is None:
        return None
    results = written.get("tool_results", {})
    return Then(
        {id_: each if isinstance(each, str) else dump(each) for id_, each in results.items()},
        written.get("outputs", {}),
        _approvals(tree, path, script) if "approve" in written else {},
        written.get("reason", ""),
        written.get("user", ""),
    )


def _approvals(tree: Tree, path: Path, script: Script | None) -> dict[str, bool]:
    """The answers to the approval requests of a script, by the ids of the requests."""
    at = (*path, "then", "approve")
    written, place = tree.at(at), tree.place(at)
    asked = approval_requests(script)
    if not asked:
        refuse(place, "the model asks for no approval in this turn")
    if isinstance(written, bool):
        return dict.fromkeys(asked, written)
    for id_ in written:
        if id_ not in asked:
            hint = did_you_mean(id_, asked)
            refuse(place, f"the model asks for no approval with the id {id_!r}", hint)
    return {id_: written[id_] for id_ in asked if id_ in written}


def approval_requests(script: Script | None) -> list[str]:
    """The ids of the approval requests that a script sends."""
    asked = (_approval_asked(step) for step in script.steps) if script else ()
    return list(dict.fromkeys(filter(None, asked)))


def _approval_asked(step: object) -> str:
    """The id of the approval request that a step sends; empty if it sends none."""
    if isinstance(step, Hosted):
        return step.tool.id if isinstance(step.tool, McpApproval) else ""
    item = step.fields.get("item") if isinstance(step, Send) else None
    if not isinstance(item, Mapping) or item.get("type") != "mcp_approval_request":
        return ""
    return item["id"] if isinstance(item.get("id"), str) else ""


def parse_request(tree: Tree, path: Path) -> dict[str, Any] | None:
    """The schema for the request of the turn at this path, if any. Raises ScenarioError."""
    expect = tree.at(path).get("expect")
    written = expect.get("request") if isinstance(expect, dict) else None
    if written is None:
        return None
    place = tree.place((*path, "expect", "request"))
    for key in filter(_FORBIDDEN.__contains__, _keys(written)):
        hint = "use const, enum, contains and the like: a file is not trusted with patterns"
        refuse(place, f"{key!r} has no place in the schema of a request", hint)
    try:
        Draft202012Validator.check_schema(written)
    except SchemaError as error:
        refuse(place, f"'request' is no JSON Schema: {error.message[:200]}")
    found: dict[str, Any] = written
    return found


def _keys(value: Any) -> Iterator[str]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield name
        yield from _keys(inner)
    for inner in value if isinstance(value, list) else ():
        yield from _keys(inner)


def check_conversation(tree: Tree, turns: tuple[Turn, ...]) -> Iterator[Problem]:
    """The mistakes between turns: missing or superfluous ``then``, results and call ids."""
    *before, last = turns
    for n, turn in enumerate(before):
        yield from _then_problems(tree, ("turns", n), turn)
    if last.then is not None:
        place = tree.key_place(("turns", len(before), "then"))
        yield Problem("nothing follows this 'then'", place, "add a turn after it, or leave it out")
    yield from _repeated_ids(tree, turns)


def _then_problems(tree: Tree, path: Path, turn: Turn) -> Iterator[Problem]:
    place = tree.place(path)
    if turn.then is None:
        why = "a turn follows this one, and nothing says what the host answers"
        yield Problem(why, place, "add then: with 'tool_results', a 'user', or both")
        return
    if turn.cancel:
        yield Problem("a turn that is cancelled is the last one", place)
    calls, added = _calls(turn), turn.then
    answerable = dict.fromkeys([*calls, *_hosted_calls(turn)])
    for key, results in (("tool_results", added.tool_results), ("outputs", added.outputs)):
        for id_ in results:
            if id_ not in answerable:
                at = tree.key_place((*path, "then", key, id_))
                why = f"no call of this turn that is completed has the id {id_!r}"
                yield Problem(why, at, did_you_mean(id_, answerable))
    for id_ in added.outputs.keys() & added.tool_results.keys():
        at = tree.key_place((*path, "then", "outputs", id_))
        yield Problem(f"the call {id_!r} has a result in 'tool_results' as well", at)
    answered = set(added.answered_calls)
    for id_ in calls:
        if id_ not in answered and len(turn.expect) < 2:
            yield Problem(f"the call {id_!r} gets no result", place, "each call has its answer")


def _calls(turn: Turn) -> list[str]:
    """The ids of the complete calls of a turn; of a call without one, the name of its tool."""
    expected = [part for expect in turn.expect for part in expect.parts]
    if turn.expect or isinstance(turn.script, Answer):
        return [part.id or part.name for part in expected if isinstance(part, ExpectCall)]
    if not isinstance(turn.script, Says):
        return []
    ended = {step.block for step in turn.script.steps if isinstance(step, End)}
    starts = [step for step in turn.script.steps if isinstance(step, Start)]
    return [start.call_id for start in starts if start.kind == "call" and start.block in ended]


def _hosted_calls(turn: Turn) -> list[str]:
    """The ids of the items of OpenAI's tools, whose calls an adapter may ignore."""
    hosted = [step.tool for step in turn.script.steps if isinstance(step, Hosted)]
    return [id_of(tool) for tool in hosted if runs_at_host(tool)]


def _repeated_ids(tree: Tree, turns: tuple[Turn, ...]) -> Iterator[Problem]:
    """Call ids that two turns have in common: a request's turn is found by its call ids."""
    before: set[str] = set()
    for n, turn in enumerate(turns):
        place: Place = tree.place(("turns", n))
        for id_ in (calls := dict.fromkeys([*_calls(turn), *_hosted_calls(turn)])):
            if id_ in before:
                yield Problem(f"the call id {id_!r} is in an earlier turn, too", place)
        before |= calls.keys()
