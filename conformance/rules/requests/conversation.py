"""Rules about the conversation in a request: roles, history and encrypted reasoning."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.requests.evidence import SentBack, no_conversation, request_defect, texts
from mockserver.dialects.conversation import Entry, Reasoning, calls_in, is_from_model, results_in


class SystemTextNotSystem(Kind, weighs="loss"):
    """System text does not reach the upstream, or as text of another role."""

    text: str
    role: Literal["", "user", "assistant"]

    message = "the system's text {role:phrase}: {text:quoted-80}"
    right = "a message of the role system or developer, or instructions, with that text"
    same_by = ("role",)
    phrases = {
        "role": {
            "": "did not reach the upstream",
            "user": "went upstream as a user's",
            "assistant": "went upstream as the model's",
        }
    }


_ROLES: tuple[Literal["user", "assistant"], ...] = ("user", "assistant")


@rule(
    holds="system text reaches the upstream as system or developer",
    source="OpenAI § Chat completion messages; OpenResponses § instructions; "
    "stream-mapping § System Role Handling",
    not_applicable=no_conversation,
    kinds=(SystemTextNotSystem,),
)
def turn_roles(sent: SentBack) -> Iterator[Defect]:
    rightly = [*texts(sent.received, "system"), *texts(sent.received, "developer")]
    for text in texts(sent.handed_over, "system"):
        if not any(text in each for each in rightly):
            yield request_defect(SystemTextNotSystem(text, _role(sent, text)), topics("system"))


def _role(sent: SentBack, text: str) -> Literal["", "user", "assistant"]:
    """The role in which a system text was sent upstream; empty if it was not sent."""
    for role in _ROLES:
        if any(text in each for each in texts(sent.received, role)):
            return role
    return ""


class WordsLost(Kind, weighs="loss"):
    """The text of an earlier message is missing from the request, or out of order."""

    role: Literal["user", "assistant"]
    text: str
    is_missing: bool

    message = (
        "the {role:phrase} words "
        "[[{is_missing:if}are missing from the request|stand out of order in the request]]: "
        "{text:quoted-80}"
    )
    right = "the original messages, each as it was"
    same_by = ("role", "is_missing")
    phrases = {"role": {"user": "user's", "assistant": "model's"}}


class CallLost(Kind, weighs="loss"):
    """A call that was made is missing from the request."""

    call: str
    tool: str

    message = "the call {call!r} ({tool}) is missing from the request"
    right = "each call that was made, before its result"


@rule(
    holds="the original messages are kept",
    source="lm-stream-semantics § 7; copilot-annex § Example Trace",
    not_applicable=no_conversation,
    kinds=(WordsLost, CallLost),
)
def turn_history(sent: SentBack) -> Iterator[Defect]:
    """The request has the text of all earlier messages, in order."""
    for role in _ROLES:
        came = [_without_blank(sent, said) for said in texts(sent.received, role)]
        left, due = came, texts(sent.handed_over, role)
        for said in due:
            if _without_blank(sent, said) in left:
                left = left[left.index(_without_blank(sent, said)) + 1 :]
                continue
            lost = came.count(_without_blank(sent, said)) < due.count(said)
            yield request_defect(
                WordsLost(role, said, is_missing=lost), about=topics(f"said:{said}")
            )
    ids = [call.id for call in calls_in(sent.received)]
    ids += [result.id for result in results_in(sent.received) if not result.needs_call]
    called = set(map(sent.upstream_id, ids))
    for call in calls_in(sent.handed_over):
        if call.id not in called:
            yield request_defect(CallLost(call.id, call.name), topics(f"call:{call.id}"))


def _without_blank(sent: SentBack, said: str) -> str:
    """A text without the blank that the adapter adds before calls, which need not be sent back."""
    return said.removesuffix(" ") if sent.traits.blank_before_call else said


class _WrongEncrypted(Kind):
    """Encrypted reasoning or a compacted conversation does not go upstream as it came."""

    what: str
    due: str

    right = "the same text, byte for byte"
    same_by = ("what",)


class EncryptedChanged(_WrongEncrypted, weighs="loss"):
    """Encrypted reasoning or a compacted conversation goes upstream changed."""

    sent: str

    message = "the {what} {due:quoted-40} went upstream as {sent:quoted-40}"


class EncryptedLost(_WrongEncrypted, weighs="loss"):
    """It does not go upstream, although adapter.yaml claims that the adapter keeps it.

    The model answers without what it thought, or the upstream refuses the request.
    """

    message = "the {what} {due:quoted-40} did not go back upstream"


class EncryptedNotKept(EncryptedLost, weighs="manners"):
    """It does not go upstream from an adapter that does not claim to keep it."""


class EncryptedRepeated(Kind, weighs="loss"):
    """Encrypted reasoning goes upstream more often than it came."""

    due: str
    times: int

    message = "the encrypted reasoning {due:quoted-40} went upstream {times} times"
    right = "one item of reasoning for each that came"
    headline = "encrypted reasoning went upstream {times} times"


class ReasoningChanged(Kind, weighs="loss"):
    """Reasoning does not go back as it came beside its encrypted form, which is its signature."""

    due: str
    sent: str

    message = (
        "the reasoning {due:quoted-80} went upstream "
        "[[as {sent:quoted-80}|without its text]], beside its encrypted form"
    )
    right = "the reasoning as it came, once"


@rule(
    holds="encrypted reasoning, and a conversation that was compacted, go back unchanged and once, "
    "and the text of the reasoning with it; what does not claim to keep it may lose it (should)",
    source="OpenResponses § Reasoning items; lm-stream-semantics § 9.5",
    not_applicable=no_conversation,
    kinds=(EncryptedChanged, EncryptedLost, EncryptedNotKept, EncryptedRepeated, ReasoningChanged),
)
def turn_opaque(sent: SentBack) -> Iterator[Defect]:
    came = _encrypted_reasoning_in(sent.received)
    lost = EncryptedLost if sent.played.claims.encrypted else EncryptedNotKept
    for due in sent.encrypted:
        if due in came:
            if (times := came.count(due)) > sent.encrypted.count(due):
                yield request_defect(EncryptedRepeated(due, times), topics(f"opaque:{due}"))
            continue
        # An earlier value of the same item, such as that of its announcement, is not altered.
        changed = [each for each in came if each not in {*sent.encrypted, *sent.upstream_texts}]
        is_compacted = due in sent.compacted
        what = "compacted conversation" if is_compacted else "encrypted reasoning"
        kind = EncryptedChanged(what, due, changed[0]) if changed else lost(what, due)
        yield request_defect(kind, about=topics(f"opaque:{due}"))
    yield from _changed_reasoning(sent)


def _changed_reasoning(sent: SentBack) -> Iterator[Defect]:
    """Reasoning whose text does not go back with its encrypted form."""
    came = _sealed_reasoning_in(sent.received)
    for due in sent.sealed_reasoning if came else ():
        if not any(_same_words(due, each) for each in came):
            yield request_defect(ReasoningChanged(due, came[-1]), topics(f"reasoning:{due}"))


def _same_words(one: str, other: str) -> bool:
    """Whether two texts are the same; white space where blocks meet is free."""
    return "".join(one.split()) == "".join(other.split())


def _encrypted_reasoning_in(conversation: Sequence[Entry]) -> list[str]:
    """The encrypted reasoning in a conversation, in order."""
    return [e.encrypted for e in conversation if isinstance(e, Reasoning) and e.encrypted]


def _sealed_reasoning_in(conversation: Sequence[Entry]) -> list[str]:
    """The reasoning of each turn of the model that has encrypted reasoning, its pieces joined."""
    spoken = [list(group) for by_model, group in groupby(conversation, is_from_model) if by_model]
    thought = [[e for e in group if isinstance(e, Reasoning)] for group in spoken]
    return ["".join(e.text for e in group) for group in thought if any(e.encrypted for e in group)]
