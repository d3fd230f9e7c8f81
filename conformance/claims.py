"""A claim that no scenario can check: a dialect that there is not is refused.

An adapter that plays whatever it is asked for claims nothing by naming its dialects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings import Defect, Rule, found, topics
from conformance.play import run_message
from conformance.recorder import Recorder
from conformance.results import Result

if TYPE_CHECKING:
    from conformance.play import Session
    from mockserver.render import Case

CASE = "claims/made-up-dialect"
DIALECT = "made-up"

RULE = Rule(
    id="claims-kept",
    holds="a run in a dialect that there is not is answered with unsupported",
    source="drive/1",
    check=lambda _evidence: (),
)


def check(session: Session, case: Case) -> Result:
    """Ask for a run in a dialect that there is not."""
    run = session.upstream.open(case)
    try:
        asked = run_message(case, run, session.upstream.url, session.deadline_ms)
        outcome = session.driver.run({**asked, "dialect": DIALECT}, Recorder(), alone=True)
    finally:
        session.upstream.close(run)
    name = session.description.name
    if outcome.verdict == "unsupported":
        return Result(CASE, name, "passed", why="it was answered with unsupported")
    defect = Defect(
        f"a run in the dialect {DIALECT!r}, which there is not, was answered: {outcome.verdict}",
        "unsupported, for every dialect that adapter.yaml does not claim",
        topics("end"),
    )
    return Result(CASE, name, "failed", (found(RULE, defect),), why="\n".join(outcome.notes))
