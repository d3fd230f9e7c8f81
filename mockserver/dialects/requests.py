"""``Requests``: what a dialect accepts, and ``Inbound``, a request as its dialect reads it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from mockserver.dialects.conversation import Entry
from mockserver.foundation.json_fields import listed, mapping, text
from mockserver.foundation.schemas import deepest, errors_of, validator

_MAX_PROBLEMS = 5
_MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as its dialect reads it: its problems, and what the answer depends on.

    ``stream`` is whether a stream is requested. ``echo`` has the values of the answer that repeat
    fields of the request. ``tools`` are the callable tools as (name, schema of the input), or None
    if requests of the dialect cannot have any, and ``hosted`` the tools that are no functions, as
    the request has them, or None if they are not read. ``previous`` is the id of the response that
    the conversation continues, if the upstream stores it, and ``stores`` whether it stores this
    one. ``call_required`` is whether the answer has to call a tool, whichever it is.
    ``answer_schema`` is the JSON Schema of the answer's text, or None if it may be any text.
    ``form`` is one of the dialect's forms of a stream, ``limit`` the maximum number of output
    tokens, ``choices`` how many answers are requested, and ``asks_for_usage`` whether the answer
    may report its usage. ``response_id`` is the id of the answer
    if the request determines it; otherwise, the answer gets a new id.
    """

    problems: tuple[str, ...]
    stream: bool
    model: str
    echo: Mapping[str, Any] = field(default_factory=dict)
    conversation: tuple[Entry, ...] = ()
    tools: tuple[tuple[str, Any], ...] | None = ()
    hosted: tuple[Mapping[str, Any], ...] | None = None
    previous: str = ""
    stores: bool = True
    call_required: bool = False
    answer_schema: Any = None
    form: str = ""
    limit: int | None = None
    choices: int = 1
    asks_for_usage: bool = True
    response_id: str = ""


ANY_OBJECT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
}
"""The schema for a request that asks for JSON without a schema."""

Read = Callable[[Any, Mapping[str, str]], Inbound]
"""Reads a request from its JSON body and its headers, whose names are in lower case."""

LookUp = Callable[[Sequence[str], Mapping[str, str]], dict[str, Any] | None]
"""Makes the JSON answer to a look-up from the ids of all models and the request's headers.

None is answered with 204, without a body.
"""


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of a dialect's clients.

    - ``operations`` are their paths below the base URL, such as ``responses``; the default first.
      ``{model}`` stands for a model's id, as in ``models/{model}:generate``.
    - ``read`` parses and checks a request. A model in the path replaces the model that it finds.
    - ``refuse`` makes the body of an HTTP error, JSON or plain text, from the status, the message,
      and the offending field of the request if there is one.
    - ``schema`` is the path of the schema of a request's body below ``schemas/``, or below the
      folder ``schemas`` if it is not a shipped one.
    - ``headers`` are the names, in lower case, of the headers that it reads.
    - ``authorization`` is the scheme of the header ``Authorization``, in which upstreams need the
      key; empty if the wire says nothing about keys.
    - ``lookups`` answer GET requests besides ``models``, by path; ``{id}`` stands for an id in the
      path, which the answer does not depend on.
    - ``echoes`` are values of the slots that repeat a request, for showing events without one.
    """

    operations: tuple[str, ...]
    read: Read
    refuse: Callable[[int, str, str | None], dict[str, Any] | str]
    schema: str
    headers: tuple[str, ...] = ()
    authorization: str = ""
    lookups: Mapping[str, LookUp] = field(default_factory=dict)
    echoes: Mapping[str, Any] = field(default_factory=dict)
    schemas: Path | None = None

    def validator(self) -> Draft202012Validator:
        """The validator of a request's body."""
        return validator(self.schema, self.schemas)

    def select_headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Those headers of a request that are read, with their names in lower case."""
        lower = ((name.lower(), value) for name, value in headers.items() if self.headers)
        return {name: value for name, value in lower if name in self.headers}


def joined_text(content: Any) -> str:
    """The text of a message's content, which is a string or an array of parts."""
    return text(content) or "".join(text(mapping(part).get("text")) for part in listed(content))


def select_tools(
    tools: Iterable[tuple[str, Any]], choice: Any, required: str
) -> tuple[tuple[str, Any], ...]:
    """The functions that a tool choice allows, each with the schema of its input.

    ``required`` is the one that the choice requires; empty if it requires none.
    """
    return tuple(
        (name, schema or {"type": "object"})
        for name, schema in tools
        if name and choice != "none" and required in ("", name)
    )


def error_body(type_: str, message: str, param: str | None) -> dict[str, Any]:
    """The body of an HTTP error with the fields of OpenAI's errors."""
    return {"error": {"message": message, "type": type_, "param": param, "code": None}}


def problems_of(schema: str, body: Any, schemas: Path | None = None) -> tuple[str, ...]:
    """Messages for the first few schema errors of a request's body, without repetition.

    Each begins with the path of the field.
    """
    if not isinstance(body, dict):
        return ("the request body is not a JSON object",)
    errors = sorted(
        errors_of(validator(schema, schemas), body), key=lambda error: list(map(str, error.path))
    )
    return tuple(dict.fromkeys(_message(error) for error in errors[:_MAX_PROBLEMS]))


def _message(error: ValidationError) -> str:
    error = deepest(error)
    path = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
    )
    long = len(error.message) > _MAX_LENGTH
    message = error.message[: _MAX_LENGTH - 1] + "…" if long else error.message
    return f"{path.lstrip('.') or 'body'}: {message}"
