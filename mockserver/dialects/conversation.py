"""The conversation of a request in neutral form: messages, tool calls, results and reasoning.

Every dialect converts its requests to this form, so that the choice of a turn and the rules about
conversations do not depend on a dialect.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "developer", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """The text of a message, without its other contents (images, files)."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model, sent back to it; ``arguments`` is the text as it was sent.

    ``type`` is the type of tool, such as ``apply_patch``, and ``fields`` what the model asks of it,
    its status and its pending safety checks; both are empty for a function.
    """

    id: str
    name: str
    arguments: str
    type: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call; ``output`` is its value in the request.

    ``name`` is the name of the tool; it is None if the dialect does not require one and there is
    none, and empty if a required name is missing. ``type`` is the type of tool, such as
    ``apply_patch``, and ``fields`` the result's fields; both are empty for a function.
    ``needs_call`` is false if the upstream takes the result without its call.
    """

    id: str
    output: Any
    name: str | None = None
    type: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    needs_call: bool = True


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """The model's question whether a tool may be called, sent back to it."""

    id: str


@dataclass(frozen=True, slots=True)
class ApprovalResponse:
    """The host's answer to the approval request ``id``; None if it is not said to be yes or no."""

    id: str
    approve: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Reasoning of the model, sent back to it: its visible text, and its encrypted form."""

    text: str = ""
    encrypted: str = ""


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A reference to an item of the model that the upstream has stored, by its id."""

    id: str


Entry = (
    Message | ToolCall | ToolResult | Reasoning | StoredItem | ApprovalRequest | ApprovalResponse
)


def last_user_text(conversation: Sequence[Entry]) -> str:
    """The text of the last user message; empty if there is none."""
    users = (e.text for e in reversed(conversation) if isinstance(e, Message) and e.role == "user")
    return next(users, "")


def ends_with_tool_result(conversation: Sequence[Entry]) -> bool:
    """Whether the last entry is a tool result."""
    return bool(conversation) and isinstance(conversation[-1], ToolResult)


def model_turns(conversation: Sequence[Entry]) -> int:
    """The number of turns of the model; consecutive entries of the model are one turn."""
    model = [is_from_model(entry) for entry in conversation]
    return sum(now and not before for before, now in zip([False, *model], model, strict=False))


def calls_in(conversation: Sequence[Entry]) -> list[ToolCall]:
    return [entry for entry in conversation if isinstance(entry, ToolCall)]


def results_in(conversation: Sequence[Entry]) -> list[ToolResult]:
    return [entry for entry in conversation if isinstance(entry, ToolResult)]


def is_from_model(entry: Entry) -> bool:
    """Whether the entry is from the model."""
    return isinstance(entry, ToolCall | Reasoning | StoredItem | ApprovalRequest) or (
        isinstance(entry, Message) and entry.role == "assistant"
    )


def calls_without_result(conversation: Sequence[Entry]) -> list[str]:
    """The ids of calls that have no result although other entries follow them."""
    answers = {result.id for result in results_in(conversation)}
    last = max((n for n, e in enumerate(conversation) if not isinstance(e, ToolCall)), default=-1)
    return [
        entry.id
        for n, entry in enumerate(conversation)
        if isinstance(entry, ToolCall) and entry.id not in answers and n < last
    ]


def answered_without_request(conversation: Sequence[Entry]) -> Iterator[str]:
    """The ids of approval responses without an earlier approval request."""
    asked: set[str] = set()
    for entry in conversation:
        if isinstance(entry, ApprovalRequest):
            asked.add(entry.id)
        elif isinstance(entry, ApprovalResponse) and entry.id not in asked:
            yield entry.id


def results_without_call(conversation: Sequence[Entry]) -> list[str]:
    """The ids of results without an earlier call, or whose call already had a result."""
    open_: Counter[str] = Counter()
    wrong = []
    for entry in conversation:
        if isinstance(entry, ToolCall):
            open_[entry.id] = 1
        elif isinstance(entry, ToolResult):
            if not open_[entry.id] and entry.needs_call:
                wrong.append(entry.id)
            open_[entry.id] = 0
    return wrong
