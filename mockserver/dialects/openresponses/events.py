"""The event types of OpenResponses, each with its group.

The 24 types of the release 2026-04-24 come first; after them come the types that some servers send
instead (``reasoning_text``) or that rfc-00022 names (``reasoning_summary``).
"""

from collections.abc import Iterable
from typing import Any, Literal

from mockserver.wire.event import Event, Step

Group = Literal[
    "lifecycle", "item", "part", "text", "arguments", "reasoning", "refusal", "citation", "error"
]

GROUPS: dict[str, Group] = {
    "response.created": "lifecycle",
    "response.queued": "lifecycle",
    "response.in_progress": "lifecycle",
    "response.completed": "lifecycle",
    "response.failed": "lifecycle",
    "response.incomplete": "lifecycle",
    "response.output_item.added": "item",
    "response.output_item.done": "item",
    "response.content_part.added": "part",
    "response.content_part.done": "part",
    "response.output_text.delta": "text",
    "response.output_text.done": "text",
    "response.output_text.annotation.added": "citation",
    "response.refusal.delta": "refusal",
    "response.refusal.done": "refusal",
    "response.function_call_arguments.delta": "arguments",
    "response.function_call_arguments.done": "arguments",
    "response.reasoning.delta": "reasoning",
    "response.reasoning.done": "reasoning",
    "response.reasoning_summary_part.added": "reasoning",
    "response.reasoning_summary_part.done": "reasoning",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_summary_text.done": "reasoning",
    "error": "error",
    # Alternative types, sent only if a scenario or a variation uses them.
    "response.reasoning_text.delta": "reasoning",
    "response.reasoning_text.done": "reasoning",
    "response.reasoning_summary.delta": "reasoning",
    "response.reasoning_summary.done": "reasoning",
}

PREAMBLE = frozenset({"response.created", "response.queued", "response.in_progress"})
TERMINAL = frozenset({"response.completed", "response.failed", "response.incomplete"})

ITEM_TYPES = frozenset(
    {"message", "function_call", "function_call_output", "reasoning", "compaction"}
)


def is_extension(type_: str) -> bool:
    """Whether an event or item type is a vendor's extension, such as ``acme:trace_event``.

    Clients must ignore extensions they do not know.
    Source: OpenResponses, "Extending Streaming Events".
    """
    slug, colon, rest = type_.partition(":")
    return bool(slug and colon and rest)


def final_response(steps: Iterable[Step]) -> dict[str, Any] | None:
    """The response object of the first terminal event; None if there is none."""
    for step in steps:
        if isinstance(step, Event) and step.type in TERMINAL:
            response = step.data.get("response")
            return response if isinstance(response, dict) else None
    return None
