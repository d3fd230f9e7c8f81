"""Builds the files of a reproduction: a folder that shows the findings of a run without this kit.

The folder has the bytes of the case, cut into the writes of the mock, for the server that is copied
beside them; the requests that the library sent in the run, for the program that sends them again in
the library's own API; the versions that the binding pins; and a README.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance.contract.transcript import Request, Transcript
from conformance.findings.finding import Finding
from conformance.findings.words import message_of, right_of
from conformance.report.failure import conduct_of
from conformance.report.results import Result
from conformance.report.sources import anchor_of, cited, clauses, link
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.foundation.visible import visible
from mockserver.scenario.model import Scenario, Turn
from mockserver.scenario.script import Answer
from mockserver.wire.frames import EVENT_STREAM, Plan
from mockserver.wire.slots import fill

# The command that installs the packages in a file of versions.
_INSTALL = {"requirements.txt": "pip install -r requirements.txt", "package.json": "npm install"}
_RUN = {".py": "python3", ".mjs": "node"}
_PORT = 4100
_UNFRAMED = ("content-length", "transfer-encoding")

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Checkout:
    """The source of a published extension: a repository, a commit, and the folder in it."""

    repository: str
    commit: str
    folder: str


@dataclass(frozen=True, slots=True)
class Binding:
    """What a reproduction takes from a binding.

    ``program`` is the name of its program in the library's own API, empty if it has none.
    ``files`` are the program and the file of versions, by name. ``checkout`` is that of an
    extension, which the program is given: its repository, its commit and its folder.
    """

    program: str
    files: Mapping[str, bytes]
    checkout: Checkout | None = None


def files_of(case: Case, result: Result, server: bytes, binding: Binding) -> Files:
    """All files of the folder, by name. ``server`` is the program that plays the answers."""
    transcript = result.transcript
    runs = transcript.turns if transcript else ()
    return {
        "README.md": _readme(case, result, binding).encode(),
        "server.py": server,
        **render_answers(case, runs),
        "requests.json": _json(_requests(case, runs)),
        "host.json": _json(_host(case.scenario)),
        **binding.files,
    }


def render_answers(case: Case, runs: Sequence[Transcript] = ()) -> Files:
    """The answers of a case, by turn and attempt, and the bytes of all of them in one file.

    The slots have sample values. ``runs`` are the transcripts of the turns: their requests choose
    the form, and a turn has as many answers as it was asked for before the next one.
    """
    data = bytearray()
    answers: list[dict[str, Any]] = []
    for n, attempt in _attempts(case, runs):
        form = _form(case, runs[n].posts if n < len(runs) else ())
        rendered = render(case, n, attempt, form)
        if rendered.answer:
            answers.append(_plain(rendered.answer, data))
        else:
            answers.append(_streamed(case, rendered.plan, data))
    return {"answers.json": _json(answers), "bytes.bin": bytes(data)}


def were_sent(case: Case, runs: Sequence[Transcript]) -> list[bool]:
    """Whether each answer of ``render_answers`` was sent in the run whose turns are ``runs``."""
    sent = {(n, each.attempt) for n, run in enumerate(runs) for each in run.answered}
    return [each in sent for each in _attempts(case, runs)]


def _attempts(case: Case, runs: Sequence[Transcript]) -> Iterator[tuple[int, int]]:
    """The answers of a case, each as the numbers of its turn and of its attempt."""
    for n, turn in enumerate(case.scenario.turns):
        attempts = len(turn.attempts)
        if n + 1 < len(runs):  # the requests of the next turn came after so many of this one
            attempts = min(attempts, max(1, len(runs[n].posts)))
        yield from ((n, attempt) for attempt in range(1, attempts + 1))


def _form(case: Case, posts: Sequence[Request]) -> str | None:
    """The dialect's form that the first readable request chose; None if there is none."""
    read = DIALECTS[case.dialect].requests.read
    bodies = (post for post in posts if isinstance(post.body, dict))
    return next((read(post.body, dict(post.headers)).form for post in bodies), None)


def _plain(answer: Answer, data: bytearray) -> dict[str, Any]:
    given = {k: v for k, v in answer.headers.items() if k.lower() not in _UNFRAMED}
    typed = any(name.lower() == "content-type" for name in given)
    default = {} if typed else {"Content-Type": "application/octet-stream"}
    headers = {**default, **given, "Content-Length": str(len(answer.body))}
    writes = [_write(answer.body, 0.0, data)] if answer.body else []
    return _answer(answer.status, headers, writes, "clean", 0.0)


def _streamed(case: Case, plan: Plan, data: bytearray) -> dict[str, Any]:
    dialect = DIALECTS[case.dialect]
    sample = dialect.sample()
    headers = {**dialect.answers.headers, **EVENT_STREAM, "Transfer-Encoding": "chunked"}
    writes_of_plan = plan.filled(sample).byte_writes
    filled = ((write.at, fill(write.pieces, sample)) for write in writes_of_plan)
    writes = [_write(part, at, data) for at, part in filled if part]
    return _answer(200, headers, writes, plan.close, plan.closes_at)


def _answer(
    status: int, headers: Mapping[str, str], writes: list[Any], close: str, closes_at: float
) -> dict[str, Any]:
    how = {"close": close, "closes_at": closes_at}
    return {"status": status, "headers": headers, "writes": writes, **how}


def _write(part: bytes, at: float, data: bytearray) -> dict[str, Any]:
    """Append the bytes of a write to ``data``; returns where they are and when they are due."""
    offset = len(data)
    data += part
    return {"offset": offset, "length": len(part), "at": at}


def _requests(case: Case, runs: Sequence[Transcript]) -> list[dict[str, Any]]:
    """The first request of each turn as the library sent it, with the retries that it may make.

    If the host cancels the turn, ``cancel_after`` is the number of parts after which it does.
    """
    first = [next((post for post in run.posts if post.body is not None), None) for run in runs]
    turns = zip(first, case.scenario.turns, strict=False)
    return [
        {"max_retries": len(turn.earlier), "body": post.body, **_cancellation(turn)}
        for post, turn in turns
        if post
    ]


def _cancellation(turn: Turn) -> dict[str, int]:
    after = turn.cancel.after_parts if turn.cancel else None
    return {} if after is None else {"cancel_after": after}


def _host(scenario: Scenario) -> dict[str, Any]:
    """What the host asks for, and what it adds after each turn; fields that are empty are absent.

    The tools and the outputs have the form of OpenAI's Responses API.
    """
    host = scenario.host
    asked = {"system": host.system, "user": host.user, "tools": host.tools, "options": host.options}
    added = [asdict(turn.then) if turn.then else {} for turn in scenario.turns]
    turns = [{name: value for name, value in each.items() if value} for each in added]
    return {**{name: value for name, value in asked.items() if value}, "turns": turns}


def _json(value: Any) -> bytes:
    # Escapes keep lone surrogates, which UTF-8 cannot encode.
    return json.dumps(value, indent=1).encode() + b"\n"


def _readme(case: Case, result: Result, binding: Binding) -> str:
    scenario = case.scenario
    library = result.implementation or result.adapter
    sources = (*scenario.source, *scenario.seen)
    lines = [
        f"# {visible(scenario.title)}",
        "",
        f"The case `{visible(str(case))}`, played to {visible(library)} by the binding"
        f" `{visible(result.adapter)}`. The upstream's conduct is: {conduct_of(case)[0]}.",
        *(["", visible(" ".join(scenario.about.split()))] if scenario.about else []),
        "",
        *("## Run it", "", *how_to_run(binding)),
        "## What was expected, and what came",
        "",
        *(line for finding in result.findings for line in _finding(finding)),
        *([] if result.findings else ["The run had no findings.", ""]),
        *(["## Sources of the case", "", *_sources(sources), ""] if sources else []),
        *_paragraphs([*(finding.source for finding in result.findings), *sources]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def how_to_run(binding: Binding) -> Iterator[str]:
    """The commands that start the server and the program of a folder, as Markdown."""
    yield from (*_shell(f"python3 server.py {_PORT}"), "")
    if not binding.program:
        yield from ("The binding has no program yet: point the library at this server.", "")
        return
    installs = [_INSTALL[name] for name in binding.files if name in _INSTALL]
    suffix = binding.program[binding.program.rindex(".") :]
    start = f"{_RUN[suffix]} {binding.program} http://127.0.0.1:{_PORT}/v1"
    if binding.checkout:
        yield from _with_checkout(binding.checkout, start)
        return
    yield from ("and beside it", "", *_shell(" && ".join([*installs, start])), "")


def _with_checkout(checkout: Checkout, start: str) -> Iterator[str]:
    """The commands for a program that is given the folder of a built extension."""
    clone = f"git clone {checkout.repository} extension"
    folder = '"$PWD/extension' + ("" if checkout.folder == "." else f"/{checkout.folder}") + '"'
    yield from ("and beside it get the extension, build it as its own documents say, and run it:",)
    yield from ("", *_shell(clone, f"git -C extension checkout {checkout.commit}"), "")
    yield from (*_shell(f"{start} {folder}"), "")


def _shell(*commands: str) -> tuple[str, ...]:
    return ("```sh", *commands, "```")


def _finding(finding: Finding) -> Iterator[str]:
    turn = f", turn {finding.turn}" if finding.turn else ""
    yield from (f"`{finding.rule}` ({finding.level}{turn}):", "")
    # Indented lines are shown to the letter, whatever an adapter has put into a message.
    yield f"    came:     {visible(message_of(finding))}"
    yield from (f"    expected: {visible(right_of(finding))}", "")
    yield from (*_sources([finding.source]), "")
    for explained in finding.explains:
        yield f"It explains `{explained.rule}` ({explained.level}):"
        yield from ("", f"    came:     {visible(message_of(explained))}", "")


def _sources(sources: Iterable[str]) -> Iterator[str]:
    """The clauses of some sources as items of a list, with their links."""
    for clause in (clause for source in sources for clause in clauses(source)):
        address = link(clause)
        anchor = anchor_of(address)
        target = f" ([{anchor}](#{anchor}))" if anchor else f" (<{address}>)" if address else ""
        yield f"- {visible(clause)}{target}"


def _paragraphs(sources: Iterable[str]) -> Iterator[str]:
    """The paragraphs of docs/semantics.md that these sources link to."""
    if found := cited(sources):
        yield from ("## The semantics of such streams", "")
        for paragraph in found:
            yield from (f"### {paragraph.anchor}", "", paragraph.plain, "")
