"""Moves a binding to the newest releases: ``python adapters/update.py NAME [PACKAGE@RANGE …]``.

Its cases are played with the versions that are pinned and with the newest ones, or the newest in
a range that is given, such as ``ai@6``. What changed is printed by cause; the pins are written, and
the list of known failures is left to whoever reads it. Needs the environment of this project.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from install import HERE, install

_PINNED = re.compile(r"^([\w.-]+)==(\S+)$", re.MULTILINE)
_STREAMPROOF = (sys.executable, "-m", "streamproof")
_LOCK = ("install", "--package-lock-only", "--omit-lockfile-registry-resolved", "--ignore-scripts")


def main() -> int:
    """Run the command; its exit code is that of the comparison: 1 if a failure came."""
    parser = argparse.ArgumentParser(description="Moves a binding to the newest releases.")
    parser.add_argument("name", metavar="NAME", help="a folder of adapters/")
    parser.add_argument("ranges", nargs="*", metavar="PACKAGE@RANGE", help="by default the newest")
    asked = parser.parse_args()
    folder = HERE / asked.name
    ranges = dict(each.rsplit("@", 1) for each in asked.ranges)
    kinds = ((each, kind) for each, kind in _KINDS.items() if (folder / each).exists())
    file, (pinned, newest, pin) = next(kinds, ("", (None, None, None)))
    if not (pinned and newest and pin):
        sys.exit(f"{asked.name} pins no packages of a registry in {folder}")
    before = pinned((folder / file).read_text("utf-8"))
    if unknown := ranges.keys() - before.keys():
        sys.exit(f"{asked.name} does not pin {', '.join(sorted(unknown))}")
    found = {name: newest(name, ranges.get(name, "")) for name in before}
    after = {name: max(version, found[name], key=_order) for name, version in before.items()}
    for name, version in before.items():
        print(f"{name} {version}{'' if version == after[name] else f' → {after[name]}'}")
    if before == after:
        print("nothing is newer")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        olds = _play(folder, Path(scratch) / "before")
        pin(folder, after)
        news = _play(folder, Path(scratch) / "after")
        return max(map(_compare, olds, news))


def _order(version: str) -> list[int]:
    """The numbers of a version; a release comes behind its own candidates."""
    release, *candidate = re.split(r"-|(?<=\d)(?=[a-z])", version)
    numbers = [*map(int, release.split("."))]
    return (
        [*numbers, -1, *map(int, re.findall(r"\d+", candidate[0]))] if candidate else [*numbers, 0]
    )


def _play(folder: Path, out: Path) -> list[Path]:
    """Play the cases of each description of a folder; returns the files of their results."""
    install(folder)
    out.mkdir()
    results = []
    for adapter in sorted(folder.glob("*.yaml")):
        if adapter.stem in ("adapter", "chat", "fullstream"):
            results.append(out / f"{adapter.stem}.jsonl")
            play = ("run", "-q", "--adapter", str(adapter), "--results", str(results[-1]))
            subprocess.run([*_STREAMPROOF, *play], stdout=subprocess.DEVNULL, check=False)  # noqa: S603
    return results


def _compare(before: Path, after: Path) -> int:
    print(f"{after.stem}.yaml:", flush=True)
    command = [*_STREAMPROOF, "report", "--compare", str(before), str(after)]
    return subprocess.run(command, check=False).returncode  # noqa: S603


def _said(command: list[str]) -> str:
    """What a program prints. Exits with its message if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout


def _npm() -> str:
    return shutil.which("npm") or sys.exit("npm is not in PATH")


def _of_node(manifest: str) -> Mapping[str, str]:
    pinned: Mapping[str, str] = json.loads(manifest)["dependencies"]
    return pinned


def _newest_of_node(name: str, range_: str) -> str:
    """The last version that npm has in a range; without one, the one that it installs."""
    found = json.loads(_said([_npm(), "view", f"{name}@{range_ or 'latest'}", "version", "--json"]))
    return str(found[-1] if isinstance(found, list) else found)


def _pin_node(folder: Path, versions: Mapping[str, str]) -> None:
    path = folder / "package.json"
    manifest = json.loads(path.read_text("utf-8")) | {"dependencies": dict(versions)}
    path.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    subprocess.run([_npm(), *_LOCK, "--silent"], cwd=folder, check=True)  # noqa: S603


def _of_python(requirements: str) -> Mapping[str, str]:
    return dict(_PINNED.findall(requirements))


def _newest_of_python(name: str, range_: str) -> str:
    """The newest release that pip finds, of those that begin with a range if there is one."""
    listed = _said([sys.executable, "-m", "pip", "index", "versions", name])
    found = re.search(r"Available versions: (.*)", listed)
    versions = found[1].split(", ") if found else []
    fitting = (each for each in versions if f"{each}.".startswith(f"{range_}." if range_ else ""))
    return next(fitting, None) or sys.exit(f"pip finds no version {range_} of {name}")


def _pin_python(folder: Path, versions: Mapping[str, str]) -> None:
    path = folder / "requirements.txt"
    text = _PINNED.sub(lambda pin: f"{pin[1]}=={versions[pin[1]]}", path.read_text("utf-8"))
    path.write_text(text, "utf-8")


_Kind = tuple[
    Callable[[str], Mapping[str, str]],
    Callable[[str, str], str],
    Callable[[Path, Mapping[str, str]], None],
]
_KINDS: Mapping[str, _Kind] = {
    "requirements.txt": (_of_python, _newest_of_python, _pin_python),
    "package.json": (_of_node, _newest_of_node, _pin_node),
}


if __name__ == "__main__":
    sys.exit(main())
