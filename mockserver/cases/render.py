"""Renders the turns of a case, as far as they do not depend on the request, and caches them."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mockserver.cases.case import Case, steps_of, streams_of, variations_of
from mockserver.cases.variations import variation
from mockserver.dialects import DIALECTS, Dialect
from mockserver.foundation.faults import ScenarioError
from mockserver.foundation.json_text import dump
from mockserver.scenario.model import Cancel, Turn
from mockserver.scenario.script import Answer, Checkpoint
from mockserver.stream_faults.stops import STALLED
from mockserver.wire.event import Event, PartialEvent, Step
from mockserver.wire.frames import PLAIN, ChangePlan, Plan, Transfer, plan, unchanged
from mockserver.wire.framing import Framing
from mockserver.wire.slots import Piece, pieces
from mockserver.wire.variation import Break

_NOTHING_SENT = Plan((), (), "clean", 0.0)


def differs(case: Case) -> bool:
    """Whether the variations of a case change any byte, pause or header of its answers."""
    if any(each.is_fault for each in variations_of(case)):
        return True
    return _transfer(case) != PLAIN or any(
        _differs_in_steps(case, n, turn) or _differs_in_writes(case, n, turn)
        for n, turn in streams_of(case)
    )


def _differs_in_steps(case: Case, n: int, turn: Turn) -> bool:
    """Whether its variations change the steps of an attempt, or how they are written.

    A text after the closing data counts where that data is sent.
    """
    before, framing = steps_of(case, n, turn), DIALECTS[case.dialect].framing
    steps, changed = _apply_variations(case, n, turn)
    if steps != before or replace(changed, tail=framing.tail) != framing:
        return True
    is_terminal = DIALECTS[case.dialect].ending.is_terminal
    return changed != framing and (
        plan(steps, is_terminal, changed).writes != plan(steps, is_terminal, framing).writes
    )


def _differs_in_writes(case: Case, n: int, turn: Turn) -> bool:
    """Whether its variations change the writes of an attempt, with sample values in its slots."""
    if not (changes := _changes(case, turn)):
        return False
    dialect = DIALECTS[case.dialect]
    steps, framing = _apply_variations(case, n, turn)
    laid_out = plan(steps, dialect.ending.is_terminal, framing, (unchanged,))
    before = laid_out.filled(sample := dialect.sample())
    return replace(laid_out, changes=changes).filled(sample) != before


def _apply_variations(case: Case, n: int, turn: Turn) -> tuple[tuple[Step, ...], Framing]:
    """The steps of a turn and their framing, with the variations of the case applied."""
    steps, framing = steps_of(case, n, turn), DIALECTS[case.dialect].framing
    for each in variations_of(case, turn):
        framing = each.change_framing(framing)
        steps = tuple(each.change_steps(steps))
    return steps, framing


def _changes(case: Case, turn: Turn) -> tuple[ChangePlan, ...]:
    found = (each.change_plan for each in variations_of(case, turn))
    return tuple(change for change in found if change is not unchanged)


@dataclass(frozen=True, slots=True)
class Broken:
    """An answer that breaks under a fault; ``whole`` is the same case without its fault."""

    at: Break
    whole: Case


def find_break(case: Case, n: int, attempt: int) -> Broken | None:
    """How the answer to an attempt (from 1) at a turn (from 0) breaks; None if it does not."""
    turn = case.scenario.turns[n].attempt(attempt)
    fault = next((each for each in variations_of(case, turn) if each.find_break), None)
    if fault is None or fault.find_break is None:
        return None
    kept = tuple(name for name in case.variations if not variation(name).is_fault)
    whole = replace(case, variations=kept)
    steps, _ = _apply_variations(whole, n, turn)
    return Broken(fault.find_break(steps), whole)


def find_cancel(case: Case, n: int) -> Cancel | None:
    """When the host cancels a turn: as its scenario says, else once a fault stalls the upstream.

    None if it does not cancel.
    """
    turn = case.scenario.turns[n]
    fault = find_break(case, n, len(turn.attempts))
    stalls = fault is not None and fault.at.close == "stall"
    if not stalls or (turn.cancel and turn.cancel.at):
        return turn.cancel
    steps, _ = _apply_variations(case, n, turn)
    return Cancel(at=STALLED) if Checkpoint(STALLED) in steps else turn.cancel


def _transfer(case: Case) -> Transfer:
    transfer = PLAIN
    for each in variations_of(case):
        transfer = each.change_transfer(transfer)
    return transfer


@dataclass(frozen=True, slots=True)
class Rendered:
    """A turn that is ready to be played.

    ``plan`` is its stream; ``non_streaming`` is the body for requests that do not ask for a
    stream, and ``status`` its HTTP status. If the turn is a plain HTTP ``answer``, that is sent in
    both cases and the plan is empty.
    """

    plan: Plan
    non_streaming: tuple[Piece, ...] | None
    answer: Answer | None = None
    status: int = 200


def render(case: Case, turn: int, attempt: int = 1, form: str | None = None) -> Rendered:
    """Render a turn (from 0) of a case for an attempt (from 1).

    ``form`` is one of the dialect's forms; None for the default. Raises ScenarioError if the stream
    is too long.
    """
    written = case.scenario.turns[turn].attempt(attempt)
    if isinstance(written.script, Answer):
        return Rendered(_NOTHING_SENT, None, written.script)
    try:
        return _render(case, turn, written, form)
    except ScenarioError as error:
        where = f"turn {turn + 1} in {case.dialect}"
        problems = (
            replace(each, message=f"{where}: {each.message}", place=case.scenario.place)
            for each in error.problems
        )
        raise ScenarioError(*problems) from None


def _render(case: Case, turn: int, written: Turn, form: str | None) -> Rendered:
    dialect = DIALECTS[case.dialect]
    steps, framing = _apply_variations(case, turn, written)
    for each in variations_of(case, written):
        if each.instead:
            return Rendered(_NOTHING_SENT, None, each.instead(steps))
    form = dialect.forms.default if form is None else form
    answer_at_once = dialect.answers.non_streaming
    answer = answer_at_once(steps, form) if answer_at_once else None
    sent, is_terminal = _apply_form(steps, dialect, form), dialect.ending.is_terminal
    stream = plan(sent, is_terminal, framing, _changes(case, written), _transfer(case))
    if answer is None:
        return Rendered(stream, None)
    return Rendered(stream, pieces(dump(answer.body)), status=answer.status)


def _apply_form(steps: Sequence[Step], dialect: Dialect, form: str) -> Sequence[Step]:
    """The steps in one of the dialect's forms; an event of which a part is sent, too."""
    partial = [step for step in steps if isinstance(step, PartialEvent)]
    whole = dialect.forms.apply(
        [step for step in steps if not isinstance(step, PartialEvent)], form
    )
    parts = ((each.bytes, dialect.forms.apply([each.event], form)) for each in partial)
    last = [PartialEvent(step, b) for b, left in parts for step in left if isinstance(step, Event)]
    if not last:
        return whole
    at = next((n for n, step in enumerate(whole) if step == Checkpoint(STALLED)), len(whole))
    return [*whole[:at], *last, *whole[at:]]


_Key = tuple[int, str, tuple[str, ...], int, int, str | None]


class Renderings:
    """A bounded cache of rendered turns; after an edit, a scenario is rendered again."""

    def __init__(self, most: int = 512, most_bytes: int = 64 << 20) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        # The case is kept alive, so that no other scenario can get its id() while it is a key.
        self._kept: OrderedDict[_Key, tuple[Case, Rendered]] = OrderedDict()
        # Used by the server's thread and by the threads that drive adapters.
        self._lock = threading.Lock()

    def get(self, case: Case, turn: int, attempt: int = 1, form: str | None = None) -> Rendered:
        """The rendering of a turn, made at its first use."""
        attempt = min(attempt, len(case.scenario.turns[turn].attempts))
        form = DIALECTS[case.dialect].forms.default if form is None else form
        key = (id(case.scenario), case.dialect, case.variations, turn, attempt, form)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
            rendered = render(case, turn, attempt, form)
            self._kept[key] = (case, rendered)
            self._bytes += rendered.plan.size
            while len(self._kept) > self._most or self._bytes > self._most_bytes:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._bytes -= oldest.plan.size
            return rendered
