"""Rules on blocks of text, reasoning and tool input, and on the calls that inputs belong to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import defect_at, is_finished, is_framing_excused, unframed
from conformance.vocabularies.fullstream import StreamPart
from conformance.vocabularies.stream import input_of
from mockserver.foundation.call_arguments import is_blank, read_arguments, same_json

_STEPS = {
    "text-start": ("text", "starts"),
    "text-delta": ("text", "grows"),
    "text-end": ("text", "ends"),
    "reasoning-start": ("reasoning", "starts"),
    "reasoning-delta": ("reasoning", "grows"),
    "reasoning-end": ("reasoning", "ends"),
    "tool-input-start": ("tool-input", "starts"),
    "tool-input-delta": ("tool-input", "grows"),
    "tool-input-end": ("tool-input", "ends"),
    "tool-call": ("tool-input", "called"),
}

# Providers use the id of a text or a reasoning again after its end.
_BLOCK: Mapping[str, frozenset[str]] = {
    "": frozenset({"starts"}),
    "open": frozenset({"grows", "ends"}),
    "ended": frozenset({"starts"}),
}
# A call may come without its input. A second part of a call for the host breaks call-once.
_INPUT: Mapping[str, frozenset[str]] = {
    "": frozenset({"starts", "called"}),
    "open": frozenset({"grows", "ends", "called"}),
    "ended": frozenset({"called"}),
    "called": frozenset({"called"}),
}
_ALLOWED = {"text": _BLOCK, "reasoning": _BLOCK, "tool-input": _INPUT}
_STATE_AFTER = {"starts": "open", "ends": "ended", "called": "called"}

# The core of the AI SDK keeps the content after these: a second start begins another part of the
# message, and nothing reads the end of an input.
_HARMLESS = frozenset(
    {
        ("text", "open", "starts"),
        ("reasoning", "open", "starts"),
        ("tool-input", "open", "starts"),
        ("tool-input", "ended", "starts"),
        ("tool-input", "", "ends"),
        ("tool-input", "ended", "ends"),
        ("tool-input", "called", "ends"),
    }
)
_TOPIC = {"text": "text", "reasoning": "thinking"}


class _OutOfPlace(Kind, weighs="falsehood"):
    """A part of a block comes when the block is not in a state for it."""

    type: str
    block: str
    id: str

    right = "a start, deltas and an end with one id, in this order"


class BeforeItsStart(_OutOfPlace):
    """A part of a block comes before the block has started."""

    message = "{type} comes when the block of {block} {id!r} has not started"
    headline = "{type} before its block {id!r} starts"
    same_by = ("type",)


class InAnotherState(_OutOfPlace):
    """A part of a block comes when the block has started already, has ended, or is over."""

    state: str

    message = "{type} comes when the block of {block} {id!r} {state:phrase}"
    phrases = {
        "state": {
            "open": "has started already",
            "ended": "has ended",
            "called": "is over: its call was made",
        }
    }
    same_by = ("type", "state")


class NeverEnds(Kind, weighs="falsehood"):
    """A block starts, and never ends."""

    block: str
    id: str

    message = "the block of {block} {id!r} never ends"
    right = "a part that ends the block {id!r}"
    same_by = ("block",)


@rule(
    holds="a text, a reasoning and a tool's input start before they grow, under one id, and "
    "nothing comes for a block that is not open; a block starts once and ends; an id may "
    "be used again after its block has ended; a call that the provider executes comes once, and "
    "again once it is approved",
    source="semantics § stream-blocks; @ai-sdk/provider § LanguageModelV4StreamPart; "
    "ai § streamText, § readUIMessageStream",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(BeforeItsStart, InAnotherState, NeverEnds),
)
def block_framing(evidence: Evidence) -> Iterator[Defect]:
    """A block starts before it grows, and ends once; the worst breach of each block is reported."""
    asked = {p.id for p in evidence.stream_parts if p.type == "tool-approval-request"}
    for (_, kind, id_), several in _blocks(evidence.stream_parts).items():
        breaches = list(_breaches(kind, several, was_asked=id_ in asked))
        about, content = f"framing:{kind}:{id_}", _TOPIC.get(kind, f"call:{id_}")
        if breaches:
            state, part = next((b for b in breaches if not _is_harmless(kind, *b)), breaches[0])
            where = part.written, kind, id_
            wrong = InAnotherState(*where, state) if state else BeforeItsStart(*where)
            yield defect_at(part, wrong, about, content)
        elif is_finished(evidence) and _is_left_open(several):
            needs, last = topics(content, "end"), several[-1].n
            yield Defect(NeverEnds(kind, id_), topics(about), part=last, needs=needs)


def _blocks(parts: Sequence[StreamPart]) -> dict[tuple[int, str, str], list[StreamPart]]:
    """The parts of each block, by its step, kind and id. A call belongs to the block of its input.

    The next step of a full stream may use the ids again.
    """
    blocks: dict[tuple[int, str, str], list[StreamPart]] = {}
    for part in parts:
        if part.type in _STEPS and part.id is not None:
            blocks.setdefault((part.step, _STEPS[part.type][0], part.id), []).append(part)
    return blocks


def _breaches(
    kind: str, several: Sequence[StreamPart], *, was_asked: bool
) -> Iterator[tuple[str, StreamPart]]:
    """Each part that may not come in the state of its block, with that state.

    A call for which approval was asked may come again, with its result.
    """
    state = ""
    for part in several:
        step = _STEPS[part.type][1]
        is_made_again = step == state == "called" and part.provider_executed and not was_asked
        if step not in _ALLOWED[kind][state] or is_made_again:
            yield state, part
        state = _STATE_AFTER.get(step, state)


def _is_harmless(kind: str, state: str, part: StreamPart) -> bool:
    return (kind, state, _STEPS[part.type][1]) in _HARMLESS


def _is_left_open(several: Sequence[StreamPart]) -> bool:
    """Whether a block started and never ended.

    A call that is only announced has no deltas to end, and an input without a call has another
    cause.
    """
    steps = [_STEPS[part.type][1] for part in several]
    if several[0].type.startswith("tool-"):
        return "grows" in steps and "called" in steps and "ends" not in steps
    return steps[-1] != "ends"


class _Disagrees(Kind, weighs="falsehood"):
    """The streamed input of a call and the call disagree."""

    call: str

    right = "the same id, name, input and flags in the streamed input and in the call"


class OtherTool(_Disagrees):
    """An input is streamed for another tool than the call has."""

    streamed: str
    called: str

    message = (
        "the call {call!r}: its input was streamed for {streamed!r}, and the call is of {called!r}"
    )


class ProviderOfStreamOnly(_Disagrees):
    """The start of an input says that the provider executes the call, and the call does not."""

    start: str

    message = "the call {call!r}: {start} says that the provider executes it, and the call does not"


class ProviderOfCallOnly(_Disagrees):
    """A call says that the provider executes it, and the start of its input does not."""

    start: str

    message = (
        "the call {call!r}: {start} does not say that the provider executes it, and the call does"
    )


class OtherField(_Disagrees):
    """The start of an input and the call differ in ``dynamic`` or ``providerName``."""

    start: str
    field: str
    started: Any
    called: Any

    message = "the call {call!r}: {field} is {started!r} in {start}, and {called!r} in the call"
    same_by = ("field",)


class OtherDeltas(_Disagrees):
    """The deltas of an input, joined, are not the input of the call."""

    joined: str
    input: Any

    message = (
        "the call {call!r}: its deltas joined are {joined:arguments}, and its input is "
        "{input:arguments}"
    )


@rule(
    holds="a streamed input and its call have the same name, providerExecuted, dynamic and "
    "providerName; where the stream is legal, the deltas joined are its input as JSON",
    source="semantics § tool-input-parts; @ai-sdk/provider § LanguageModelV4ToolCall; "
    "ai § readUIMessageStream",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(OtherTool, ProviderOfStreamOnly, ProviderOfCallOnly, OtherField, OtherDeltas),
)
def input_agrees(evidence: Evidence) -> Iterator[Defect]:
    """The streamed input of a call and the call agree. A call that is marked invalid is skipped."""
    for (_, kind, id_), several in _blocks(evidence.stream_parts).items():
        start = next((part for part in several if part.type == "tool-input-start"), None)
        call = next((part for part in several if part.type == "tool-call"), None)
        if kind != "tool-input" or not start or not call or call.fields.get("invalid"):
            continue
        wrong = [*_differences(id_, start, call)]
        # The deltas of an upstream that breaks its specification may not be its input themselves.
        if evidence.content.conduct == "legal":
            wrong += _other_input(id_, several, start, call)
        for disagrees in wrong[:1]:
            yield Defect(
                disagrees,
                about=topics(f"input:{id_}"),
                event=evidence.event_of_call(id_),
                part=call.n,
                needs=topics(f"call:{id_}", f"framing:tool-input:{id_}"),
            )


def _differences(id_: str, start: StreamPart, call: StreamPart) -> Iterator[Kind]:
    """What differs between start and call.

    A UI message keeps the flag of the start if the call has none, so that the host waits for a
    provider that does not run the tool. It makes two parts of a call that is dynamic in one only.
    """
    if start.name != call.name:
        yield OtherTool(id_, start.name, call.name)
    if start.provider_executed and not call.provider_executed:
        yield ProviderOfStreamOnly(id_, start.written)
    elif call.provider_executed and not start.provider_executed:
        yield ProviderOfCallOnly(id_, start.written)
    flags = [part.fields.get("dynamic") is True for part in (start, call)]
    if flags[0] != flags[1]:
        yield OtherField(id_, start.written, "dynamic", *flags)
    names = [part.fields.get("providerName") for part in (start, call)]
    if names[0] != names[1]:
        yield OtherField(id_, start.written, "providerName", *names)


def _other_input(
    id_: str, several: Sequence[StreamPart], start: StreamPart, call: StreamPart
) -> Iterator[Kind]:
    """Whether the deltas joined are not the input of the call. Only the call is ever executed."""
    before = several[: several.index(call)]
    joined = "".join(p.delta for p in before if p.type == "tool-input-delta")
    input_ = input_of(call.fields).value
    is_text = start.fields.get("inputEncoding") == "text"
    if not is_blank(joined) and not (joined == input_ if is_text else _same(joined, input_)):
        yield OtherDeltas(id_, joined, input_)


def _same(joined: str, input_: object) -> bool:
    """Whether deltas are an input as JSON. An adapter may decode an input that is encoded twice."""
    streamed = read_arguments(joined)
    if streamed.kind == "beyond comparison" or same_json(streamed.value, input_):
        return True
    return streamed.twice_encoded and same_json(read_arguments(streamed.value).value, input_)
