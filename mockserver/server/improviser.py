"""Makes a scenario for a request that chose none.

Without tools it answers with text. With tools it calls the first one, with arguments that satisfy
its schema, and answers with text once the result has arrived. Where the request requires a call, it
calls the tools one after the other before it answers with text. The text is JSON if the request
asks for JSON: an instance of the schema that it gives. The script is one that every dialect can
render.
"""

from typing import Any

from mockserver.cases.case import Case
from mockserver.dialects import Inbound
from mockserver.dialects.conversation import (
    Message,
    ToolCall,
    ends_with_tool_result,
    last_user_text,
)
from mockserver.foundation.json_text import dump
from mockserver.scenario.model import Scenario, Turn
from mockserver.scenario.script import Close, Delta, End, Finish, Says, SayStep, Start
from mockserver.server.example import example
from mockserver.server.pattern import NoExample

ID = "improvised"
_MAX_QUOTED = 200
_MAX_JSON = 16 << 10
_PIECE = 8
_THANKS = "Thank you, that is what I needed. This answer is improvised."
_CHOOSE = (
    "No scenario was chosen (by a base URL /s/ID/v1, a model mock/ID or a header x-mock-scenario), "
    "so this answer is improvised."
)


def improvise(inbound: Inbound, dialect: str) -> tuple[Case, str]:
    """A case that answers the request, and the reason for its choice."""
    steps, why = _answer(inbound)
    script = Says((*steps, Close("clean")))
    return Case(Scenario(ID, "Improvised", (dialect,), (Turn(script),)), dialect), why


def _answer(inbound: Inbound) -> tuple[list[SayStep], str]:
    answers_a_result = ends_with_tool_result(inbound.conversation)
    tools = _uncalled_tools(inbound) if answers_a_result else inbound.tools
    if tools:
        which = "a call is required, so the next" if answers_a_result else "the first"
        return _answer_call(inbound, *tools[0], f"{which} tool that was offered is called")
    if answers_a_result:
        return _answer_text(inbound, _THANKS, "a tool's result came")
    reply = _reply(last_user_text(inbound.conversation))
    return _answer_text(inbound, reply, "no tool was offered")


def _uncalled_tools(inbound: Inbound) -> list[tuple[str, Any]]:
    """If the request requires a call, the tools without one since the last message of the user.

    None if the conversation is stored: which tools were called is not in the request.
    """
    if inbound.previous or not inbound.call_required:
        return []
    is_user = [isinstance(e, Message) and e.role == "user" for e in inbound.conversation]
    since = len(is_user) - is_user[::-1].index(True) if True in is_user else 0
    called = {e.name for e in inbound.conversation[since:] if isinstance(e, ToolCall)}
    return [(name, schema) for name, schema in inbound.tools or () if name not in called]


def _answer_call(inbound: Inbound, name: str, schema: Any, why: str) -> tuple[list[SayStep], str]:
    """The steps of a call of a tool, or of a text that says why there are no arguments for it."""
    try:
        if not (text := _json(schema)).startswith("{"):
            raise NoExample("its schema is not one of objects")
    except NoExample as error:
        apology = f"I would call {name}, but found no arguments for it: {error}."
        return _text(apology), f"no arguments for {name!r}: {error}"
    calls = sum(isinstance(entry, ToolCall) for entry in inbound.conversation)
    return _call(f"call_improvised_{calls + 1}", name, text), why


def _answer_text(inbound: Inbound, text: str, why: str) -> tuple[list[SayStep], str]:
    """The steps of an answer in text, or in JSON if the request asks for it."""
    if inbound.answer_schema is None:
        return _text(text), f"{why}, so text follows"
    try:
        json_text = _json(inbound.answer_schema)
    except NoExample as error:
        apology = f"I was asked for JSON, but found no instance of its schema: {error}."
        return _text(apology), f"{why}, and the schema of the answer has no instance: {error}"
    pieces = [json_text[at : at + _PIECE] for at in range(0, len(json_text), _PIECE)]
    return _deltas(pieces), f"{why}, so an instance of the answer's schema follows"


def _json(schema: Any) -> str:
    """The JSON text of an instance of a schema. Raises NoExample if there is none."""
    if len(text := dump(example(schema))) > _MAX_JSON:
        raise NoExample(f"it would be {len(text):,} characters long")
    return text


def _reply(user_text: str) -> str:
    long = len(user_text) > _MAX_QUOTED
    excerpt = user_text[: _MAX_QUOTED - 1] + "…" if long else user_text
    quoted = f" You said: {excerpt}" if excerpt else ""
    return f"Hello from streamproof. {_CHOOSE}{quoted}"


def _text(text: str) -> list[SayStep]:
    words = text.split(" ")
    pieces = [f"{word} " for word in words[:-1]] + words[-1:]
    return _deltas(pieces)


def _deltas(pieces: list[str]) -> list[SayStep]:
    deltas: list[SayStep] = [Delta("text", piece) for piece in pieces if piece]
    return [Start("text", "text"), *deltas, End("text"), Finish("stop")]


def _call(id_: str, name: str, text: str) -> list[SayStep]:
    middle = len(text) // 2
    return [
        Start("call", "call", id_, name),
        Delta("call", text[:middle]),
        Delta("call", text[middle:]),
        End("call"),
        Finish("tool-calls"),
    ]
