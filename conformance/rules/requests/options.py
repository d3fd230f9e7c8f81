"""Rules about the rest of a request: that it is made, its tools, limits and options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.findings.finding import Rule, topics
from conformance.rules.requests.differences import NOT_SENT, differences, shown
from conformance.rules.requests.evidence import no_conversation, request_defect
from mockserver.foundation.json_fields import mapping
from mockserver.foundation.json_text import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.findings.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _turn_asked(sent: SentBack) -> Iterator[Defect]:
    """A request is made even if the adapter estimates that the conversation is too long."""
    end = sent.transcript.end
    if sent.request or sent.transcript.cancelled or end is None or end.outcome != "failed":
        return
    why = end.error.message if end.error else ""
    yield request_defect(
        "the run failed without a request at its base URL" + (f": {why[:120]!r}" if why else ""),
        right="one POST to the base URL of the run: a size that is estimated is no reason to fail",
        about=topics("request"),
    )


TURN_ASKED = Rule(
    id="turn-asked",
    holds="the upstream is asked, whatever an estimate of the size says",
    source="stream-mapping § Context Length Handling Architecture",
    check=_turn_asked,
)


def _turn_token(sent: SentBack) -> Iterator[Defect]:
    """The token of a tool invocation does not reach the upstream."""
    if sent.asked.token and sent.asked.token in dump(sent.body):
        yield request_defect(
            "the request carries the token of the tools' invocation",
            right="nothing of it: it is the host's, for its tools alone",
            about=topics("token"),
        )


TURN_TOKEN = Rule(
    id="turn-token",
    holds="a toolInvocationToken reaches the tool, and never the upstream",
    source="copilot-annex § Notes & Edge Cases",
    check=_turn_token,
    not_applicable=no_conversation,
)


def _turn_tools(sent: SentBack) -> Iterator[Defect]:
    """The host's tools are in the request."""
    if sent.inbound.tools is None:
        return
    offered = {name for name, _ in sent.inbound.tools}
    for tool in sent.asked.tools:
        if tool.get("type", "function") == "function" and tool["name"] not in offered:
            yield request_defect(
                f"the adapter's request does not offer the host's tool {tool['name']!r}",
                right="each tool of the host, in the dialect's own shape",
                about=topics(f"tool:{tool['name']}"),
            )


TURN_TOOLS = Rule(
    id="turn-tools",
    holds="the host's tools are offered, in every turn, in the dialect's own shape",
    source="OpenAI § Function calling; OpenResponses § FunctionTool",
    check=_turn_tools,
    not_applicable=no_conversation,
)


def _limits_passed(sent: SentBack) -> Iterator[Defect]:
    """The host's output limit is in the request."""
    # Options are in the dialect's own terms, so they are read as a request is.
    due, came = sent.read(dict(sent.asked.options)).limit, sent.inbound.limit
    if due is not None and came != due:
        how = "did not reach the upstream" if came is None else f"went upstream as {came}"
        yield request_defect(
            f"the limit of {due} output tokens {how}",
            right=f"{due}, under the dialect's own name for it",
            about=topics("limit"),
        )


LIMITS_PASSED = Rule(
    id="limits-passed",
    holds="an output limit in the host's options reaches the upstream as its own limit",
    source="stream-mapping § Fix Priority; OpenAI § max_completion_tokens",
    check=_limits_passed,
    not_applicable=no_conversation,
)


_KEPT = "max_retries"  # an option for the adapter itself


def _options_passed(sent: SentBack) -> Iterator[Defect]:
    """The host's other options are in the request, unchanged."""
    for name, due in sent.asked.options.items():
        if name == _KEPT or sent.read({name: due}).limit is not None:
            continue
        came_here = mapping(sent.body).get(name, NOT_SENT)
        for path, right, came in differences(name, due, _asked_for(name, due, came_here)):
            lost = came is NOT_SENT
            how = "did not reach the upstream" if lost else f"went upstream as {shown(came)}"
            yield request_defect(
                f"the option {path} {how}",
                right=f"{shown(right)}, as the host set it",
                about=topics(f"option:{name}"),
            )


def _asked_for(name: str, due: Any, came: Any) -> Any:
    """The value that was sent; of ``include``, what the host has set, since it may ask for more."""
    if name != "include" or not (isinstance(due, list) and isinstance(came, list)):
        return came
    return due if all(each in came for each in due) else came


OPTIONS_PASSED = Rule(
    id="options-passed",
    holds="the host's options arrive unchanged, those of a provider included",
    source="stream-mapping § Anthropic Context Management Support",
    check=_options_passed,
    not_applicable=no_conversation,
)


_MOST = 3


def _turn_request(sent: SentBack) -> Iterator[Defect]:
    """The request satisfies the schema that the scenario has for it."""
    if sent.turn.request is None:
        return
    errors = Draft202012Validator(sent.turn.request).iter_errors(sent.body)
    for _, error in zip(range(_MOST), errors, strict=False):
        where = ".".join(map(str, error.absolute_path)) or "the body"
        clause = dump({str(error.validator): error.validator_value})[:200]
        yield request_defect(
            f"{where} is not as this turn needs it: it does not satisfy {clause}",
            right="the request that the scenario's sources ask for",
            about=topics(f"at:{where}"),
            # Another defect of the request may be the cause.
            needs=topics("request"),
        )


TURN_REQUEST = Rule(
    id="turn-request",
    holds="the request satisfies what the scenario says of it",
    source="scenario",
    check=_turn_request,
    not_applicable=no_conversation,
)
