"""Rules on choices: their roles and finishes, the fragments of their calls, and the arguments."""

from collections.abc import Iterator

from conformance.dialects import wire
from conformance.dialects.chat.stream import Chat, Choice, Fragment
from conformance.dialects.wire import event_topics
from conformance.findings.finding import Defect, Kind, Level, rule, topics
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import text


class NoChoice(Kind):
    """The stream ends without a choice."""

    message = "the stream ends, and no choice of it ever began"
    right = "at least one choice, and its finish"


class NotFinished(Kind):
    """The stream ends before one of its choices."""

    choice: int

    message = "the stream ends, but choice {choice} does not"
    right = "a finish_reason in the last chunk of a choice"


class AfterFinish(Kind):
    """A choice goes on, or finishes again, after its finish."""

    choice: int
    is_finish: bool
    more: int

    message = (
        "choice {choice} [[{is_finish:if}finishes again|goes on]] behind its finish"
        "[[ (and {more} more)]]"
    )
    right = "nothing of a choice behind its finish"
    same_by = ("is_finish",)


@rule(
    holds="each choice has one finish_reason, in its last chunk; an error may stand in its place",
    source="OpenAI § Chat completion chunk object; observed",
    kinds=(NoChoice, NotFinished, AfterFinish),
)
def finish_once(chat: Chat) -> Iterator[Defect]:
    last = wire.last_number(chat.sent)
    broken = topics("lost", f"data:{last}")
    if not chat.choices and not chat.failures:
        yield Defect(NoChoice(), topics("end"), last, needs=broken)
    for choice in chat.choices.values():
        if choice.finish is None and not chat.failures:
            about = topics("end", f"finish:{choice.index}")
            needs = broken | event_topics(choice.steps)
            yield Defect(NotFinished(choice.index), about, last, needs=needs)
        yield from _after_finish(choice)


def _after_finish(choice: Choice) -> Iterator[Defect]:
    finish = choice.finish
    late = [step for step in choice.steps if finish and step.n > finish.n]
    if finish and late:
        kind = AfterFinish(choice.index, bool(late[0].reason), len(late) - 1)
        yield from wire.late(late, kind, event_topics(late))


class NoRole(Kind):
    """The first delta of a choice has no role."""

    choice: int

    message = "choice {choice} begins without its role"
    right = "role: assistant in the first delta of a choice"


@rule(
    holds="the first delta of a choice has the role",
    source="OpenAI § Streaming; observed",
    level="should",
    kinds=(NoRole,),
)
def role_first(chat: Chat) -> Iterator[Defect]:
    for choice in chat.choices.values():
        first = choice.steps[0]
        if first.delta.get("role") != "assistant":
            about, needs = topics(f"role:{choice.index}"), event_topics([first])
            yield Defect(NoRole(choice.index), about, first.n, needs=needs)


class IndexUsedAgain(Kind):
    """Fragments with one index have different ids."""

    choice: int
    id: str
    index: int
    first_id: str

    message = (
        "a fragment in choice {choice} has the id {id!r}, and the call at its index {index} is "
        "{first_id!r}"
    )
    right = "an index of its own for each call"


class BegunWithout(Kind):
    """The first fragment of a call lacks its id, its type or its name."""

    choice: int
    fields: tuple[str, ...]

    message = "a fragment in choice {choice} begins a call without its {fields:and}"
    right = "id, type and name in the first fragment of a call"
    same_by = ("fields",)


class IdUsedAgain(Kind):
    """Two calls have the same id."""

    choice: int
    id: str

    message = "a fragment in choice {choice} begins another call with the id {id!r}"
    right = "an id of its own for each call"


class NotCounted(Kind):
    """The index of a call is not its place among the calls of its choice."""

    choice: int
    number: int
    index: int

    message = (
        "a fragment in choice {choice} begins the call {number} of its choice with the index "
        "{index}"
    )
    right = "calls counted from 0"


@rule(
    # A fragment must have its index only, and a finished call the rest.
    holds="a call has id, type and name, in its first fragment (should); each call has an index "
    "and an id of its own; indexes count from 0 (should)",
    source="OpenAI § Chat completion chunk object; openai; observed",
    kinds=(IndexUsedAgain, BegunWithout, IdUsedAgain, NotCounted),
)
def call_fragments(chat: Chat) -> Iterator[Defect]:
    for choice in chat.choices.values():
        yield from _fragments_of(choice)


def _fragments_of(choice: Choice) -> Iterator[Defect]:
    ids: dict[int, str] = {}
    for fragment in choice.fragments:
        at = fragment.index
        if at is None:
            continue
        if at not in ids:
            yield from _first(choice, fragment, at, ids)
            ids[at] = fragment.id
        elif fragment.id and fragment.id != ids[at]:
            kind = IndexUsedAgain(choice.index, fragment.id, at, ids[at])
            yield _wrong_fragment(choice, fragment, kind)
            ids[at] = fragment.id


def _first(choice: Choice, fragment: Fragment, at: int, ids: dict[int, str]) -> Iterator[Defect]:
    missing = tuple(name for name, value in _names(fragment).items() if not value)
    if missing:
        of_call = [_names(each) for each in choice.fragments if each.index == at]
        late = all(any(names[name] for names in of_call) for name in missing)
        kind = BegunWithout(choice.index, missing)
        yield _wrong_fragment(choice, fragment, kind, level="should" if late else None)
    elif fragment.id in ids.values():
        yield _wrong_fragment(choice, fragment, IdUsedAgain(choice.index, fragment.id))
    elif at != len(ids):
        yield _wrong_fragment(choice, fragment, NotCounted(choice.index, len(ids), at))


def _names(fragment: Fragment) -> dict[str, object]:
    """The fields that the first fragment of a call must have: id, type and name."""
    return {
        "id": fragment.id,
        "type": fragment.data.get("type"),
        "name": fragment.function.get("name"),
    }


def _wrong_fragment(
    choice: Choice, fragment: Fragment, kind: Kind, *, level: Level | None = None
) -> Defect:
    about, needs = topics(f"call:{choice.index}:{fragment.n}"), event_topics([fragment])
    if isinstance(kind, NotCounted):
        # After one wrong index, all later ones are wrong too.
        about, level = topics(f"count:{choice.index}"), "should"
    return Defect(kind, about, fragment.n, level=level, needs=needs)


_CALLED = "tool_calls"


class NotJson(Kind):
    """The arguments of a finished call are not JSON."""

    call: int
    choice: int
    arguments: str

    message = (
        "the arguments of call {call} in choice {choice} are not JSON: {arguments:quoted-arguments}"
    )
    right = "fragments that joined are JSON, where the answer finishes with calls"


@rule(
    holds="where an answer finishes with tool_calls, the arguments of each parse as JSON",
    source="streamproof",
    level="should",
    kinds=(NotJson,),
)
def arguments_parse(chat: Chat) -> Iterator[Defect]:
    for choice in chat.choices.values():
        if choice.finish is None or choice.finish.reason != _CALLED:
            continue
        for at, (n, arguments) in _arguments(choice).items():
            # Blank arguments mean an empty object.
            if read_arguments(arguments).kind == "not JSON":
                # The fragments of the choice must be right before arguments are joined.
                calls = (f"call:{choice.index}:{each.n}" for each in choice.fragments)
                needs = event_topics(choice.fragments) | topics(*calls)
                about = topics(f"arguments:{choice.index}:{at}")
                yield Defect(NotJson(at, choice.index, arguments), about, n, needs=needs)


def _arguments(choice: Choice) -> dict[int, tuple[int, str]]:
    """The joined arguments of each call, by its index, with the event of its last fragment."""
    found: dict[int, tuple[int, str]] = {}
    for fragment in choice.fragments:
        if fragment.index is not None:
            _, before = found.get(fragment.index, (0, ""))
            joined = before + text(fragment.function.get("arguments"))
            found[fragment.index] = (fragment.n, joined)
    return found
