"""Traits: choices in which correct adapters differ. The first value of each is its default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jsonschema import Draft202012Validator

from conformance.contract.json_values import structure
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.foundation.shipped import schema

THINKING_PREFIX = "[Thinking] "
"""What each text part of reasoning begins with if the trait ``reasoning`` is ``prefixed``."""


ReasoningRoute = Literal["thinking", "text", "prefixed", "hidden"]
RefusalRoute = Literal["text", "error", "hidden"]


@dataclass(frozen=True, slots=True)
class Traits:
    """What an adapter does where correct adapters differ, as its ``adapter.yaml`` declares it."""

    call_id_prefix: str = ""
    reasoning: ReasoningRoute = "thinking"
    refusal: RefusalRoute = "text"
    annotations: Literal["link", "data", "hidden"] = "link"
    errors: Literal["reject", "part", "text"] = "reject"
    emit_call_at: Literal["complete", "item", "end"] = "complete"
    choices: Literal["alternatives", "merge"] = "alternatives"
    blank_before_call: bool = False
    framing: Literal["blocks", "none"] = "blocks"
    call_id: Literal["upstream", "own"] = "upstream"
    unoffered_tool: Literal["call", "error"] = "call"
    hosted_tools: Literal["optional", "emitted"] = "optional"
    url_files: Literal["hidden", "fetched"] = "hidden"
    missing_usage: Literal["none", "estimated"] = "none"
    strict: bool = False

    @property
    def reasoning_is_apart(self) -> bool:
        """Whether reasoning is emitted, and a part says by itself that it is reasoning."""
        return self.reasoning in ("thinking", "prefixed")


_WORDS = {"true": True, "false": False}


def _parse_booleans(values: Any, known: Mapping[str, Any]) -> Any:
    """Traits whose booleans may be the words ``true`` and ``false``, as in a URL's query."""
    if not isinstance(values, dict):
        return values
    flags = {name for name in values if known.get(name, {}).get("type") == "boolean"}
    words = {name for name in flags if isinstance(values[name], str)}
    return values | {name: _WORDS.get(values[name], values[name]) for name in words}


def parse_traits(values: Any) -> Traits:
    """Traits from an untrusted JSON value. Raises UserError if they are not valid."""
    contract = schema("adapter")["properties"]["traits"]
    known = contract["properties"]
    values = _parse_booleans(values, known)
    for name in values if isinstance(values, dict) else ():
        if name not in known:
            raise UserError(Problem(f"unknown trait {name[:80]!r}", hint=did_you_mean(name, known)))
    error = next(Draft202012Validator(contract).iter_errors(values), None)
    if error:
        where = f"{error.path[0]}: " if error.path else ""
        raise UserError(f"not a trait: {where}{error.message[:200]}")
    return structure(values, Traits)
