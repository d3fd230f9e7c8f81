"""Makes ``docs/findings.md``, the pages in ``docs/findings/`` and the counts in the README.

They are made from the known failures of the bindings in ``adapters/``, and their proofs.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path

from conformance.contract.adapter import Description
from conformance.contract.proof import Proof
from conformance.contract.traits import Traits
from mockserver.foundation.visible import visible
from tests.docs.findings import (
    Finding,
    Folder,
    Library,
    Seen,
    Shown,
    findings,
    libraries,
    rules_of,
    scenarios_of,
    seen,
)
from tests.docs.pages import ROOT
from website.words import code, link_clause, plain

OVERVIEW = ROOT / "docs" / "findings.md"
FOLDER = ROOT / "docs" / "findings"
README = ROOT / "README.md"

_HEAD = """\
# Findings

What published libraries do wrong with the scenarios of the catalogue, a page for each library. Each
was driven by *bindings*, programs of a page or less in [adapters/](../adapters/README.md), which
translate what the library emits and repair nothing.

A finding has five things. The stream is one that the library meets: it is legal by a source, or was
seen in a recording or a report, at the line that is quoted. Something binds this library: its own
documentation or types, its other path that does it right, a fix of the same that was merged, or
what a specification demands of those who read. Its user comes to harm at the layer that users call,
as a program of 25 lines prints it, with a server of one page and nothing of streamproof. It is no
choice, as far as documents, comments and threads say. And it is counted once, with all versions,
dialects and bindings that show it. What else was seen stands apart on a library's page: it is not
counted, because it lacks one of these.

Findings stand in the order of their harm; those in which a library contradicts itself come first.
`streamproof show SCENARIO` says what would have been right, and by which source;
[semantics.md](semantics.md) says for each rule when it holds and why. The command of a reproduction
writes [a folder that needs nothing of streamproof](results.md#a-finding-without-streamproof),
`streamproof report --issue` writes
[the text for a tracker](results.md#a-finding-for-a-librarys-tracker),
and `streamproof show CASE --adapter adapters/BINDING/adapter.yaml` shows the run event by event.

A stream is *legal*; or a *deviation* from its specification, which real upstreams send and good
adapters accept; or a *violation*, in which nobody can know what was meant, but an adapter still
must not invent or hide anything. Extensions of VS Code are in no registry: they were run unmodified
from a checkout, at the commit that their page names.

{totals}

| library | driven | findings | on legal streams | seen, not counted |
| --- | --- | ---: | ---: | ---: |
"""

_FOOT = """
These pages are made from `adapters/*/known-failures*.yaml` and `adapters/*/proofs*.yaml`. `pytest
conformance --adapter` checks each list: it fails if a failure is not listed, and if a listed one no
longer happens. `.ci/libraries` runs each reproduction.
"""

# The numbers of counts()
_TOTALS = "{found} findings in {faulty} of {driven} libraries; {legal} are on legal streams."
_OPENING = (
    "[{found} findings](docs/findings.md) in {faulty} of {driven} published libraries, "
    "{legal} on legal streams."
)
_COUNTS = re.compile(r"\{\w+\}")

_DUTIES = {
    "own": "Its own words",
    "itself": "Its other path",
    "fix": "A fix that was merged",
    "must": "What readers must do",
}


@cache
def pages() -> dict[Path, str]:
    """The text of each page that has findings or their counts, by its path."""
    head = _HEAD.format(totals=_TOTALS.format(**counts()))
    overview = head + "".join(map(_row, libraries())) + _FOOT
    about = {path_of(library): page(library) for library in libraries()}
    return {README: _readme(), OVERVIEW: overview, **about}


def write() -> None:
    """Write the pages of findings, and their counts in the README."""
    FOLDER.mkdir(exist_ok=True)
    for path in set(FOLDER.iterdir()) - pages().keys():
        path.unlink()
    for path, text in pages().items():
        path.write_text(text, "utf-8")


def counts() -> dict[str, int]:
    """How many findings there are, and in how many of the libraries that are driven."""
    found = [findings(library) for library in libraries()]
    return {
        "found": sum(map(len, found)),
        "legal": sum(map(_legal, found)),
        "faulty": sum(map(bool, found)),
        "driven": len(found),
    }


def _legal(found: Sequence[Finding]) -> int:
    return sum(finding.case.standing == "legal" for finding in found)


def _readme() -> str:
    """The README with the counts as they are; its opening is found by the words between them."""
    shown = r"\d+".join(map(re.escape, _COUNTS.split(_OPENING)))
    text, places = re.subn(shown, _OPENING.format(**counts()), README.read_text("utf-8"))
    assert places == 1, f"README.md does not say: {_OPENING}"
    return text


def path_of(library: Library) -> Path:
    """The path of a library's page."""
    return FOLDER / f"{library.name}.md"


def packages(folder: Path) -> list[str]:
    """The pinned packages of a binding, as name and version; a checkout with its commit."""
    checkout = folder / "checkout.json"
    if checkout.exists():
        return [_checkout(json.loads(checkout.read_text("utf-8")))]
    pinned = folder / "requirements.txt"
    if pinned.exists():
        lines = pinned.read_text("utf-8").splitlines()
        return [line.replace("==", " ") for line in lines if not line.startswith("-r ")]
    manifest = json.loads(folder.joinpath("package.json").read_text("utf-8"))
    return [f"{name} {version}" for name, version in manifest["dependencies"].items()]


def _checkout(described: dict[str, str]) -> str:
    repository, commit = described["repository"], described["commit"]
    name = repository.removeprefix("https://github.com/")
    at = f"[{name} at {commit[:12]}]({repository}/tree/{commit})"
    return f"{described['extension']} {described['version']} ({at})"


def _row(library: Library) -> str:
    found = findings(library)
    cells = (
        f"[{library.name}](findings/{library.name}.md)",
        "; ".join(", ".join(packages(_path(folder))) for folder in library.folders),
        str(len(found)),
        str(_legal(found)),
        str(sum(not row.is_choice for row in seen(library))),
    )
    return f"| {' | '.join(cells)} |\n"


def _path(folder: Folder) -> Path:
    return folder.bindings[0].path.parent


def page(library: Library) -> str:
    lines = [f"# Findings about {library.name}", "", *_driven(library), ""]
    found, rows = findings(library), seen(library)
    if not found:
        lines += ["No finding counts.", ""]
    for finding in found:
        lines += _section(finding)
    if rest := [row for row in rows if not row.is_choice]:
        lines += ["## Seen, not counted", "", *_table(rest)]
    lines += _choices(library, [row for row in rows if row.is_choice])
    return "\n".join(lines).rstrip() + "\n"


def _driven(library: Library) -> Iterator[str]:
    yield "Driven ([findings.md](../findings.md) explains the words):"
    yield ""
    for folder in library.folders:
        names = ", ".join(f"`{binding.name}`" for binding in folder.bindings)
        yield f"- {names}: {', '.join(packages(_path(folder)))}"


def _section(finding: Finding) -> Iterator[str]:
    proof, case = finding.proof, finding.case
    adapter = finding.binding.path.relative_to(ROOT).as_posix()
    yield from (f"## {plain(proof.does)}", "", f"**{plain(proof.loses)}**", "")
    yield f"- The stream, {_upstream(finding)}: {_code(proof.upstream.line)}"
    yield f"- What came, at `{proof.layer}`: {_came(proof)}"
    yield f"- {_DUTIES[proof.duty.kind]}: “{plain(proof.duty.says)}” ({_duty(finding)})"
    yield f"- The maintainer's side: {plain(proof.counter)} {plain(proof.answer)}"
    shown = finding.shown
    yield f"- Where: {_rules(shown)}, {_shown_by(shown)} with {_names(shown)}"
    for thread in proof.threads:
        yield f"- Reported: <{thread}>"
    command = f"streamproof repro {case} --adapter {adapter} --out DIR"
    yield from (f"- Reproduction: `{command}`", "")


def _upstream(finding: Finding) -> str:
    """Why the library meets the stream, with the link of its source."""
    upstream = finding.proof.upstream
    if upstream.kind == "legal":
        return f"legal by {link_clause(upstream.at, '..')}"
    (seen_at,) = (each for each in finding.case.seen if each.at == upstream.at)
    return f"which {plain(seen_at.upstream)} sends ({link_clause(upstream.at, '..')})"


def _duty(finding: Finding) -> str:
    duty = finding.proof.duty
    if duty.kind == "own":
        return f"{code(duty.at)}, line {duty.line}, as installed"
    return f"`{duty.at}`" if duty.kind == "itself" else link_clause(duty.at, "..")


def _came(proof: Proof) -> str:
    came = [*map(_code, proof.shown.came), *(["and it waits for ever"] * (not proof.shown.ends))]
    lacks = [f"not: {_code(text)}" for text in proof.shown.lacks]
    said = "; ".join([", then ".join(came), *lacks])
    if not (proof.shown.sent or proof.shown.lacks_sent):
        return said
    sent = [", then ".join(map(_code, proof.shown.sent))] if proof.shown.sent else []
    absent = [f"not: {_code(text)}" for text in proof.shown.lacks_sent]
    return f"{said}. The last request has {'; '.join([*sent, *absent])}"


def _table(rows: Sequence[Seen]) -> Iterator[str]:
    yield "| stream | what it does | with | shown by | rules |"
    yield "| --- | --- | --- | --- | --- |"
    for row in rows:
        does, shown = plain(row.notes.does), row.shown
        cells = (row.conduct, does, _names(shown), _shown_by(shown), _rules(shown))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _choices(library: Library, rows: Sequence[Seen]) -> Iterator[str]:
    declared = [line for binding in library.bindings for line in _declared(binding)]
    if not (declared or rows):
        return
    yield from ("## Where libraries differ", "")
    if declared:
        yield from ("[Traits](../adapters.md#traits):", "", *declared, "")
    if rows:
        yield from _table(rows)


def _declared(binding: Description) -> Iterator[str]:
    usual, own = Traits(), binding.traits
    names = [each.name for each in fields(Traits)]
    others = [
        f"`{name}: {_word(getattr(own, name))}`"
        for name in names
        if getattr(own, name) != getattr(usual, name)
    ]
    if others:
        yield f"- `{binding.name}`: {', '.join(others)}"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names(shown: Sequence[Shown]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(each.binding.name for each in shown))


def _rules(shown: tuple[Shown, ...]) -> str:
    return ", ".join(f"[`{rule}`](../semantics.md#{rule})" for rule in rules_of(shown))


def _shown_by(shown: tuple[Shown, ...]) -> str:
    first, *others = scenarios_of(shown)
    link = f"[`{first.id}`](../../scenarios/{first.id}.yaml)"
    return f"{link} and {len(others)} more" if others else link


def _code(text: str) -> str:
    return code(visible(text))
