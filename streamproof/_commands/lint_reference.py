"""Warnings about an ``expect`` that the kit's own reference adapter does not fulfil.

The adapter reads the bytes of the stream, without a server and without waiting. Plain answers and
turns that the host cancels are left out.
"""

from collections.abc import Iterator
from functools import lru_cache

from conformance.contract.adapter import Description
from conformance.contract.transcript import VERDICTS, Emitted, Request, Transcript, end_of
from conformance.dialects.client.counting import Counting
from conformance.dialects.client.transport import Adapter
from conformance.dialects.recording import sample_events, stream_bytes
from conformance.drivers.kinds import load
from conformance.findings.words import message_of, right_of
from conformance.rules.judge import judge
from conformance.rules.turns import PlayedTurn
from conformance.suite.workbench import reference_adapters, skip_reason
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Says
from mockserver.scenario.source import Path
from mockserver.scenario.turns import scripts


def find_unfulfilled(scenario: Scenario) -> Iterator[tuple[Path, str, str]]:
    """Where the reference adapter of a dialect is wrong by an ``expect``, what is, and what to do.

    The path is that of the script. A neutral script of a legal upstream has been compared with its
    ``expect`` already.
    """
    for path, script in scripts(scenario.turns):
        _, turn, *attempt = path
        assert isinstance(turn, int)
        number = int(attempt[-1]) + 1 if attempt else 1
        of_script = scenario.turns[turn].attempt(number)
        compared = isinstance(script, Says) and scenario.is_specified
        if not of_script.expect or compared or scenario.turns[turn].cancel:
            continue
        for dialect in scenario.dialects:
            if told := _what_is_wrong(Case(scenario, dialect), turn, number):
                message, right = told
                yield (
                    path,
                    f"turn {turn + 1} in {dialect}: by this 'expect' the reference adapter is "
                    f"wrong: {message}",
                    f"it wants {right}; see 'show --reference', and correct it or the events",
                )


@lru_cache
def _reference(dialect: str) -> tuple[Description, Adapter] | None:
    """The adapter of a dialect that emits the parts of a VS Code provider."""
    for described in reference_adapters():
        if dialect in described.dialects and described.vocabulary == VSCODE.name:
            made = load(described.drive["python"], described.path.parent)
            adapter = made.adapter if isinstance(made, Counting) else made
            assert isinstance(adapter, Adapter)
            return described, adapter
    return None


def _what_is_wrong(case: Case, turn: int, attempt: int) -> tuple[str, str] | None:
    """What the reference adapter does otherwise than expected, and what would be right."""
    found = _reference(case.dialect)
    if found is None or skip_reason(found[0], case):
        return None
    described, adapter = found
    plan = render(case, turn, attempt).plan
    broken = "" if plan.close in ("clean", "stall") else f"the connection was closed: {plan.close}"
    parts, machine = adapter.replay(stream_bytes(plan, case), broken)
    hangs = plan.close == "stall" and not (machine.ended or machine.settled)
    end = None if hangs else end_of(machine.end(), 1.0)
    sent = sample_events(plan, case.dialect)
    request = Request(
        0, 0.0, "POST", "/v1", 200, turn, events=sent, attempt=attempt, close=plan.close
    )
    run = Transcript(
        str(case),
        case.scenario.id,
        case.dialect,
        described.vocabulary,
        described.name,
        VERDICTS[end.outcome] if end else "hung",
        requests=(request,),
        parts=tuple(Emitted(n, 1.0, part) for n, part in enumerate(parts)),
        ends=(end,) if end else (),
        turn=turn,
    )
    played = PlayedTurn(run, described.traits, case)
    findings = judge(played, [*played.right, *played.refused])
    wrong = next((each for each in findings if each.kind.weight != "manners"), None)
    return (f"{wrong.rule}: {message_of(wrong)}", right_of(wrong)) if wrong else None
