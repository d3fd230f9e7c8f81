"""The command: ``python -m tests.baseline {write,compare} [GROUP] [NAME …]``."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from tests.baseline import files, unstable
from tests.baseline.groups import GROUPS, chosen, play

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.baseline.groups import Played

    Take = Callable[[str, Played], bool]


def _write(group: str, played: Played) -> bool:
    files.write(group, played.name, played.lines)
    return True


def _compare(group: str, played: Played) -> bool:
    before = files.read(group, played.name)
    found = files.difference(played.name, before, played.lines, unstable.read())
    if found.ignored:
        print(f"{group}/{played.name}: ignored {found.ignored} line(s) that are known as unstable")
    if found:
        print(f"{group}/{played.name}:\n{found}", flush=True)
    return not found


_VERBS: dict[str, Take] = {"write": _write, "compare": _compare}


def _over(group: str, names: Sequence[str], take: Take) -> bool:
    """Play and take up members of a group; is all well?"""
    began, well, lines = time.monotonic(), True, 0
    members = chosen(group, names)
    for played in play(group, members):
        lines += len(played.lines)
        if played.error:
            print(f"{group}/{played.name} could not be played: {played.error}", flush=True)
        well &= not played.error and take(group, played)
        print(f"{played.seconds:7.1f} s  {played.name}", file=sys.stderr, flush=True)
    seconds = time.monotonic() - began
    print(f"{group}: {len(members)} members, {lines} lines, {seconds:.0f} s", flush=True)
    return well


def _gone(group: str) -> bool:
    """Tell of files whose member there is no more."""
    gone = sorted(set(files.kept(group)) - set(chosen(group, ())))
    for name in gone:
        print(f"{group}/{name}: there is no such member any more")
    return bool(gone)


def main() -> int:
    """Returns the exit code: 1 where something differs, or could not be played."""
    parser = argparse.ArgumentParser(prog="python -m tests.baseline")
    parser.add_argument("verb", choices=list(_VERBS))
    parser.add_argument("group", nargs="?", choices=list(GROUPS))
    parser.add_argument("names", nargs="*", metavar="NAME")
    told = parser.parse_args()
    groups = [told.group] if told.group else list(GROUPS)
    well = [_over(group, told.names, _VERBS[told.verb]) for group in groups]
    gone = [_gone(group) for group in groups if not told.names]
    return 0 if all(well) and not any(gone) else 1


if __name__ == "__main__":
    sys.exit(main())
