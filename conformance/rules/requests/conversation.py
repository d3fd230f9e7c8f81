"""Rules about the conversation in a request: roles, history and encrypted reasoning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings.finding import Rule, topics
from conformance.rules.requests.evidence import (
    encrypted_reasoning_in,
    no_conversation,
    request_defect,
    sealed_reasoning_in,
    texts,
)
from mockserver.dialects.conversation import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.findings.finding import Defect
    from conformance.rules.requests.evidence import SentBack

_OTHER_ROLES = {"user": "a user's", "assistant": "the model's"}
_AS_SYSTEM = "a message of the role system or developer, or instructions, with that text"


def _turn_roles(sent: SentBack) -> Iterator[Defect]:
    """System text reaches the upstream as system text."""
    rightly = [*texts(sent.received, "system"), *texts(sent.received, "developer")]
    for text in texts(sent.handed_over, "system"):
        if not any(text in each for each in rightly):
            yield request_defect(
                f"the system's text {_went(sent, text)}: {text[:80]!r}",
                _AS_SYSTEM,
                topics("system"),
            )


def _went(sent: SentBack, text: str) -> str:
    """The role in which a system text was sent upstream, in words for a message."""
    for role, whose in _OTHER_ROLES.items():
        if any(text in each for each in texts(sent.received, role)):
            return f"went upstream as {whose}"
    return "did not reach the upstream"


TURN_ROLES = Rule(
    id="turn-roles",
    holds="system text reaches the upstream as system or developer",
    source="OpenAI § Chat completion messages; OpenResponses § instructions; "
    "stream-mapping § System Role Handling",
    check=_turn_roles,
    not_applicable=no_conversation,
)


_WHOSE = {"user": "user's", "assistant": "model's"}


def _turn_history(sent: SentBack) -> Iterator[Defect]:
    """The request has the text of all earlier messages, in order."""
    for role, whose in _WHOSE.items():
        came = [_without_blank(sent, said) for said in texts(sent.received, role)]
        left, due = came, texts(sent.handed_over, role)
        for said in due:
            if _without_blank(sent, said) in left:
                left = left[left.index(_without_blank(sent, said)) + 1 :]
                continue
            lost = came.count(_without_blank(sent, said)) < due.count(said)
            how = "are missing from the request" if lost else "stand out of order in the request"
            yield request_defect(
                f"the {whose} words {how}: {said[:80]!r}",
                right="the original messages, each as it was",
                about=topics(f"said:{said}"),
            )
    called = {sent.upstream_id(entry.id) for entry in sent.received if isinstance(entry, ToolCall)}
    for entry in sent.handed_over:
        if isinstance(entry, ToolCall) and entry.id not in called:
            yield request_defect(
                f"the call {entry.id!r} ({entry.name}) is missing from the request",
                right="each call that was made, before its result",
                about=topics(f"call:{entry.id}"),
            )


def _without_blank(sent: SentBack, said: str) -> str:
    """A text without the blank that the adapter adds before calls, which need not be sent back."""
    return said.removesuffix(" ") if sent.traits.blank_before_call else said


TURN_HISTORY = Rule(
    id="turn-history",
    holds="the original messages are kept",
    source="lm-stream-semantics § 7; copilot-annex § Example Trace",
    check=_turn_history,
    not_applicable=no_conversation,
)


def _turn_opaque(sent: SentBack) -> Iterator[Defect]:
    """Encrypted reasoning and compacted conversations go back unchanged."""
    came = encrypted_reasoning_in(sent.received)
    for due in sent.encrypted:
        if due in came:
            continue
        # An earlier value of the same item, such as that of its announcement, is not altered.
        changed = [each for each in came if each not in {*sent.encrypted, *sent.upstream_texts}]
        what = "compacted conversation" if due in sent.compacted else "encrypted reasoning"
        yield request_defect(
            f"the {what} {due[:40]!r} went upstream as {changed[0][:40]!r}"
            if changed
            else f"the {what} {due[:40]!r} did not go back upstream",
            right="the same text, byte for byte",
            about=topics(f"opaque:{due}"),
            # An upstream accepts a request without it, and reasons again.
            level="must" if changed else "should",
        )
    yield from _changed_reasoning(sent)


def _changed_reasoning(sent: SentBack) -> Iterator[Defect]:
    """Reasoning whose text does not go back with its encrypted form."""
    came = sealed_reasoning_in(sent.received)
    for due in sent.sealed_reasoning if came else ():
        if not any(_same_words(due, each) for each in came):
            went = f"as {came[-1][:80]!r}" if any(came) else "without its text"
            yield request_defect(
                f"the reasoning {due[:80]!r} went upstream {went}, beside its encrypted form",
                right="the reasoning as it came, once",
                about=topics(f"reasoning:{due}"),
                level="should",
            )


def _same_words(one: str, other: str) -> bool:
    """Whether two texts are the same; white space where blocks meet is free."""
    return "".join(one.split()) == "".join(other.split())


TURN_OPAQUE = Rule(
    id="turn-opaque",
    holds="encrypted reasoning, and a conversation that was compacted, go back unchanged, and the "
    "text of the reasoning with it (should)",
    source="OpenResponses § Reasoning items; lm-stream-semantics § 9.5",
    check=_turn_opaque,
    not_applicable=no_conversation,
)
