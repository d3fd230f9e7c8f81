"""The probes of ``streamproof adapter check``, as a table: quick checks before a run of the suite.

The result of a probe is a status, a message and, if it failed, the next step. A probe that depends
on another one is not run if that one failed, so that one mistake is reported once. Runs are judged
by the rules of the suite, for cases of the catalogue.
"""

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from conformance.contract.adapter import Description
from conformance.contract.notes import exception_in, first_seen
from conformance.contract.transcript import Transcript, Verdict
from conformance.dialects.short_text import first_line
from conformance.drivers.child import require_program
from conformance.drivers.driver import ended_value
from conformance.drivers.messages import LOGS
from conformance.drivers.servers import mock_url
from conformance.drivers.stdio import StdioDriver
from conformance.findings.formats.endings import write_ended
from conformance.findings.words import message_of, right_of
from conformance.report.results import Result
from conformance.rules.claims import WrongAlone
from conformance.suite import claims
from conformance.suite.session import Session
from conformance.suite.workbench import run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import AdapterError
from streamproof._commands.cases import find_case

Status = Literal["ok", "failed", "not asked"]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of a probe; ``next`` is the next step if it failed."""

    status: Status
    message: str = ""
    next: str = ""


_failed = partial(ProbeResult, "failed")


@dataclass
class Checkup:
    """An adapter that is being probed; each case is played to it once."""

    session: Session
    catalogue: Catalogue
    _played: dict[str, Result] = field(default_factory=dict)

    @property
    def described(self) -> Description:
        return self.session.description

    def played(self, id_: str) -> Result:
        """The judged result of a case, in a dialect of the adapter, played at the first call."""
        if id_ not in self._played:
            scenario = find_case(id_, self.catalogue).scenario
            self._played[id_] = run(self.session, Case(scenario, self.described.dialects[0]))
        return self._played[id_]

    def show_command(self, id_: str) -> str:
        """The command that shows a case with its timeline."""
        return shlex.join(["streamproof", "show", id_, "--adapter", str(self.described.path)])


TEXT = "any/two-equal-messages"
CALL = "any/text-and-call-interleave"
FAILURE = "any/fails-at-once"
BURST = "any/cancel-in-a-burst"
STALL = "any/cancel-in-a-stall"

_MAX_NOTES = 12
_MAX_WHY = 120


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe: ``needs`` is the probe that has to pass first.

    ``check`` returns a message if all is well. ``skip_reason`` says why an adapter is not probed;
    empty if it is.
    """

    name: str
    check: Callable[[Checkup], str | ProbeResult]
    needs: str = ""
    skip_reason: Callable[[Description], str] = lambda _described: ""


# The files that a binding is installed from, and what it is installed into.
_INSTALLED_INTO = {
    "requirements.txt": ".venv",
    "package-lock.json": "node_modules",
    "checkout.json": ".checkout",
}


def _install_command(described: Description) -> str:
    """The command that installs a binding's packages; empty if it is not needed."""
    folder = described.path.resolve().parent
    installer = folder.parent / "install.py"
    missing = any(
        (folder / wanted).exists() and not (folder / place).exists()
        for wanted, place in _INSTALLED_INTO.items()
    )
    if not missing or not installer.exists():
        return ""
    options = ["--checkout", "PATH"] if (folder / "checkout.json").exists() else []
    return shlex.join(["python", os.path.relpath(installer), folder.name, *options])


def _check_start(checkup: Checkup) -> str | ProbeResult:
    if command := _install_command(checkup.described):
        return _failed("the packages that it binds are not installed", command)
    ((way, target),) = checkup.described.drive.items()
    if isinstance(target, list):
        require_program(target, checkup.described.path.parent)
    return f"{way}: {target if isinstance(target, str) else shlex.join(target)}"


def _check_hello(checkup: Checkup) -> str | ProbeResult:
    hello = checkup.session.driver.hello()
    ((way, _),) = checkup.described.drive.items()
    if way not in ("stdio", "python"):
        return f"what is driven by {way} is not asked who it is"
    products = (hello["adapter"], hello["implementation"])
    names = [f"{product['name']} {product['version']}" for product in products]
    return f"{' drives '.join(dict.fromkeys(names))}, protocol {hello['protocol']}"


def _check_request(checkup: Checkup) -> str | ProbeResult:
    result = checkup.played(TEXT)
    transcript = result.transcript
    if transcript is None:
        return _failed(result.why)
    if not transcript.requests:
        return _no_request(checkup, transcript)
    if not transcript.answered:
        request = transcript.requests[0]
        message = (
            f"{request.method} {request.path} was answered with {request.status}: {request.why}"
        )
        return _failed(message, f"{_ROUTE}:\n{checkup.show_command(TEXT)}")
    request = transcript.answered[0]
    asked = f"it asked for …/{request.path.rpartition('/')[2]}"
    return f"{asked}, but: {'; '.join(request.problems)}" if request.problems else asked


_MODEL = "pass models on as they are, or see docs/gateway.md for a gateway that has its own"
_ROUTE = "a request goes to run.base_url with the dialect's route behind it, such as /responses"


def _no_request(checkup: Checkup, transcript: Transcript) -> ProbeResult:
    strayed = [
        e for e in checkup.session.upstream.state.local.exchanges if not e.path.startswith("/r/")
    ]
    if strayed:
        stray = f"{strayed[0].method} {strayed[0].path}"
        if checkup.described.is_server:
            message = f"a request came whose model names no run: {stray}"
            return _failed(message, _MODEL)
        message = f"no request came to its base URL, but this one to the same address: {stray}"
        return _failed(message, "keep the path of run.base_url: it ends in /r/…/v1")
    message = f"no request came to its base URL; it ended as {write_ended(ended_value(transcript))}"
    if transcript.verdict in _STEPS:
        return _failure(checkup, TEXT, transcript, message)
    if checkup.described.mock:
        step = f"give it {mock_url(checkup.described)} as its only upstream"
        return _failed(message, step)
    return _failed(message, _ROUTE)


def _check_case(id_: str, checkup: Checkup) -> str | ProbeResult:
    result = checkup.played(id_)
    transcript = result.transcript
    if transcript is None:
        return _failed(result.why)
    musts = [finding for finding in result.findings if finding.level == "must"]
    others = [finding for finding in result.findings if finding.level != "must"]
    if not musts:
        notes = [f"{finding.rule} ({finding.level}): {message_of(finding)}" for finding in others]
        return "\n".join([transcript.verdict, *notes])
    message = "\n".join(f"{finding.rule}: {message_of(finding)}" for finding in musts)
    return _failure(checkup, id_, transcript, message)


def _failure(checkup: Checkup, id_: str, transcript: Transcript, message: str) -> ProbeResult:
    """The result for a wrong run, with its last notes and the command that shows the run."""
    last_notes = "\n".join(transcript.notes).splitlines()[-_MAX_NOTES:]
    next_step = f"{_next_step(transcript)}:\n{checkup.show_command(id_)}"
    return _failed("\n".join([message, *last_notes]), next_step)


def _next_step(transcript: Transcript) -> str:
    """What to do about a wrong run, by its verdict and by what happened in it."""
    step = _STEPS.get(transcript.verdict)
    return step(transcript) if step else "see it beside what the upstream sent"


def _after_a_crash(transcript: Transcript) -> str:
    if raised := exception_in(transcript.notes).partition(":")[0]:
        return (
            f"find out what raised {raised}; if the upstream failed, that is no crash, but a run "
            "that ends as failed"
        )
    error = transcript.end.error if transcript.end else None
    why = first_line(error.message if error else first_seen(transcript.notes), _MAX_WHY)
    return f"find out why: {why}" if why else "find out why it crashed"


def _after_a_breach(transcript: Transcript) -> str:
    seen = first_seen(transcript.notes)
    return (
        "write logs to stderr, and to stdout only messages"
        if seen.endswith(LOGS)
        else "write each message as schemas/driver.json says"
    )


def _after_silence(transcript: Transcript) -> str:
    if not transcript.posts:
        return "find out what it waits for before it asks the run's base URL"
    if transcript.cancelled:
        return "end a cancelled run at once, with done and the outcome cancelled"
    return "end every run with done, unsupported or error once its stream is over"


_STEPS: Mapping[Verdict, Callable[[Transcript], str]] = {
    "crashed": _after_a_crash,
    "broke-protocol": _after_a_breach,
    "hung": _after_silence,
    "timed-out": _after_silence,
    "unsupported": lambda _: "play what adapter.yaml claims, or claim less",
    "not-run": lambda _: "see whether it can be started again and again",
}


def _check_claim(id_: str, checkup: Checkup) -> str | ProbeResult:
    result = claims.check(checkup.session, id_, checkup.described.dialects[0])
    if result.status == "passed":
        return result.why
    findings = [each for found in result.findings for each in (found, *found.explains)]
    if any(isinstance(each.kind, WrongAlone) for each in findings):
        alone = _check_case(claims.HELD_OPEN, checkup)
        # It may be right this time; then the claim's findings are reported.
        if isinstance(alone, ProbeResult):
            message = f"alone, its run {claims.HELD_OPEN} is wrong already: {alone.message}"
            return _failed(message, f"mend that first; {alone.next}")
    message = "\n".join([*(message_of(finding) for finding in findings), result.why])
    rights = dict.fromkeys(map(right_of, findings))
    return _failed(message.strip(), "\n".join(rights))


def _check_exit(checkup: Checkup) -> str | ProbeResult:
    driver = checkup.session.driver
    assert isinstance(driver, StdioDriver)
    # Start it again if an earlier run has ended it, so that there is a process to say bye to.
    driver.hello()
    driver.close()
    if driver.left_running:
        return _failed(f"two seconds after bye {driver.left_running}", _GOODBYE)
    if messages := driver.left_behind():
        return _failed("\n".join(messages), _GOODBYE)
    return "nothing is left of it"


_GOODBYE = "on bye, and when stdin ends, exit; end what it has started before that"


def _cancel_skip_reason(described: Description) -> str:
    return "" if described.claims.cancel else "adapter.yaml does not claim cancel: true"


def _bye_skip_reason(described: Description) -> str:
    (way,) = described.drive
    return "" if way == "stdio" else f"nobody says bye to what is driven by {way}"


STARTS, HELLO = "it starts", "it says hello"
REACHES, CALLS = "a run reaches the mock", "a tool call"


def _claim(name: str, id_: str, needs: str) -> Probe:
    return Probe(name, partial(_check_claim, id_), needs, claims.CLAIMS[id_].skip_reason)


PROBES = (
    Probe(STARTS, _check_start),
    Probe(HELLO, _check_hello, STARTS),
    Probe(REACHES, _check_request, HELLO),
    Probe("a plain text answer", partial(_check_case, TEXT), REACHES),
    Probe(CALLS, partial(_check_case, CALL), REACHES),
    Probe("a failed response", partial(_check_case, FAILURE), REACHES),
    _claim("a made-up dialect is refused", claims.DIALECT, HELLO),
    Probe("cancelled after two parts", partial(_check_case, BURST), REACHES, _cancel_skip_reason),
    Probe("cancelled by a message", partial(_check_case, STALL), REACHES, _cancel_skip_reason),
    _claim("runs at once", claims.CONCURRENCY, CALLS),
    Probe("it leaves when told bye", _check_exit, HELLO, _bye_skip_reason),
)

DRIVABLE = (STARTS, HELLO)
"""The probes that have to pass for an adapter to be driven at all."""


def run_probe(probe: Probe, checkup: Checkup, before: Mapping[str, ProbeResult]) -> ProbeResult:
    """Run a probe, unless it does not apply or the probe that it needs has not passed."""
    if why := probe.skip_reason(checkup.described):
        return ProbeResult("not asked", why)
    if probe.needs and before[probe.needs].status != "ok":
        return ProbeResult("not asked", f"it needs this first: {probe.needs}")
    try:
        found = probe.check(checkup)
    except AdapterError as error:
        return result_of_error(error)
    return found if isinstance(found, ProbeResult) else ProbeResult("ok", found)


def result_of_error(error: AdapterError) -> ProbeResult:
    """A failed result with the messages of an error, and its hints as the next step."""
    places = [str(p.place) + ": " if p.place else "" for p in error.problems]
    message = [place + p.message for place, p in zip(places, error.problems, strict=True)]
    hints = dict.fromkeys(p.hint for p in error.problems if p.hint)
    return _failed("\n".join(message), "; ".join(hints) or _MANUAL)


_MANUAL = "docs/adapters.md tells what an adapter answers"
