"""Rules about the rest of a request: that it is made, its tools, limits and options."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.requests.differences import NOT_SENT, Changed, differences
from conformance.rules.requests.evidence import SentBack, no_conversation, request_defect
from mockserver.dialects import DIALECTS
from mockserver.foundation.json_fields import mapping
from mockserver.foundation.json_text import dump


class FailedWithoutRequest(Kind, weighs="loss"):
    """The run fails before a request is made."""

    error: str

    message = "the run failed without a request at its base URL[[: {error:quoted-120}]]"
    right = "one POST to the base URL of the run: a size that is estimated is no reason to fail"


@rule(
    holds="the upstream is asked, whatever an estimate of the size says",
    source="stream-mapping § Context Length Handling Architecture",
    kinds=(FailedWithoutRequest,),
)
def turn_asked(sent: SentBack) -> Iterator[Defect]:
    end = sent.transcript.end
    if sent.request or sent.transcript.cancelled or end is None or end.outcome != "failed":
        return
    why = end.error.message if end.error else ""
    yield request_defect(FailedWithoutRequest(why), topics("request"))


class TokenSent(Kind, weighs="loss"):
    """The token of a tool invocation is in the request."""

    message = "the request carries the token of the tools' invocation"
    right = "nothing of it: it is the host's, for its tools alone"


@rule(
    holds="a toolInvocationToken reaches the tool, and never the upstream",
    source="copilot-annex § Notes & Edge Cases",
    not_applicable=no_conversation,
    kinds=(TokenSent,),
)
def turn_token(sent: SentBack) -> Iterator[Defect]:
    if sent.asked.token and sent.asked.token in dump(sent.body):
        yield request_defect(TokenSent(), topics("token"))


class KeyNotSent(Kind, weighs="loss"):
    """The key that the host gave does not go upstream as the wire needs it."""

    sent: str
    scheme: str

    message = (
        "the request has [[the header Authorization: {sent}|no header Authorization]], so the "
        "upstream refuses it"
    )
    right = "Authorization: {scheme} and the key that the host gave"
    same_by = ("sent",)


def _without_key(sent: SentBack) -> str:
    """Why the request need not have the host's key; empty if it needs it."""
    if not DIALECTS[sent.transcript.dialect].requests.authorization:
        return "the wire says nothing about keys"
    return "" if sent.asked.has_key and sent.request else "the adapter was not given a key"


@rule(
    holds="the key that the host gave goes upstream in the header Authorization, under the scheme "
    "of the wire",
    source="OpenResponses § HTTP Requests; OpenAI § Authentication; copilot-annex § Example Trace",
    not_applicable=_without_key,
    kinds=(KeyNotSent,),
)
def turn_authorized(sent: SentBack) -> Iterator[Defect]:
    scheme = DIALECTS[sent.transcript.dialect].requests.authorization
    came = sent.request.authorization if sent.request else ""
    if came.partition(" ")[0].lower() != scheme.lower():
        yield request_defect(KeyNotSent(came, scheme), topics("authorization"))


class ModelNotNamed(Kind, weighs="loss"):
    """The request does not name a model."""

    message = "the request names no model, so the upstream refuses it, or takes any"
    right = "the model for which the host asked"


def _without_model(sent: SentBack) -> str:
    """Why the request need not name a model; empty if it must."""
    if not DIALECTS[sent.transcript.dialect].requests.authorization:
        return "the upstream is a server of its own, which knows its model"
    return no_conversation(sent)


@rule(
    holds="the request names the model for which the host asked",
    source="OpenAI § Chat completion messages; OpenResponses § HTTP Requests",
    not_applicable=_without_model,
    kinds=(ModelNotNamed,),
)
def turn_model(sent: SentBack) -> Iterator[Defect]:
    if not sent.inbound.model:
        yield request_defect(ModelNotNamed(), topics("model"))


class ToolNotOffered(Kind, weighs="loss"):
    """A function of the host is not offered to the model."""

    tool: str

    message = "the adapter's request does not offer the host's tool {tool!r}"
    right = "each tool of the host, in the dialect's own shape"


class SchemaLost(Kind, weighs="loss"):
    """A function of the host is offered without all fields of its input."""

    tool: str
    fields: tuple[str, ...]

    message = "the adapter's request offers the host's tool {tool!r} without {fields} of its input"
    right = "the schema of the input, by which the model writes the arguments"
    same_by = ()


class DescriptionLost(Kind, weighs="loss"):
    """A function of the host is offered without what the host says of it."""

    tool: str
    description: str

    message = "the adapter's request offers the host's tool {tool!r} without its description"
    right = "the description {description:quoted-80}, by which the model chooses the tool"


@rule(
    holds="the host's tools are offered, in every turn, in the dialect's own shape, with their "
    "descriptions and the schemas of their inputs",
    source="OpenAI § Function calling; OpenResponses § FunctionTool",
    not_applicable=no_conversation,
    kinds=(ToolNotOffered, SchemaLost, DescriptionLost),
)
def turn_tools(sent: SentBack) -> Iterator[Defect]:
    if sent.inbound.tools is None:
        return
    body = dump(sent.body)
    offered = {
        name: mapping(mapping(schema).get("properties")) for name, schema in sent.inbound.tools
    }
    for tool in sent.asked.tools:
        name, description = tool["name"], tool.get("description") or ""
        due = mapping(mapping(tool.get("input_schema")).get("properties"))
        if tool.get("type", "function") != "function":
            continue
        if name not in offered:
            yield request_defect(ToolNotOffered(name), topics(f"tool:{name}"))
        elif lacks := tuple(field for field in due if field not in offered[name]):
            yield request_defect(SchemaLost(name, lacks), topics(f"tool:{name}"))
        elif description and f'"description":{dump(description)}' not in body:
            yield request_defect(DescriptionLost(name, description), topics(f"tool:{name}"))


class LimitChanged(Kind, weighs="loss"):
    """The host's output limit does not reach the upstream, or as another number."""

    due: int
    sent: int | None
    is_missing: bool

    message = (
        "the limit of {due} output tokens "
        "[[{is_missing:if}did not reach the upstream|went upstream as {sent}]]"
    )
    right = "{due}, under the dialect's own name for it"
    same_by = ("is_missing",)


@rule(
    holds="an output limit in the host's options reaches the upstream as its own limit",
    source="stream-mapping § Fix Priority; OpenAI § max_completion_tokens",
    not_applicable=no_conversation,
    kinds=(LimitChanged,),
)
def limits_passed(sent: SentBack) -> Iterator[Defect]:
    # Options are in the dialect's own terms, so they are read as a request is.
    due, came = sent.read(dict(sent.asked.options)).limit, sent.inbound.limit
    if due is not None and came != due:
        yield request_defect(LimitChanged(due, came, is_missing=came is None), topics("limit"))


class OptionChanged(Changed, weighs="loss"):
    """An option of the host does not reach the upstream, or with another value."""

    message = (
        "the option {path} "
        "[[{is_missing:if}did not reach the upstream|went upstream as {sent:json-80}]]"
    )
    right = "{due:json-80}, as the host set it"


class OwnOptionSent(Kind, weighs="loss"):
    """An option for the adapter itself goes upstream, which may refuse what it does not know."""

    option: str

    message = "the option {option}, which is for the adapter, went upstream"
    right = "the request without it"
    same_by = ("option",)


_OWN = "max_retries"  # an option for the adapter itself


@rule(
    holds="the host's options arrive unchanged, those of a provider included, and what is for the "
    "adapter itself does not",
    source="stream-mapping § Anthropic Context Management Support",
    not_applicable=no_conversation,
    kinds=(OptionChanged, OwnOptionSent),
)
def options_passed(sent: SentBack) -> Iterator[Defect]:
    if _OWN in mapping(sent.body):
        yield request_defect(OwnOptionSent(_OWN), topics(f"option:{_OWN}"))
    for name, due in sent.asked.options.items():
        if name == _OWN or sent.read({name: due}).limit is not None:
            continue
        came_here = mapping(sent.body).get(name, NOT_SENT)
        for change in differences(name, due, _asked_for(name, due, came_here), in_lists=False):
            yield request_defect(OptionChanged(*change), topics(f"option:{name}"))


def _asked_for(name: str, due: Any, came: Any) -> Any:
    """The value that was sent; of ``include``, what the host has set, since it may ask for more."""
    if name != "include" or not (isinstance(due, list) and isinstance(came, list)):
        return came
    return due if all(each in came for each in due) else came


class RequestNotAsScenario(Kind, weighs="loss"):
    """The request does not satisfy the schema that the scenario has for it.

    ``pattern`` is the path with ``*`` in place of the index of a list's element.
    """

    path: str
    pattern: str
    keyword: str
    clause: Any

    message = (
        "[[{path}|the body]] is not as this turn needs it: it does not satisfy {clause:json-200}"
    )
    right = "the request that the scenario's sources ask for"
    same_by = ("pattern", "keyword")


_MOST = 3


@rule(
    holds="the request satisfies what the scenario says of it",
    source="scenario",
    not_applicable=no_conversation,
    kinds=(RequestNotAsScenario,),
)
def turn_request(sent: SentBack) -> Iterator[Defect]:
    """The request satisfies the schema that the scenario has for it."""
    if sent.turn.request is None:
        return
    errors = Draft202012Validator(sent.turn.request).iter_errors(sent.body)
    for _, error in zip(range(_MOST), errors, strict=False):
        path = [str(step) for step in error.absolute_path]
        pattern = ["*" if isinstance(step, int) else step for step in error.absolute_path]
        clause = {str(error.validator): error.validator_value}
        yield request_defect(
            RequestNotAsScenario(".".join(path), ".".join(pattern), str(error.validator), clause),
            about=topics(f"at:{'.'.join(path) or 'the body'}"),
            # Another defect of the request may be the cause.
            needs=topics("request"),
        )
