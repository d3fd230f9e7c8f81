"""Shows the findings of a run without this kit: a folder of files, and the text of an issue.

The folder has the bytes of the case, cut into the writes of the mock, for the server that is copied
beside them; the requests that the library sent in the run, for the program that sends them again in
the library's own API; the versions that the binding pins; and a README. The issue is for the
tracker of the library: what was sent, what was expected and why, what came, the versions, and how
to see it with that folder.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Any

from conformance.contract.proof import Proof
from conformance.contract.transcript import Request, Transcript
from conformance.findings.causes import CauseId, cause_of
from conformance.findings.finding import Finding
from conformance.findings.words import message_of, right_of
from conformance.report.failure import conduct_of
from conformance.report.results import Result
from conformance.report.sources import anchor_of, cited, clauses, link
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.dialects.dialect import Dialect
from mockserver.foundation.visible import visible
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Answer
from mockserver.wire.frames import EVENT_STREAM, Plan
from mockserver.wire.slots import fill

if TYPE_CHECKING:
    from jinja2 import Environment

Reports = Sequence[tuple[Finding, Proof | None]]
"""The findings of a run, each with its proof if it has one."""

# The command that installs the packages in a file of versions.
_INSTALL = {"requirements.txt": "pip install -r requirements.txt", "package.json": "npm install"}
_RUN = {".py": "python3", ".mjs": "node"}
_PORT = 4100
_UNFRAMED = ("content-length", "transfer-encoding")

_MAX_LINES = 40
_MAX_COLUMNS = 400
_LANGUAGES = {
    "requirements.txt": "text",
    "package.json": "text",
    "repro.py": "python",
    "repro.mjs": "js",
}
_CLOSES = {
    "clean": "",
    "cut": "Then the connection is closed in the middle of the body.",
    "reset": "Then the connection is reset in the middle of the body.",
    "half-close": "Then the server ends its side of the connection in the middle of the body.",
    "stall": "Then nothing more comes, and the connection stays open.",
}

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

    @property
    def installs(self) -> list[str]:
        """The commands that install the packages of the program."""
        return [_INSTALL[name] for name in self.files if name in _INSTALL]

    @property
    def start(self) -> str:
        """The command that starts the program."""
        suffix = self.program[self.program.rindex(".") :]
        return f"{_RUN[suffix]} {self.program} http://127.0.0.1:{_PORT}/v1"


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

    The slots have sample values. A stream has a ``plain`` form for requests that ask for none.
    ``runs`` are the transcripts of the turns: their requests choose the form, and a turn has as
    many answers as it was asked for before the next one.
    """
    data = bytearray()
    answers: list[dict[str, Any]] = []
    for n, attempt in _attempts(case, runs):
        form = _form(case, runs[n].posts if n < len(runs) else ())
        rendered, dialect = render(case, n, attempt, form), DIALECTS[case.dialect]
        if rendered.answer:
            answer = _written(_plain(rendered.answer), data)
        else:
            answer = _written(_streamed(dialect, rendered.plan), data)
            if rendered.non_streaming is not None:
                body = fill(rendered.non_streaming, dialect.sample())
                plain = Answer(rendered.status, {"Content-Type": "application/json"}, body)
                answer["plain"] = _written(_plain(plain), data)
        answers.append(answer)
    return {"answers.json": _json(answers), "bytes.bin": bytes(data)}


def _written(rendered: tuple[dict[str, Any], "_Parts"], data: bytearray) -> dict[str, Any]:
    """An answer whose writes are slices of ``data``, to which their bytes are added."""
    answer, parts = rendered
    for part, at in parts:
        if part:
            answer["writes"].append({"offset": len(data), "length": len(part), "at": at})
            data += part
    return answer


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


_Parts = Iterable[tuple[bytes, float]]
"""The bytes of each write, and when they are due."""


def _plain(answer: Answer) -> tuple[dict[str, Any], _Parts]:
    """A non-streaming answer without its writes, and its body."""
    given = {k: v for k, v in answer.headers.items() if k.lower() not in _UNFRAMED}
    typed = any(name.lower() == "content-type" for name in given)
    default = {} if typed else {"Content-Type": "application/octet-stream"}
    headers = {**default, **given, "Content-Length": str(len(answer.body))}
    described = {"status": answer.status, "headers": headers, "writes": []}
    return {**described, "close": "clean", "closes_at": 0.0}, [(answer.body, 0.0)]


def _streamed(dialect: Dialect, plan: Plan) -> tuple[dict[str, Any], _Parts]:
    """A stream without its writes, and what is written."""
    sample = dialect.sample()
    headers = {**dialect.answers.headers, **EVENT_STREAM, "Transfer-Encoding": "chunked"}
    writes = plan.filled(sample).byte_writes
    parts = [(fill(write.pieces, sample), write.at) for write in writes]
    described = {"status": 200, "headers": headers, "writes": []}
    return {**described, "close": plan.close, "closes_at": plan.closes_at}, parts


def _requests(case: Case, runs: Sequence[Transcript]) -> list[dict[str, Any]]:
    """The first request of each turn as the library sent it, with the retries that it may make.

    If the host cancels the turn, ``cancel_after`` is the number of parts after which it does.
    """
    first = [next((post for post in run.posts if post.body is not None), None) for run in runs]
    requests = []
    for post, turn in zip(first, case.scenario.turns, strict=False):
        if post:
            after = turn.cancel.after_parts if turn.cancel else None
            cancelled = {} if after is None else {"cancel_after": after}
            requests.append({"max_retries": len(turn.earlier), "body": post.body, **cancelled})
    return requests


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
    sources = (*case.scenario.source, *case.scenario.reports)
    return _fill(
        "reproduction",
        case=case,
        scenario=case.scenario,
        result=result,
        library=result.implementation or result.adapter,
        conduct=conduct_of(case)[0],
        binding=binding,
        sources=sources,
        paragraphs=cited([*(finding.source for finding in result.findings), *sources]),
        target=_target,
    )


def _target(clause: str) -> str:
    """The link of a source in the README: to its paragraph there, or to its address."""
    address = link(clause)
    anchor = anchor_of(address)
    return f" ([{anchor}](#{anchor}))" if anchor else f" (<{address}>)" if address else ""


def issue(case: Case, result: Result, reports: Reports, files: Files, binding: Binding) -> str:
    """The text of an issue, as Markdown.

    ``reports`` has at least one finding; ``files`` is the folder of the reproduction.
    """
    finding, proof = reports[0]
    runs = result.transcript.turns if result.transcript else ()
    answers = compress(json.loads(files["answers.json"]), were_sent(case, runs))
    posts = (post for run in runs for post in run.posts)
    refused = next((post for post in posts if post.problems and post.turn is None), None)
    body = json.dumps(refused.body, indent=1, ensure_ascii=False) if refused else ""
    return _fill(
        "issue",
        scenario=case.scenario,
        seen=case.seen,
        library=result.implementation or result.adapter,
        finding=finding,
        proof=proof,
        answers=[_shown_answer(answer, files["bytes.bin"]) for answer in answers],
        refused=refused,
        body=_shorten(body.encode("utf-8", "backslashreplace")),
        by_proof=_by_proof(reports),
        binding=binding,
        listings=[
            (name, language, files[name].decode("utf-8", "backslashreplace").rstrip())
            for name, language in _LANGUAGES.items()
            if name in files
        ],
        fenced=_fence,
    )


def _shown_answer(answer: Mapping[str, Any], data: bytes) -> dict[str, Any]:
    """An answer that was sent in the run: its status, its type, its bytes, and how it ends."""
    places = ((write["offset"], write["length"]) for write in answer["writes"])
    return {
        "status": answer["status"],
        "type": next(v for k, v in answer["headers"].items() if k.lower() == "content-type"),
        "lines": _shorten(b"".join(data[at : at + length] for at, length in places)),
        "end": _CLOSES[answer["close"]],
    }


def _shorten(data: bytes) -> list[str]:
    """Bytes as lines, without the blank lines of events, and not too many of them."""
    lines = data.decode("utf-8", "backslashreplace").splitlines()
    shown = [visible(line) for line in lines if line]
    shown = [f"{each[:_MAX_COLUMNS]}…" if len(each) > _MAX_COLUMNS else each for each in shown]
    if len(shown) <= _MAX_LINES:
        return shown
    half = _MAX_LINES // 2
    return [*shown[:half], f"… {len(shown) - 2 * half} lines …", *shown[-half:]]


def _by_proof(reports: Reports) -> dict[Proof | None, list[tuple[Finding, int]]]:
    """The first finding of each cause with how many more it has, by proof; None is without one."""
    causes: dict[tuple[Proof | None, CauseId], list[Finding]] = {}
    for finding, proof in reports:
        causes.setdefault((proof, cause_of(finding)), []).append(finding)
    found: dict[Proof | None, list[tuple[Finding, int]]] = {}
    for (proof, _), (first, *more) in causes.items():
        found.setdefault(proof, []).append((first, len(more)))
    return found


def _fill(template: str, **values: Any) -> str:
    text = _environment().get_template(f"{template}.md.j2").render(port=_PORT, **values)
    return text.rstrip() + "\n"


@cache
def _environment() -> "Environment":
    # Imported here, because most commands write no such text.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701, the texts are Markdown
        loader=PackageLoader("conformance.report"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": lambda value: visible(str(value)),
        "quoted": lambda text: visible(repr(text)),
        "one_line": lambda text: visible(" ".join(text.split())),
        "sentence": _as_sentence,
        "message": message_of,
        "right": right_of,
        "clauses": clauses,
        "cite": _cite,
    }
    return environment


def _as_sentence(text: str) -> str:
    """A message as a sentence: with a capital letter and a full stop."""
    shown = visible(text)
    return f"{shown[:1].upper()}{shown[1:]}{'' if shown.endswith('.') else '.'}"


def _cite(clause: str) -> str:
    """A source as Markdown: its paragraph of ``docs/semantics.md``, or its name with its link."""
    address = link(clause)
    if anchor_of(address):
        return " ".join([visible(clause), *(f"“{each.plain}”" for each in cited([clause]))])
    return f"[{visible(clause)}]({address})" if address else visible(clause)


def _fence(language: str, lines: Iterable[str]) -> str:
    """Lines as a code block, whose fence is longer than any run of backticks in it."""
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"
