"""``streamproof repro``: writes a folder that shows the findings of a case without streamproof."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from conformance.contract.adapter import Description
from conformance.report import summary
from conformance.report.reproduction import Binding, Checkout, Files, files_of
from conformance.report.results import Result
from conformance.suite.adapter_yaml import PROGRAM, PROGRAM_SUFFIXES, program_of, read_description
from conformance.suite.proofs import proofs_of
from conformance.suite.session import Session
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.atomic_files import write_folder
from mockserver.foundation.faults import UserError
from mockserver.foundation.visible import say
from streamproof._commands.cases import choose_adapter, find_named_case
from streamproof._commands.options import PATH, check_free, read_bytes, scenarios_option
from streamproof._commands.printing import count_findings, exit_by

_SERVER = Path(__file__).resolve().parent / "reproduction" / "server.py"

_HELP = """Play CASE to an adapter, and write a folder that shows its findings without streamproof.

The folder has a server of one page, which needs Python alone and plays the bytes of the case; the
program in the library's own API that is beside the binding (repro.py or repro.mjs, for NAME.yaml
repro-NAME.py or repro-NAME.mjs, or the one that the file or a proof of the case names), if there is
one; the pinned versions; and a README with what was expected, where that stands, and what came.

Exit codes: 0 no finding of level must, 1 findings, 3 the adapter cannot be driven, 4 wrong usage.
"""


@click.command(help=_HELP)
@click.argument("case")
@click.option("--adapter", required=True, type=PATH, help="Its adapter.yaml.")
@click.option("--out", required=True, type=PATH, help="The folder to write.")
@scenarios_option
def repro(case: str, adapter: Path, out: Path, scenarios: tuple[Path, ...]) -> None:
    check_free(out)
    played = play_named(case, adapter, scenarios)
    findings, binding = played.result.findings, played.binding
    write_files(out, played.files)
    say(f"wrote {out}: {count_findings(findings)}")
    for finding in findings:
        say(summary.of_finding(finding))
    if not binding.program:
        described = played.described
        beside = f"{described.companion(PROGRAM, PROGRAM_SUFFIXES[0])} (or .mjs)"
        say(f"without a program: there is no {described.program or beside}")
    exit_by(findings)


class Played(NamedTuple):
    """A case that was played to an adapter, and the files that show its result again."""

    case: Case
    described: Description
    binding: Binding
    result: Result
    files: Files


def play_named(name: str, adapter: Path, scenarios: Sequence[Path]) -> Played:
    """Play the case that a user names to an adapter."""
    catalogue = Catalogue.shipped(*scenarios)
    description = read_description(adapter)
    case = find_named_case(name, catalogue, description.dialects)
    described = choose_adapter([description], case)
    binding = binding_of(described, str(case))
    with Workbench(catalogue) as workbench:
        result, files = reproduce(workbench.session(described), case, binding)
    return Played(case, described, binding, result, files)


def reproduce(session: Session, selected: Case, binding: Binding) -> tuple[Result, Files]:
    """Play a case to an adapter; returns its result and the files that show it again."""
    result = replace(run(session, selected), implementation=session.implementation)
    return result, files_of(selected, result, _SERVER.read_bytes(), binding)


def binding_of(described: Description, case: str = "") -> Binding:
    """The program and the pinned versions of a binding. Raises UserError if one is unreadable.

    A case whose proof names a program has that one.
    """
    program = _program_of_proof(described, case) or program_of(described)
    files = _versions(described.path.parent)
    if program is None:
        return Binding("", files)
    name = f"{PROGRAM}{program.suffix}"
    checkout = _checkout(described.path.parent / "checkout.json")
    return Binding(name, {name: read_bytes(program), **files}, checkout)


def _program_of_proof(described: Description, case: str) -> Path | None:
    """The program that the proofs of a case name; None if they name none."""
    names = (proof.program for proof in proofs_of(described) if proof.case == case)
    name = next(filter(None, names), "")
    return described.path.with_name(name) if name else None


def _checkout(path: Path) -> Checkout | None:
    """The checkout that the program of an extension is given; None for a library."""
    if not path.is_file():
        return None
    try:
        named = json.loads(read_bytes(path))
        return Checkout(*(str(named[key]) for key in ("repository", "commit", "folder")))
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} does not name a checkout: {error}") from error


def _versions(folder: Path) -> dict[str, bytes]:
    """The file of versions of a binding; ``repro.json`` adds packages that only programs need."""
    if (python := folder / "requirements.txt").is_file():
        return {python.name: read_bytes(python)}
    if not (node := folder / "package.json").is_file():
        return {}
    more = folder / "repro.json"
    packages = _dependencies(node) | (_dependencies(more) if more.is_file() else {})
    module = {"private": True, "type": "module", "dependencies": packages}
    if overrides := json.loads(read_bytes(node)).get("overrides"):
        module["overrides"] = overrides
    return {node.name: json.dumps(module, indent=2).encode() + b"\n"}


def _dependencies(path: Path) -> dict[str, str]:
    try:
        found = json.loads(read_bytes(path)).get("dependencies", {})
        return {str(name): str(version) for name, version in found.items()}
    except (ValueError, AttributeError) as error:
        raise UserError(f"{path} has no dependencies that can be read: {error}") from error


def write_files(out: Path, files: Files) -> None:
    """Write each file under a name that is new; a link or a file in its place is an error."""

    def fill(folder: Path) -> None:
        for name, data in files.items():
            (folder / name).write_bytes(data)

    write_folder(out, fill)
