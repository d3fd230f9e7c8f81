"""Makes a scenario for a request that chose none.

Without tools it answers with text. With tools it calls the first one, with arguments that satisfy
its schema, and answers with text once the result has arrived. The script is one that every dialect
can render.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.conversation import ends_with_tool_result, last_user_text
from mockserver.render import Case
from mockserver.scenario.model import Scenario, Turn
from mockserver.scenario.script import Close, Delta, End, Finish, Says, SayStep, Start
from mockserver.server.example import NoExample, example
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from mockserver.dialects import Inbound

ID = "improvised"
_MAX_QUOTED = 200
_MAX_ARGUMENTS = 16 << 10
_CHOOSE = (
    "No scenario was chosen (by a base URL /s/ID/v1, a model mock/ID or a header x-mock-scenario), "
    "so this answer is improvised."
)


def improvised(inbound: Inbound, dialect: str) -> tuple[Case, str]:
    """A case that answers the request, and the reason for its choice."""
    steps, why = _answer(inbound)
    script = Says((*steps, Close("clean")))
    return Case(Scenario(ID, "Improvised", (dialect,), (Turn(script),)), dialect), why


def _answer(inbound: Inbound) -> tuple[list[SayStep], str]:
    if ends_with_tool_result(inbound.conversation):
        return _text("Thank you, that is what I needed. This answer is improvised."), (
            "a tool's result came, so text follows"
        )
    if not inbound.tools:
        return _text(
            _reply(last_user_text(inbound.conversation))
        ), "no tool was offered, so there is text"
    name, schema = inbound.tools[0]
    try:
        arguments = example(schema)
        if not isinstance(arguments, dict):
            raise NoExample("its schema is not one of objects")
        if len(text := dump(arguments)) > _MAX_ARGUMENTS:
            raise NoExample(f"they would be {len(text):,} characters long")
    except NoExample as error:
        apology = f"I would call {name}, but found no arguments for it: {error}."
        return _text(apology), f"no arguments for {name!r}: {error}"
    return _call(name, text), "the first tool that was offered is called"


def _reply(user_text: str) -> str:
    long = len(user_text) > _MAX_QUOTED
    excerpt = user_text[: _MAX_QUOTED - 1] + "…" if long else user_text
    quoted = f" You said: {excerpt}" if excerpt else ""
    return f"Hello from streamproof. {_CHOOSE}{quoted}"


def _text(text: str) -> list[SayStep]:
    """The steps that stream a text, word by word."""
    words = text.split(" ")
    pieces = [f"{word} " for word in words[:-1]] + words[-1:]
    deltas: list[SayStep] = [Delta("text", piece) for piece in pieces if piece]
    return [Start("text", "text"), *deltas, End("text"), Finish("stop")]


def _call(name: str, text: str) -> list[SayStep]:
    """The steps that stream a call with these arguments, in two fragments."""
    middle = len(text) // 2
    return [
        Start("call", "call", "call_improvised_1", name),
        Delta("call", text[:middle]),
        Delta("call", text[middle:]),
        End("call"),
        Finish("tool-calls"),
    ]
