"""Writes a finding as the text of an issue for the tracker of the library that it is about.

The text stands alone: what was sent, what was expected and why, what came, the versions, and how to
see it with the folder of ``conformance.report.reproduction``, without this kit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

from conformance.contract.proof import Proof
from conformance.findings.causes import CauseId, cause_of
from conformance.findings.finding import Finding
from conformance.findings.words import message_of, right_of
from conformance.report.reproduction import Binding, Files, how_to_run, were_sent
from conformance.report.results import Result
from conformance.report.sources import anchor_of, cited, clauses, link
from mockserver.cases.case import Case
from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    Reports = Sequence[tuple[Finding, Proof | None]]

_MAX_LINES = 40
_MAX_COLUMNS = 400
_LANGUAGES = {"repro.py": "python", "repro.mjs": "js"}
_CLOSES = {
    "clean": "",
    "cut": "Then the connection is closed in the middle of the body.",
    "reset": "Then the connection is reset in the middle of the body.",
    "half-close": "Then the server ends its side of the connection in the middle of the body.",
    "stall": "Then nothing more comes, and the connection stays open.",
}


def issue(case: Case, result: Result, reports: Reports, files: Files, binding: Binding) -> str:
    """The text of an issue, as Markdown.

    ``reports`` are the findings of the run, each with its proof if it has one; there is at least
    one. ``files`` is the folder of the reproduction.
    """
    first, proof = reports[0]
    scenario = case.scenario
    lines = [
        f"# {visible(proof.does) if proof else _sentence(message_of(first))}",
        "",
        f"This is {visible(result.implementation or result.adapter)} with a stream of the"
        " following situation, which was",
        f"written by hand: {_sentence(scenario.title)}",
        *(["", visible(" ".join(scenario.about.split()))] if scenario.about else []),
        *("", "## What the upstream sent", "", *_exchanged(case, result, files)),
        *("## What I expected", "", *_expected(reports)),
        *("## What came", "", *_came(reports)),
        *_discussed(reports),
        *("## How to reproduce it", "", *_reproduction(files, binding)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _sentence(text: str) -> str:
    """A message as a sentence: with a capital letter and a full stop."""
    shown = visible(text)
    return f"{shown[:1].upper()}{shown[1:]}{'' if shown.endswith('.') else '.'}"


def _exchanged(case: Case, result: Result, files: Files) -> Iterator[str]:
    """The answers that were sent in the run, and the request that was refused, if one was."""
    runs = result.transcript.turns if result.transcript else ()
    answers = list(compress(json.loads(files["answers.json"]), were_sent(case, runs)))
    posts = (post for run in runs for post in run.posts)
    refused = next((post for post in posts if post.problems and post.turn is None), None)
    requests = len(answers) + (refused is not None)
    if not requests:
        yield from ("No request reached it.", "")
    for n, answer in enumerate(answers, start=1):
        yield from _sent(answer, f" to request {n} of {requests}" if requests > 1 else "", files)
    if refused:
        which = f"Request {requests} of {requests}" if requests > 1 else "The request"
        yield f"{which} is refused with the status {refused.status}. Its body:"
        body = json.dumps(refused.body, indent=1, ensure_ascii=False)
        shown = _shortened(body.encode("utf-8", "backslashreplace"))
        yield from ("", *_fenced("json", shown), "")
        yield "The server of the reproduction checks no requests."
        yield ""


def _sent(answer: Mapping[str, Any], which: str, files: Files) -> Iterator[str]:
    places = ((write["offset"], write["length"]) for write in answer["writes"])
    data = b"".join(files["bytes.bin"][at : at + length] for at, length in places)
    kind = next(v for k, v in answer["headers"].items() if k.lower() == "content-type")
    yield f"The answer{which} has the status {answer['status']} and the type `{kind}`:"
    yield from ("", *_fenced("text", _shortened(data)), "")
    if said := _CLOSES[answer["close"]]:
        yield from (said, "")


def _shortened(data: bytes) -> list[str]:
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


def _expected(reports: Reports) -> Iterator[str]:
    for proof, findings in _by_proof(reports).items():
        for finding, _ in findings:
            yield from (_sentence(right_of(finding)), "")
            if proof is None:
                yield from (f"({'; '.join(map(_source, clauses(finding.source)))})", "")
        if proof:
            yield from (f"> {visible(proof.clause)}", "", f"({_source(proof.source)})", "")


def _source(clause: str) -> str:
    """A source as Markdown: its paragraph of ``docs/semantics.md``, or its name with its link."""
    address = link(clause)
    if anchor_of(address):
        return " ".join([visible(clause), *(f"“{each.plain}”" for each in cited([clause]))])
    return f"[{visible(clause)}]({address})" if address else visible(clause)


def _came(reports: Reports) -> Iterator[str]:
    for proof, findings in _by_proof(reports).items():
        for finding, more in findings:
            times = "1 more time" if more == 1 else f"{more:,} more times"
            others = f" The same happened {times} in this run." if more else ""
            yield from (f"{_sentence(message_of(finding))}{others}", "")
        if proof:
            yield from _printed(proof)


def _printed(proof: Proof) -> Iterator[str]:
    """What the program prints and what it does not, as the proof has it."""
    yield from ("The program below prints, among other things:", "")
    yield from (*_fenced("text", [visible(piece) for piece in proof.shown.came]), "")
    for text in proof.shown.lacks:
        yield from (f"It does not print {visible(repr(text))}.", "")
    if proof.shown.sent:
        yield from ("The last request of the library (`sent.jsonl`) has:", "")
        yield from (*_fenced("text", [visible(piece) for piece in proof.shown.sent]), "")
    for text in proof.shown.lacks_sent:
        yield from (f"Its last request does not have {visible(repr(text))}.", "")
    if not proof.shown.ends:
        yield from ("It waits for ever.", "")


def _discussed(reports: Reports) -> Iterator[str]:
    """The arguments of the proofs, as a maintainer would want to weigh them."""
    proofs = [proof for proof in _by_proof(reports) if proof]
    if proofs:
        yield from ("## What may be said against it", "")
    for proof in proofs:
        yield from (visible(proof.counter), "", visible(proof.answer), "")


def _reproduction(files: Files, binding: Binding) -> Iterator[str]:
    """The commands, the versions and the program; the bytes are in the folder that is attached."""
    program = ", and a program in the library's own API" if binding.program else ""
    yield "The attached folder has a server of one page, which needs Python alone and plays the"
    yield f"bytes above{program}."
    yield from ("", *how_to_run(binding))
    for name in ("requirements.txt", "package.json", *_LANGUAGES):
        if name in files:
            text = files[name].decode("utf-8", "backslashreplace").rstrip()
            yield from (f"`{name}`:", "", *_fenced(_LANGUAGES.get(name, "text"), [text]), "")


def _fenced(language: str, lines: Sequence[str]) -> list[str]:
    """Lines as a code block, whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *lines, fence]
