"""Makes a scenario of a captured conversation: its events, what is expected, and what is to do.

The scenario is played again before it is handed over: it plays the captured events, and its
upstream breaks the same rules, or a note in the file says what is different.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.findings.words import message_of
from mockserver.cases.load import load
from mockserver.foundation.faults import InputError, KitError, Place, Problem, ScenarioError
from mockserver.scenario.model import Scenario
from mockserver.scenario.source import MAX_BYTES, read
from mockserver.scenario.steps import MAX_STEPS
from streamproof._captures.conversation import Conversation
from streamproof._captures.conversion import TOO_LONG, Conversion
from streamproof._captures.reference import Reference


@dataclass(frozen=True, slots=True)
class Imported:
    """The text of a scenario file that was made of a capture, and the scenario in it."""

    text: str
    scenario: Scenario


def make_scenario(
    conversation: Conversation,
    notes: Sequence[str],
    id_: str,
    reference: Reference,
    written: Callable[[], None] = lambda: None,
) -> Imported:
    """The scenario of a conversation; ``notes`` are comments at the top of its file.

    ``written`` is called for each event. Raises InputError if it does not fit into a scenario file.
    """
    check_size(conversation)
    # What repeats the request may be what breaks a rule, and is played otherwise.
    for echoes in (True, False):
        made = Conversion(conversation, reference, echoes=echoes, written=written)
        imported = _load(made.text(notes), id_, conversation.name)
        if not (departures := list(made.departures(imported.scenario))):
            break
    # The reference adapter may break a scenario that was made of what it has emitted.
    broken = [each for each in reference.findings(imported.scenario) if each.level == "must"]
    said = (f"the reference adapter breaks {each.rule}: {message_of(each)}" for each in broken)
    left = [f"TODO: {each}." for each in (*departures, *said)]
    return _load(made.text(notes, left), id_, conversation.name) if left else imported


def check_size(conversation: Conversation) -> None:
    """Raise InputError if a response has more events or a longer text than a scenario may have."""
    for exchange in conversation.exchanges:
        place, events = Place(exchange.name), exchange.dump.events
        for event in events:
            if (length := _longest(event.data)) > MAX_BYTES:
                message = f"event {event.n} has a text of {length:,} characters; a scenario "
                message += f"file may have {MAX_BYTES:,} bytes"
                raise InputError(Problem(message, place, TOO_LONG))
        if len(events) > MAX_STEPS:
            message = f"a response of {len(events):,} events; a scenario has at most {MAX_STEPS:,}"
            hint = "streamproof judge --stream judges it as it is"
            raise InputError(Problem(message, place, hint))


def _longest(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    inner = value.values() if isinstance(value, dict) else value
    return max(map(_longest, inner), default=0) if isinstance(value, dict | list) else 0


def _load(text: str, id_: str, name: str) -> Imported:
    data = text.encode()
    if len(data) > MAX_BYTES:
        message = f"the scenario has {len(data):,} bytes; a file may have {MAX_BYTES:,}"
        raise InputError(Problem(message, Place(name), TOO_LONG))
    try:
        read(data, f"{id_}.yaml")
    except ScenarioError as error:
        problems = [
            Problem(f"the scenario made of it is too long: {each.message}", Place(name), TOO_LONG)
            for each in error.problems
        ]
        raise InputError(*problems) from error
    try:
        return Imported(text, load(data, f"{id_}.yaml", id_))
    except ScenarioError as error:
        refused = (Problem(f"the scenario made of it is refused: {p}") for p in error.problems)
        raise KitError(*refused) from error
