"""Makes ``docs/findings.md``, the pages in ``docs/findings/`` and the counts in the README.

They are made from the known failures of the bindings in ``adapters/``, and their proofs.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path

from conformance.contract.adapter import Description
from conformance.contract.proof import Proof
from conformance.contract.traits import Traits
from mockserver.foundation.visible import visible
from tests.docs.findings import Finding, Library, described, findings, libraries, seen_in_host_alone
from tests.docs.pages import ROOT
from website.words import code, link_clause, plain

OVERVIEW = ROOT / "docs" / "findings.md"
FOLDER = ROOT / "docs" / "findings"
README = ROOT / "README.md"

_HEAD = """\
# Findings

What published libraries do wrong with the scenarios of the catalogue, a page for each library. Each
was driven by a *binding*, a program of a page or less in [adapters/](../adapters/README.md), which
translates what the library emits and repairs nothing.

A finding is *confirmed* if it has three things: a reproduction, which shows it with a server of one
page and a program of 25 lines in the library's own API; the clause that forbids it; and the best
argument of the library's maintainer, with why it fails. Only confirmed findings count. What else a
library does differently stands apart on its page, as *not confirmed*, or as a choice on which
libraries differ.

`streamproof show SCENARIO` says what would have been right, and by which source;
[semantics.md](semantics.md) says for each rule when it holds and why. The command of a reproduction
writes [a folder that needs nothing of streamproof](results.md#a-finding-without-streamproof), and
`streamproof show CASE --adapter adapters/BINDING/adapter.yaml` shows the run event by event. Many
libraries read both the Responses API and chat completions: the names of bindings for chat
completions end in `-chat`, and their descriptions are `adapters/BINDING/chat.yaml`. The AI SDK is
here with its providers, its core over the gateway, and its reader of UI messages; a number at the
end of a name is its version. The bindings whose names end in `-fullstream` read what `streamText()`
makes of a provider's parts; what the provider's own binding has shown, or the core's over the
gateway, is not counted again. Nor is what the client of OpenAI does with an event stream: it counts
for the client, and the libraries that read with it list it as confirmed there.

Extensions of VS Code are in no registry. They were run unmodified from a checkout, at the commit
that their row names; on a machine without it `.ci/libraries` reports them as *not run*. Their
reproductions run the extension's own built module, with what stands for `vscode` in the program
itself. An extension that needs more of the editor has no such program: its findings are not
confirmed and stand under *Seen in the host alone*, with how to see them in VS Code.

A stream is *legal*; or a *deviation* from its specification, which real upstreams send and good
adapters accept; or a *violation*, in which nobody can know what was meant, but an adapter still
must not invent or hide anything. Findings on legal streams have no excuse. On the others a library
may refuse the stream and fail, which its page notes as [`strict`](semantics.md#strict-adapters): it
is found wrong for what its user cannot know of, such as content that is lost in silence. What a
library does on streams of more than one conduct has a row for each of them.

{totals}

| binding | dialect | packages | confirmed findings | on legal streams |
| --- | --- | --- | ---: | ---: |
"""

_FOOT = """
These pages are made from `adapters/*/known-failures*.yaml` and `adapters/*/proofs*.yaml`. `pytest
conformance --adapter` checks each list: it fails if a failure is not listed, and if a listed one no
longer happens. `.ci/libraries` runs each reproduction.
"""

# The numbers of counts()
_TOTALS = (
    "{confirmed} findings are confirmed, in {faulty} of {driven} library versions; "
    "{legal} are on legal streams."
)
_OPENING = (
    "[{confirmed} confirmed findings](docs/findings.md) in {faulty} of {driven} published library "
    "versions, {legal} on legal streams."
)
_COUNTS = re.compile(r"\{\w+\}")

_IN_HOST = """\
The extension was run at the commit `{commit}` in [the kit's host](../node.md):
`streamproof show CASE --adapter {adapter}`. It needs more of the editor
than a page can stand for, so no program shows these without the kit. To see one in VS Code, build
the checkout by its own scripts, start `streamproof serve` and
`code --extensionDevelopmentPath=CHECKOUT/{folder}`, {in_editor}, and ask a model of the
extension."""

_LEGEND = "[findings.md](../findings.md) explains the words."


@cache
def pages() -> dict[Path, str]:
    """The text of each page that has findings or their counts, by its path."""
    head = _HEAD.format(totals=_TOTALS.format(**counts()))
    overview = (
        head + "".join(_row(each) for library in libraries() for each in library.bindings) + _FOOT
    )
    about = {path_of(library): page(library) for library in libraries()}
    return {README: _readme(), OVERVIEW: overview, **about}


def write() -> None:
    """Write the pages of findings, and their counts in the README."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, "utf-8")


def counts() -> dict[str, int]:
    """How many findings are confirmed, in how many of the versions of libraries that are driven.

    Two folders of ``adapters/`` with the same packages are one version.
    """
    driven: dict[tuple[str, ...], list[Finding]] = {}
    for binding in described():
        version = driven.setdefault(tuple(packages(binding.path.parent)), [])
        version += [each for each in findings(binding) if each.kind == "confirmed"]
    confirmed = [finding for version in driven.values() for finding in version]
    return {
        "confirmed": len(confirmed),
        "legal": sum(finding.conduct == "legal" for finding in confirmed),
        "faulty": sum(map(bool, driven.values())),
        "driven": len(driven),
    }


def _readme() -> str:
    """The README with the counts as they are; its opening is found by the words between them."""
    shown = r"\d+".join(map(re.escape, _COUNTS.split(_OPENING)))
    text, places = re.subn(shown, _OPENING.format(**counts()), README.read_text("utf-8"))
    assert places == 1, f"README.md does not say: {_OPENING}"
    return text


def path_of(library: Library) -> Path:
    """The path of a library's page."""
    return path_of_binding(library.bindings[0])


def path_of_binding(binding: Description) -> Path:
    """The path of the page that has the findings of a binding."""
    return FOLDER / f"{binding.path.parent.name}.md"


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
    seen = f"[{name} at {commit[:12]}]({repository}/tree/{commit})"
    return f"{described['extension']} {described['version']} ({seen})"


def _row(binding: Description) -> str:
    name, folder = binding.name, binding.path.parent
    anchor = name.replace(".", "")
    confirmed = [each for each in findings(binding) if each.kind == "confirmed"]
    legal = sum(finding.conduct == "legal" for finding in confirmed)
    cells = (
        f'<a id="{anchor}"></a>[{name}](findings/{folder.name}.md#{anchor})',
        ", ".join(binding.dialects),
        ", ".join(packages(folder)),
        str(len(confirmed)),
        str(legal),
    )
    return f"| {' | '.join(cells)} |\n"


def page(library: Library) -> str:
    pinned = ", ".join(packages(library.bindings[0].path.parent))
    lines = [f"# Findings about {library.name}", "", f"Driven: {pinned}. {_LEGEND}", ""]
    for binding in library.bindings:
        lines += _section(binding)
    return "\n".join(lines).rstrip() + "\n"


def _section(binding: Description) -> Iterator[str]:
    found = findings(binding)
    yield from (f"## {binding.name}", "", plain(binding.about), "")
    confirmed = [finding for finding in found if finding.kind == "confirmed"]
    if not found:
        yield from ("Nothing is known to fail.", "")
    elif not confirmed:
        yield from ("No finding is confirmed.", "")
    for finding in confirmed:
        assert finding.proof
        yield from _confirmed(binding, finding, finding.proof)
    repeated = [finding for finding in found if finding.kind == "shown by another binding"]
    for name in dict.fromkeys(finding.shown_by for finding in repeated):
        yield from (f"### Confirmed by {name}, and seen here too", "")
        yield from _table(finding for finding in repeated if finding.shown_by == name)
    if rest := [finding for finding in found if finding.kind == "not confirmed"]:
        if seen_in_host_alone(binding):
            yield from _in_host(binding)
        else:
            yield from ("### Not confirmed", "")
        yield from _table(rest)
    yield from _choices(binding, [finding for finding in found if finding.kind == "choice"])


def _in_host(binding: Description) -> Iterator[str]:
    """The heading of the findings that no program shows, and how to see them in the editor."""
    folder = binding.path.parent
    checkout = json.loads(folder.joinpath("checkout.json").read_text("utf-8"))
    adapter = binding.path.relative_to(ROOT).as_posix()
    yield from ("### Seen in the host alone", "", _IN_HOST.format(adapter=adapter, **checkout), "")


def _confirmed(binding: Description, finding: Finding, proof: Proof) -> Iterator[str]:
    adapter = binding.path.relative_to(ROOT).as_posix()
    command = f"streamproof repro {proof.case} --adapter {adapter} --out DIR"
    came = [*map(_code, proof.shown.came), *(["and it waits for ever"] * (not proof.shown.ends))]
    lacks = [f"not: {_code(text)}" for text in proof.shown.lacks]
    shown = f"{finding.conduct} stream, {_rules(finding)}, shown by {_shown_by(finding)}"
    yield from (f"### {plain(proof.does)}", "", f"{shown}.", "")
    yield f"- Clause: “{plain(proof.clause)}” ({link_clause(proof.source, '..')})"
    yield f"- The maintainer's side: {plain(proof.counter)}"
    yield f"- Why that fails: {plain(proof.answer)}"
    yield f"- The program prints: {', then '.join(came)}{'; '.join(['', *lacks])}"
    if proof.shown.sent or proof.shown.lacks_sent:
        sent = [", then ".join(map(_code, proof.shown.sent))] if proof.shown.sent else []
        absent = [f"not: {_code(text)}" for text in proof.shown.lacks_sent]
        yield f"- The last request has: {'; '.join([*sent, *absent])}"
    yield from (f"- Reproduction: `{command}`", "")


def _table(found: Iterable[Finding]) -> Iterator[str]:
    yield from ("| stream | what it does | shown by | rules |", "| --- | --- | --- | --- |")
    for finding in found:
        does = plain(finding.notes.does)
        cells = (finding.conduct, does, _shown_by(finding), _rules(finding))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _choices(binding: Description, found: Sequence[Finding]) -> Iterator[str]:
    usual = Traits()
    declared = ((each.name, getattr(binding.traits, each.name)) for each in fields(Traits))
    others = [
        f"`{name}: {_word(value)}`" for name, value in declared if value != getattr(usual, name)
    ]
    if not others and not found:
        return
    yield from ("### Where libraries differ", "")
    if others:
        yield from (f"[Traits](../adapters.md#traits): {', '.join(others)}.", "")
    if found:
        yield from _table(found)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rules(finding: Finding) -> str:
    return ", ".join(f"[`{rule}`](../semantics.md#{rule})" for rule in finding.rules)


def _shown_by(finding: Finding) -> str:
    first, *others = finding.scenarios
    link = f"[`{first.id}`](../../scenarios/{first.id}.yaml)"
    more = f" and {len(others)} more" if others else ""
    sources = (link_clause(source, "..") for source in first.source[:2])
    return f"{link}{more} ({'; '.join(sources)})"


def _code(text: str) -> str:
    return code(visible(text))
