"""``streamproof report``: renders results as HTML, JUnit XML, a badge, annotations or an issue."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import click

from conformance.contract.adapter import Description
from conformance.contract.proof import Proof
from conformance.findings.finding import Finding
from conformance.report.adapters import compare, differences, gather_by_adapter, unfinished
from conformance.report.ci import annotations_of, junit, relative
from conformance.report.page import badge, render_page
from conformance.report.recorded import Recording, read_results
from conformance.report.reproduction import issue
from conformance.suite.adapter_yaml import read_yaml
from conformance.suite.proofs import proofs_of
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import AdapterError, Place, Problem, UserError
from mockserver.foundation.visible import say, visible
from mockserver.scenario.source import Tree
from streamproof._commands.cases import find_case
from streamproof._commands.options import PATH, scenarios_option
from streamproof._commands.repro import play_named

_HELP = """Render results files, as `pytest conformance --results FILE` writes them.

--html writes one page that stands alone: totals by rule, the failures, and a table of scenarios by
adapters, where each cell opens its findings, its timeline, the bytes that were sent and the command
that shows it again. The bytes are made anew from the scenarios, your own ones (--scenarios) among
them, and held against what was recorded.

--junit writes JUnit XML for CI servers: a test suite for each adapter, a test case for each case.
Findings that fail a case are its failure, with the timeline; what is not applicable and what is
known to fail are skipped; a scenario that cannot be played is an error.

--badge writes a badge as shields.io reads it: how many of the cases that were asked for pass.

--annotations writes GitHub's workflow commands, which show each broken rule as an error at the line
of adapter.yaml that it is about: in the log of a job, to standard output.

Several files may be parts of one run, on one host or several: other adapters, other cases. A case
that two of them have counts once if they agree. If they differ, the report has both and says so,
and the exit code is 4. So it is for a file without its footer, which is incomplete. Files of
different versions of streamproof are named. Findings do not change the exit code.

--compare BEFORE AFTER prints which causes of findings came, went, and are shown by other cases, and
exits with 1 if one came: what a change of the adapter, or of streamproof, has changed.

--issue needs no results file: it plays one case to an --adapter, and prints what it finds as the
text of an issue for the tracker of the adapter's library, in Markdown.
"""


_File = click.Path(path_type=Path, allow_dash=True)


@click.command(help=_HELP)
@click.argument("results", nargs=-1, type=PATH)
@click.option("--html", type=_File, help="Write the page to this file; - is standard output.")
@click.option("--junit", type=_File, help="Write JUnit XML to this file.")
@scenarios_option
@click.option("--badge", type=_File, help="Write the badge, as JSON, to this file.")
@click.option("--annotations", type=_File, help="Write GitHub's annotations to this file.")
@click.option("--issue", "case", metavar="CASE", help="Print this case as the text of an issue.")
@click.option("--adapter", type=PATH, help="The adapter.yaml for --issue.")
@click.option(
    "--compare",
    "compared",
    nargs=2,
    type=PATH,
    metavar="BEFORE AFTER",
    help="Print which causes of findings came, went and changed between two results files.",
)
def report(
    results: tuple[Path, ...],
    compared: tuple[Path, Path] | None,
    scenarios: tuple[Path, ...],
    case: str | None,
    adapter: Path | None,
    **files: Path | None,
) -> None:
    if case is not None:
        _print_issue(case, adapter, scenarios)
        return
    if compared is not None:
        _compare(*compared)
        return
    if not results:
        raise click.MissingParameter(param_type="argument", param_hint="'RESULTS...'")
    wanted = {name: file for name, file in files.items() if file is not None}
    if not wanted:
        hint = "streamproof report out.jsonl --html out.html"
        raise UserError(Problem("there is nothing to write", hint=hint))
    recordings = [read_results(path) for path in results]
    for name, file in wanted.items():
        _write(*_RENDERERS[name](recordings, scenarios), file)
    adapters = gather_by_adapter(recordings)
    incomplete = unfinished(recordings)
    for message in (*incomplete.values(), *differences(recordings)):
        say(message, err=True)
    if incomplete or any(each.differs_from for each in adapters):
        raise click.exceptions.Exit(UserError.exit_code)


def _compare(before: Path, after: Path) -> None:
    """Print what changed in the causes; exits with 1 if one came, with 4 if a run is incomplete."""
    old, new = ([read_results(path)] for path in (before, after))
    changes = compare(old, new)
    for line in (line for change in changes for line in change.lines()):
        say(visible(line))
    counts = Counter(change.what for change in changes)
    say(f"{counts['came']} came, {counts['went']} went, {counts['changed']} changed")
    incomplete = {**unfinished(old), **unfinished(new)}
    for message in incomplete.values():
        say(message, err=True)
    if incomplete:
        raise click.exceptions.Exit(UserError.exit_code)
    if counts["came"]:
        raise click.exceptions.Exit(1)


def _print_issue(case: str, adapter: Path | None, scenarios: Sequence[Path]) -> None:
    """Play a case to an adapter, and print its findings of level must as the text of an issue.

    Raises UserError if it has none.
    """
    if adapter is None:
        hint = f"streamproof report --issue {case} --adapter ADAPTER.YAML"
        raise UserError(Problem("--issue needs the adapter that the case is played to", hint=hint))
    selected, described, binding, result, files = play_named(case, adapter, scenarios)
    if result.transcript and result.transcript.verdict == "broke-protocol":
        hint = f"streamproof adapter check {adapter} shows its messages"
        message = f"{described.name} broke the protocol between it and the kit in {selected}"
        raise UserError(Problem(message, hint=hint))
    reports = _with_proofs(described, str(selected), result.findings)
    if not reports:
        hint = f"streamproof show {selected} --adapter {adapter} shows the run"
        raise UserError(Problem(f"{described.name} does what is right in {selected}", hint=hint))
    say(issue(selected, result, reports, files, binding), nl=False)
    folder = f"streamproof repro {case} --adapter {adapter} --out FOLDER"
    say(f"attach the folder of: {folder}", err=True)
    if not all(proof for _, proof in reports):
        say("not confirmed: a finding in it has no proof; argue the other side", err=True)


def _with_proofs(
    described: Description, case: str, findings: Sequence[Finding]
) -> list[tuple[Finding, Proof | None]]:
    """The findings of level must with their proofs; if some have one, these alone."""
    proofs = {(each.rule, each.kind): each for each in proofs_of(described) if each.case == case}
    reports = [
        (finding, proofs.get((finding.rule, finding.kind.name)))
        for finding in findings
        if finding.level == "must"
    ]
    return [report for report in reports if report[1]] or reports


def _html(recordings: Sequence[Recording], scenarios: Sequence[Path]) -> tuple[bytes, str]:
    catalogue = Catalogue.shipped(*scenarios)
    cells = sum(len(recording.results) for recording in recordings)
    return render_page(recordings, partial(_find_case, catalogue)).encode(), f"{cells} results"


def _find_case(catalogue: Catalogue, id_: str) -> Case:
    try:
        return find_case(id_, catalogue)
    except UserError as error:
        hint = "streamproof report --scenarios FOLDER adds one's own"
        raise UserError(Problem(error.problems[0].message, hint=hint)) from error


def _junit(recordings: Sequence[Recording], _scenarios: Sequence[Path]) -> tuple[bytes, str]:
    rendered = junit(recordings)
    return rendered.xml, ", ".join(f"{count} {name}" for name, count in rendered.counts.items())


def _badge(recordings: Sequence[Recording], _scenarios: Sequence[Path]) -> tuple[bytes, str]:
    rendered = badge(recordings)
    return json.dumps(rendered, indent=2).encode() + b"\n", str(rendered["message"])


def _annotations(recordings: Sequence[Recording], _scenarios: Sequence[Path]) -> tuple[bytes, str]:
    """Failures at lines of adapter.yaml; paths are relative to the workspace, if there is one."""
    tree_of = cache(_tree)

    def place_of(file: str, rule: str, case: str) -> Place:
        tree = tree_of(file)
        return _place_in(tree, rule, case) if tree else Place(file)

    found = annotations_of(recordings, place_of)
    # GitHub counts the paths of files from this folder.
    if workspace := os.environ.get("GITHUB_WORKSPACE"):
        found = [relative(each, lambda file: os.path.relpath(file, workspace)) for each in found]
    lines = [f"{each.command()}\n" for each in found]
    return "".join(lines).encode(), f"{len(lines)} annotations"


# The key of adapter.yaml that a rule is about, by the first word of the rule.
_KEYS = {
    "approval": ("claims", "approvals"),
    "cancel": ("claims", "cancel"),
    "count": ("claims", "count"),
    "finish": ("claims", "finish"),
    "limits": ("claims", "count"),
    "turn": ("claims", "turns"),
    "usage": ("claims", "usage"),
    "citation": ("traits", "annotations"),
    "refusal": ("traits", "refusal"),
    "thinking": ("traits", "reasoning"),
}


def _place_in(tree: Tree, rule: str, case: str) -> Place:
    """The key of adapter.yaml that a rule is about, or else the dialect of the case.

    The cases of claims are called after them, such as ``claims/live``.
    """
    scenario, _, spoken = case.partition("@")
    group, _, claimed = scenario.partition("/")
    key = ("claims", claimed) if group == "claims" else _KEYS.get(rule.partition("-")[0], ())
    if key in tree.keys:
        return tree.key_place(key)
    dialects = list(tree.value.get("dialects", ()))
    dialect = spoken.partition("+")[0]
    if dialect in dialects:
        return tree.place(("dialects", dialects.index(dialect)))
    return tree.key_place(("dialects",))


def _tree(file: str) -> Tree | None:
    """The description of an adapter; None if it cannot be read here."""
    try:
        tree = read_yaml(Path(file))
    except AdapterError:
        return None
    return tree if isinstance(tree.value, dict) else None


# Each returns the bytes to be written, and a description of them.
_RENDERERS: dict[str, Callable[[Sequence[Recording], Sequence[Path]], tuple[bytes, str]]] = {
    "html": _html,
    "junit": _junit,
    "badge": _badge,
    "annotations": _annotations,
}


def _write(data: bytes, description: str, file: Path) -> None:
    if str(file) == "-":
        sys.stdout.buffer.write(data)
        return
    write_file(file, data)
    say(f"wrote {file}: {description}")
