"""Runs the programs of reproductions with the packages of a library, and nothing of the project."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from conformance.contract.adapter import Description
from conformance.contract.proof import Duty, Proof, Shown
from conformance.suite.proofs import proofs_of
from conformance.suite.workbench import Workbench
from streamproof._commands.cases import find_case
from streamproof._commands.repro import binding_of, reproduce, write_files
from tests.docs.findings import ADAPTERS, CATALOGUE, Folder
from tests.docs.pages import ROOT

OURS = ("streamproof", "conformance", "mockserver")
AT_ONCE = 4
# A program that ends takes a few seconds, nearly all of them for its imports, and many times as
# long beside the tests that keep every processor busy. Only one that hangs takes all of these.
SECONDS = 600.0
# How long a program that waits for ever is waited for, after it has printed what it will.
PATIENCE = 3.0
# Words that are quoted may run over so many lines more.
_LINES_OF_DUTY = 12
_INSTALL = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
_RUN = {"repro.py": "python", "repro.mjs": "node"}


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the packages of a library are installed, and the program that runs its programs.

    ``installed`` is the folder that has them. ``extension`` is the folder of a published extension,
    which its program is given.
    """

    home: Path
    interpreter: str
    installed: Path
    extension: str = ""

    def start(self, arguments: Sequence[str], folder: Path) -> subprocess.Popen[str]:
        """Start the interpreter in a folder. What it prints, errors included, is its stdout."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return subprocess.Popen(
            [self.interpreter, *arguments],
            cwd=folder,
            env={**kept, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="backslashreplace",
        )

    def importable(self) -> list[str]:
        """The packages of this project that a program could import."""
        ask = _ASK_PYTHON if "python" in Path(self.interpreter).name else _ASK_NODE
        with self.start(ask, self.home) as process:
            output, _ = process.communicate(timeout=SECONDS)
        found: list[str] = json.loads(output)
        return found


_ASK_PYTHON = (
    "-c",
    "import importlib.util, json\n"
    f"print(json.dumps([name for name in {OURS} if importlib.util.find_spec(name)]))",
)
_ASK_NODE = (
    "--input-type=module",
    "--eval",
    "import { createRequire } from 'node:module';\n"
    "const here = createRequire(process.cwd() + '/repro.mjs');\n"
    "const found = (name) => { try { return here.resolve(name); } catch { return ''; } };\n"
    f"console.log(JSON.stringify({json.dumps(OURS)}.filter(found)));",
)


def environment(library: Folder, home: Path) -> Environment:
    """The packages of a library: the binding's own in Python, in Node installed into ``home``."""
    folder = ADAPTERS / library.name
    if (folder / "requirements.txt").exists():
        _ran([sys.executable, "adapters/install.py", library.name], ROOT)
        (site,) = (folder / ".venv" / "lib").glob("python3*/site-packages")
        return Environment(home, str(folder / ".venv" / "bin" / "python"), site)
    if (place := folder / ".checkout").exists():
        node, extension = shutil.which("node") or "node", place.read_text("utf-8").strip()
        return Environment(home, node, Path(extension), extension)
    _write_project(library, home)
    _ran([shutil.which("npm") or "npm", *_INSTALL[1:]], home)
    return Environment(home, shutil.which("node") or "node", home / "node_modules")


def _write_project(library: Folder, home: Path) -> None:
    """The packages that the programs need, and the binding's lockfile for what those need."""
    files = binding_of(library.bindings[0]).files
    (home / "package.json").write_bytes(files["package.json"])
    lock = ADAPTERS / library.name / "package-lock.json"
    (home / lock.name).write_bytes(lock.read_bytes())


def _ran(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}"


def departures(library: Folder, packages: Environment) -> list[str]:
    """What each proof of a library no longer shows, in words."""
    found: list[str] = []
    for binding in library.bindings:
        if proofs := proofs_of(binding):
            folders = _folders(binding, proofs, packages.home)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                said = pool.map(partial(_departure, packages), proofs, folders)
                found += [f"{binding.name}: {message}" for message in said if message]
    return found


def misquoted(folder: Folder, packages: Environment) -> list[str]:
    """The proofs whose words do not stand at their line of the installed package, in words."""
    proofs = (proof for binding in folder.bindings for proof in proofs_of(binding))
    own = (proof for proof in proofs if proof.duty.kind == "own")
    said = ((proof, _quoted_wrongly(proof.duty, packages.installed)) for proof in own)
    return [f"{proof.place}: {why}" for proof, why in said if why]


def _quoted_wrongly(duty: Duty, installed: Path) -> str:
    """Why the words of a duty are not where it says; empty if they are."""
    path = installed / duty.at
    if not path.is_file():
        return f"{duty.at} is not installed"
    lines = path.read_text("utf-8").splitlines()
    text = " ".join(" ".join(lines[duty.line - 1 : duty.line + _LINES_OF_DUTY]).split())
    missing = [words for words in duty.says.split(" … ") if " ".join(words.split()) not in text]
    return f"line {duty.line} of {duty.at} does not say {missing[0]!r}" if missing else ""


def _folders(binding: Description, proofs: Sequence[Proof], home: Path) -> list[Path]:
    folders = [home / f"{binding.name}-{n}" for n, _ in enumerate(proofs)]
    with Workbench(CATALOGUE, start_seconds=SECONDS) as workbench:
        session = workbench.session(binding)
        for proof, folder in zip(proofs, folders, strict=True):
            case = find_case(proof.case, CATALOGUE)
            _, files = reproduce(session, case, binding_of(binding, proof.case))
            write_files(folder, files)
    return folders


def _departure(packages: Environment, proof: Proof, folder: Path) -> str:
    with _served(folder) as url:
        output, ended = _output(proof, folder, url, packages)
    departure = departure_of(proof.shown, output, ended, last_request(folder))
    message = f"the finding no longer shows: {proof.does} ({proof.case}, {proof.place}): "
    return departure and f"{message}{departure}\n{output[-3000:]}"


def departure_of(shown: Shown, output: str, ended: bool, request: str = "") -> str:
    """The first thing in which a run differs from a proof; empty if it is as described.

    ``request`` is the body of the last request of the run, empty if it made none.
    """
    if missing := _missing(shown.came, output):
        return f"it does not print {missing}"
    if printed := next((text for text in shown.lacks if text in output), ""):
        return f"it prints {printed!r}"
    if ended != shown.ends:
        return "it comes to its end" if ended else "it does not come to its end"
    return _departure_sent(shown, request)


def _departure_sent(shown: Shown, request: str) -> str:
    if not request and (shown.sent or shown.lacks_sent):
        return "it makes no request"
    if missing := _missing(shown.sent, request):
        return f"its last request does not have {missing}"
    present = next((text for text in shown.lacks_sent if text in request), "")
    return f"its last request has {present!r}" if present else ""


def _missing(pieces: Sequence[str], text: str) -> str:
    """The first piece that a text does not have after those before it; empty if it has all."""
    start = 0
    for piece in pieces:
        found = text.find(piece, start)
        if found < 0:
            return f"{piece!r} after {text[:start][-40:]!r}" if start else repr(piece)
        start = found + len(piece)
    return ""


def last_request(folder: Path) -> str:
    """The body of the last request that the server of a folder got; empty if it got none."""
    return folder.joinpath("sent.jsonl").read_text("utf-8").rpartition("\n")[0].rpartition("\n")[2]


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The base URL of the server of a folder, which runs without packages of any kind."""
    bare = [sys.executable, "-I", "-S", str(folder / "server.py")]
    with subprocess.Popen(
        bare, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def _output(proof: Proof, folder: Path, url: str, packages: Environment) -> tuple[str, bool]:
    (program,) = (name for name in _RUN if (folder / name).exists())
    given = [packages.extension] if packages.extension else []
    with packages.start([program, url, *given], folder) as process:
        assert process.stdout
        if proof.shown.ends:
            try:
                return process.communicate(timeout=SECONDS)[0], True
            except subprocess.TimeoutExpired:
                process.kill()
                return process.communicate()[0], False
        return _output_of_waiting(proof, process.stdout, process, folder)


def _output_of_waiting(
    proof: Proof, lines: IO[str], process: subprocess.Popen[str], folder: Path
) -> tuple[str, bool]:
    """Read until the proof's last piece was printed, and see whether the program ends then."""
    output = ""
    for line in lines:
        output += line
        if not departure_of(proof.shown, output, False, last_request(folder)):
            break
    ended = False
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
        ended = True
    process.kill()
    return output + lines.read(), ended
