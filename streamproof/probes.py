"""What an adapter is asked before a suite is worth its time, as a table.

Each probe comes to a status, to what was seen, and, where that is wrong, to the next step. A probe
that needs another one to be fine is not asked where that one is not: one mistake is told once.
What is right about a run is said by the rules of the suite, for cases of its catalogue.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from conformance.drivers.child import found
from conformance.drivers.stdio import StdioDriver
from conformance.suite import claims
from conformance.suite.barrier import play_concurrently
from mockserver.faults import AdapterError
from streamproof.checkup import Checkup, Seen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.contract.adapter import Description
    from conformance.contract.transcript import Transcript, Verdict

TEXT = "any/two-equal-messages"
CALL = "any/text-and-call-interleave"
FAILURE = "any/fails-at-once"
BURST = "any/cancel-in-a-burst"
STALL = "any/cancel-in-a-stall"
BESIDE = ("any/text-between-calls", "any/call-inside-text")

_MOST_NOTES = 12
# How long a run waits for the one beside it.
_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Probe:
    """``needs`` names the probe before it; ``unfit`` says why an adapter is not asked."""

    name: str
    ask: Callable[[Checkup], Seen]
    needs: str = ""
    unfit: Callable[[Description], str] = lambda _described: ""


# What a folder of bindings is installed from, and where that goes.
_INSTALLED = {"requirements.txt": ".venv", "package-lock.json": "node_modules"}


def _uninstalled(described: Description) -> str:
    """The command that installs what a binding binds; empty where it is there, or is no binding."""
    folder = described.path.resolve().parent
    installer = folder.parent / "install.py"
    missing = any(
        (folder / wanted).exists() and not (folder / place).exists()
        for wanted, place in _INSTALLED.items()
    )
    if not missing or not installer.exists():
        return ""
    return shlex.join(["python", os.path.relpath(installer), folder.name])


def _starts(checkup: Checkup) -> Seen:
    if command := _uninstalled(checkup.described):
        return Seen("failed", "the packages that it binds are not installed", command)
    ((way, target),) = checkup.described.drive.items()
    if way != "python":
        found(target, checkup.described.path.parent)
    return Seen("ok", f"{way}: {target if way == 'python' else shlex.join(target)}")


def _greets(checkup: Checkup) -> Seen:
    hello = checkup.session.driver.hello()
    if "stdio" not in checkup.described.drive and "python" not in checkup.described.drive:
        return Seen("ok", "a process for each run is not asked who it is")
    products = (hello["adapter"], hello["implementation"])
    names = [f"{product['name']} {product['version']}" for product in products]
    return Seen("ok", f"{' drives '.join(dict.fromkeys(names))}, protocol {hello['protocol']}")


def _reaches(checkup: Checkup) -> Seen:
    result = checkup.played(TEXT)
    transcript = result.transcript
    if transcript is None:
        return Seen("failed", result.why)
    if not transcript.requests:
        return _nowhere(checkup, transcript)
    if not transcript.played:
        request = transcript.requests[0]
        told = f"{request.method} {request.path} was answered with {request.status}: {request.why}"
        return Seen("failed", told, f"{_ROUTE}:\n{checkup.again(TEXT)}")
    request = transcript.played[0]
    if request.problems:
        return Seen("ok", f"{_asked(request.path)}, but: {'; '.join(request.problems)}")
    return Seen("ok", _asked(request.path))


_ROUTE = "a request goes to run.base_url with the dialect's route behind it, such as /responses"


def _asked(path: str) -> str:
    """A path, without the token of its run."""
    return f"it asked for …/{path.rpartition('/')[2]}"


def _nowhere(checkup: Checkup, transcript: Transcript) -> Seen:
    if transcript.verdict not in ("completed", "failed"):
        return _fails(checkup, TEXT, transcript.verdict, "no request came", transcript.notes)
    strayed = [e for e in checkup.session.upstream.state.journal if not e.path.startswith("/r/")]
    if strayed:
        stray = f"{strayed[0].method} {strayed[0].path}"
        told = f"no request came to its base URL, but this one to the same address: {stray}"
        return Seen("failed", told, "keep the path of run.base_url: it ends in /r/…/v1")
    said = f"; it ended as {transcript.verdict}"
    if transcript.end and transcript.end.error:
        said += f": {transcript.end.error.message}"
    return Seen("failed", f"no request came to its base URL{said}", _ROUTE)


def _plays(id_: str, checkup: Checkup) -> Seen:
    result = checkup.played(id_)
    transcript = result.transcript
    if transcript is None:
        return Seen("failed", result.why)
    musts = [finding for finding in result.findings if finding.level == "must"]
    others = [finding for finding in result.findings if finding.level != "must"]
    if not musts:
        beside = [f"{finding.rule} ({finding.level}): {finding.message}" for finding in others]
        return Seen("ok", "\n".join([transcript.verdict, *beside]))
    told = "\n".join(f"{finding.rule}: {finding.message}" for finding in musts)
    return _fails(checkup, id_, transcript.verdict, told, transcript.notes)


_STEPS: Mapping[Verdict, str] = {
    "crashed": "find out what raised; a failed request is no crash, but a run that ends as failed",
    "broke-protocol": "what it writes has to be as schemas/driver.json says; logs go to stderr",
    "hung": "end every run with done, unsupported or error, and a cancelled one at once",
    "timed-out": "end every run with done, unsupported or error once its stream is over",
    "unsupported": "play the dialects that adapter.yaml claims, or claim others",
    "not-run": "see whether it can be started again and again",
}


def _fails(
    checkup: Checkup, id_: str, verdict: Verdict, told: str, notes: tuple[str, ...] = ()
) -> Seen:
    """A run that is wrong, with the end of what else was noticed, and the way to see more."""
    noted = "\n".join(notes).splitlines()[-_MOST_NOTES:]
    step = _STEPS.get(verdict, "see it beside what the upstream sent")
    return Seen("failed", "\n".join([told, *noted]), f"{step}:\n{checkup.again(id_)}")


def _refuses(checkup: Checkup) -> Seen:
    result = claims.check(checkup.session, claims.DIALECT, checkup.described.dialects[0])
    if result.status == "passed":
        return Seen("ok", result.why)
    told = "\n".join([*(finding.message for finding in result.findings), result.why]).strip()
    refusal = "exit with 127" if "exec" in checkup.described.drive else "answer unsupported"
    return Seen("failed", told, f"{refusal} where the run's dialect is none that it knows")


def _side_by_side(checkup: Checkup) -> Seen:
    for id_ in BESIDE:
        if checkup.played(id_).status != "passed":
            alone = _plays(id_, checkup)
            return Seen("failed", f"alone as well: {alone.told}", alone.next)
    cases = [checkup.case(id_) for id_ in BESIDE]
    came, played = play_concurrently(checkup.session, cases, _SECONDS)
    for id_, beside in zip(BESIDE, played, strict=True):
        if beside.outcome.verdict != "completed":
            told = f"beside another run, {id_} ended as {beside.outcome.verdict}"
            noted = "\n".join(beside.outcome.notes).splitlines()[-_MOST_NOTES:]
            return Seen("failed", "\n".join([told, *noted]), _APART)
        if checkup.read(beside.parts) != checkup.read(checkup.parts(id_)):
            return Seen("failed", f"beside another run, {id_} said something else", _APART)
    if came < len(cases):
        told = "the second run began when the first had ended"
        return Seen("failed", told, "play runs side by side, or claim concurrency: 1")
    return Seen("ok", "both were in the middle at one time")


_APART = "keep what belongs to a run with the run, by its id; what runs share mixes them up"


def _leaves(checkup: Checkup) -> Seen:
    driver = checkup.session.driver
    assert isinstance(driver, StdioDriver)
    # One that was ended for what it did in a run before has no goodbye left to say.
    driver.hello()
    driver.close()
    if driver.left:
        return Seen("failed", f"two seconds after bye {driver.left}", _GOODBYE)
    return Seen("ok", "nothing is left of it")


_GOODBYE = "on bye, and when stdin ends, exit; end what it has started before that"


def _unclaimed_cancel(described: Description) -> str:
    return "" if described.claims.cancel else "adapter.yaml does not claim cancel: true"


def _untold_dialect(described: Description) -> str:
    return "a server is not told of a dialect" if "serve" in described.drive else ""


def _no_goodbye(described: Description) -> str:
    (way,) = described.drive
    return "" if way == "stdio" else f"nobody says bye to what is driven by {way}"


STARTS, HELLO = "it starts", "it says hello"
REACHES, CALLS = "a run reaches the mock", "a tool call"

PROBES = (
    Probe(STARTS, _starts),
    Probe(HELLO, _greets, STARTS),
    Probe(REACHES, _reaches, HELLO),
    Probe("a plain text answer", partial(_plays, TEXT), REACHES),
    Probe(CALLS, partial(_plays, CALL), REACHES),
    Probe("a failed response", partial(_plays, FAILURE), REACHES),
    Probe("a made-up dialect is refused", _refuses, HELLO, _untold_dialect),
    Probe("cancelled after two parts", partial(_plays, BURST), REACHES, _unclaimed_cancel),
    Probe("cancelled by a message", partial(_plays, STALL), REACHES, _unclaimed_cancel),
    Probe("two runs at once", _side_by_side, CALLS, claims.concurrency_skip_reason),
    Probe("it leaves when told bye", _leaves, HELLO, _no_goodbye),
)

DRIVABLE = (STARTS, HELLO)
"""The probes without which an adapter cannot be driven at all."""


def asked(probe: Probe, checkup: Checkup, before: Mapping[str, Seen]) -> Seen:
    """What a probe comes to, after those that came before it."""
    if why := probe.unfit(checkup.described):
        return Seen("not asked", why)
    if probe.needs and before[probe.needs].status != "ok":
        return Seen("not asked", f"it needs this first: {probe.needs}")
    try:
        return probe.ask(checkup)
    except AdapterError as error:
        return refused(error)


def refused(error: AdapterError) -> Seen:
    """What an error says, and the hints of it as the next step."""
    places = [str(p.place) + ": " if p.place else "" for p in error.problems]
    told = [place + p.message for place, p in zip(places, error.problems, strict=True)]
    hints = dict.fromkeys(p.hint for p in error.problems if p.hint)
    return Seen("failed", "\n".join(told), "; ".join(hints) or _MANUAL)


_MANUAL = "docs/adapters.md tells what an adapter answers"
