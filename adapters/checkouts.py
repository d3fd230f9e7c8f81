"""Bindings of extensions that no registry has: they use a checkout which is already built.

The folder of such a binding has a ``checkout.json``: the repository, the commit at which its
findings were seen, the folder of the extension, and the extension's name and version. Where a
checkout is on this machine stands in ``.checkout`` beside it, a file that is not committed.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

DESCRIPTION, PLACE = "checkout.json", ".checkout"


def needs_checkout(folder: Path) -> bool:
    """Whether a binding uses a checkout."""
    return (folder / DESCRIPTION).exists()


def is_here(folder: Path) -> bool:
    """Whether the checkout of a binding is on this machine, as far as its place says."""
    place = folder / PLACE
    return place.exists() and Path(place.read_text("utf-8").strip()).is_dir()


def why_not_run(folder: Path) -> str:
    """Why a binding cannot be run; empty if it can."""
    if not needs_checkout(folder) or is_here(folder):
        return ""
    wanted = json.loads(folder.joinpath(DESCRIPTION).read_text("utf-8"))
    return (
        f"not run: no checkout of {wanted['repository']} at {wanted['commit'][:12]} is known; "
        f"build it, then: python adapters/install.py {folder.name} --checkout PATH"
    )


def use_checkout(folder: Path, checkout: Path) -> None:
    """Record where the checkout is, if it is the right one; exits with a message if not."""
    wanted = json.loads(folder.joinpath(DESCRIPTION).read_text("utf-8"))
    extension = checkout / wanted["folder"]
    if problem := _problem(wanted, checkout, extension):
        sys.exit(f"{folder.name}: {checkout} {problem}")
    folder.joinpath(PLACE).write_text(f"{extension.resolve()}\n", "utf-8")


def _problem(wanted: dict[str, str], checkout: Path, extension: Path) -> str:
    """What is wrong with a checkout; empty if nothing is."""
    manifest = extension / "package.json"
    if not manifest.is_file():
        return f"has no {wanted['folder']}/package.json"
    is_commit = _git(checkout, "rev-parse", "HEAD")
    if is_commit != wanted["commit"]:
        return f"is at the commit {is_commit or '(none)'}, not at {wanted['commit']}"
    if changed := _git(checkout, "status", "--porcelain", "--untracked-files=no"):
        return f"is changed: {changed.splitlines()[0].strip()}"
    read = json.loads(manifest.read_text("utf-8"))
    named = f"{read.get('publisher')}.{read.get('name')} {read.get('version')}"
    if named != f"{wanted['extension']} {wanted['version']}":
        return f"has the extension {named}, not {wanted['extension']} {wanted['version']}"
    main = Path(wanted["folder"], read.get("main", ""))
    if not any((checkout / f"{main}{suffix}").is_file() for suffix in ("", ".js", ".cjs", ".mjs")):
        return f"is not built: it has no {main.as_posix()}; its own scripts make it"
    return ""


def _git(checkout: Path, *arguments: str) -> str:
    command = [shutil.which("git") or "git", "-C", str(checkout), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 (an argument list, no shell)
