"""The command ``python -m tests.compare [BASE] [--all]``.

It exits with 0 whatever differs, since a change may be meant, and with 1 if a checkout could not be
played.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_CONDUCTS = ("legal", "deviation", "violation")

Cause = tuple[str, ...]
"""A member, a rule, a kind, and the values that tell causes of this kind apart."""

Findings = dict[Cause, Counter[tuple[int, str, str]]]
"""The findings of each cause: the conduct of the stream as a number, the case, and the level."""


def _git(*words: str) -> str:
    ran = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, encoding="utf-8")
    return ran.stdout.strip() if ran.returncode == 0 else ""


def _default_base() -> str:
    """The commit at which this branch left ``origin/main``, or the parent; empty if it has none."""
    left = _git("merge-base", "HEAD", "origin/main")
    return left if left and left != _git("rev-parse", "HEAD") else _git("rev-parse", "HEAD^")


def _play(checkouts: Sequence[Path], words: Sequence[str]) -> list[Findings]:
    """Play members in checkouts at the same time. Exits if a player crashes."""
    command = [sys.executable, "-m", "tests.compare.play", *words]
    started = [
        subprocess.Popen(
            command,
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout)},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for checkout in checkouts
    ]
    printed = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        sys.exit("a checkout could not be played")
    return [read(lines.splitlines()) for lines in printed]


def read(lines: Sequence[str]) -> Findings:
    found: Findings = {}
    for line in map(json.loads, lines):
        cause = (line["member"], *line["cause"])
        place = (_CONDUCTS.index(line["conduct"]), line["case"], line["level"])
        found.setdefault(cause, Counter())[place] += 1
    return found


def what_differs(before: Findings, after: Findings) -> dict[Cause, str]:
    """The causes that differ, those on legal streams first, and what happened to each in words."""
    old_and_new = {
        cause: (before.get(cause, Counter()), after.get(cause, Counter()))
        for cause in {**before, **after}
    }
    differing = {cause: both for cause, both in old_and_new.items() if both[0] != both[1]}
    first = {cause: min(old + new) for cause, (old, new) in differing.items()}
    in_order = sorted(differing, key=lambda cause: (first[cause], cause))
    return {cause: _what(*differing[cause]) for cause in in_order}


def _what(old: Counter[tuple[int, str, str]], new: Counter[tuple[int, str, str]]) -> str:
    """Whether a cause came, went or changed, its numbers of cases, and one in which it differs."""
    what = "changed" if old and new else "came" if new else "went"
    cases = [str(len({case for _, case, _ in found})) for found in (old, new) if found]
    conduct, case, level = min((new - old) or (old - new))
    streams = f"{_CONDUCTS[conduct]} stream"
    return f"{what}: {' -> '.join(cases)} case(s), such as {case} ({level}, {streams})"


def _compare(base: Path, options: Sequence[str]) -> Iterator[str]:
    """What differs between a checkout and this one, as lines.

    A busy machine ends runs too early, so members that differ are played a second time.
    """
    first = what_differs(*_play((base, ROOT), options))
    members = sorted({cause[0] for cause in first})
    again = what_differs(*_play((base, ROOT), [*options, *members])) if members else {}
    for cause, what in again.items():
        if cause in first:
            member, rule, kind, *same = cause
            yield f"{what}\n    {member}: {' '.join([f'{rule}/{kind}', *same])}"
    if varied := {cause[0] for cause in first.keys() ^ again.keys()}:
        yield f"differed in one of two runs, and not counted: {', '.join(sorted(varied))}"
    yield f"{len(first.keys() & again.keys())} cause(s) differ"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compare")
    parser.add_argument("base", nargs="?", metavar="BASE", default=_default_base())
    parser.add_argument("--all", action="store_true", help="play whole catalogues")
    args = parser.parse_args()
    commit = _git("rev-parse", "--verify", "--quiet", f"{args.base}^{{commit}}")
    if not commit:
        print(f"nothing to compare with: there is no commit {args.base!r} here")
        return 1 if args.base else 0
    print(f"findings of {_git('log', '-1', '--format=%h %s', commit)!r}, and of this checkout:")
    if not _git("ls-tree", commit, "tests/compare/play.py"):
        print("that commit cannot be played: it has no tests/compare/play.py yet")
        return 0
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        base = Path(folder) / "base"
        add = ["git", "-C", str(ROOT), "worktree", "add", "--quiet", "--detach", str(base), commit]
        subprocess.run(add, check=True)
        try:
            for line in _compare(base, ["--all"] if args.all else []):
                print(line, flush=True)
        finally:
            _git("worktree", "remove", "--force", str(base))
    return 0


if __name__ == "__main__":
    sys.exit(main())
