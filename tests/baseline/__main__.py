"""The command: ``python -m tests.baseline {write,compare} [GROUP] [NAME …]``."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from tests.baseline import files, unstable
from tests.baseline.groups import GROUPS, chosen, play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.baseline.files import Difference
    from tests.baseline.groups import Played


def _write(group: str, names: Sequence[str]) -> bool:
    """Play members of a group and write their findings; returns whether all could be played."""
    played = list(_play(group, names))
    for each in played:
        if not each.error:
            files.write(group, each.name, each.lines)
    return not any(each.error for each in played)


def _compare(group: str, names: Sequence[str]) -> bool:
    """Play members of a group and print new and missing findings; returns whether there are none.

    A machine under load ends a run too early, and some libraries race when they are cancelled. So
    a member that differs is played a second time, and what differs both times is printed.
    """
    first = {each.name: each for each in _play(group, names)}
    suspects = [name for name, each in first.items() if each.error or _difference(group, each)]
    again = {each.name: each for each in _play(group, suspects)}
    for name in sorted(again):
        differs = _difference(group, again[name])
        if not first[name].error:
            differs = files.common(_difference(group, first[name]), differs)
        if again[name].error or differs:
            print(f"{group}/{name}:\n{again[name].error or differs}", flush=True)
        else:
            once = first[name].error or _difference(group, first[name])
            print(f"{group}/{name}: it differed, and when it was played again no more:\n{once}")
            suspects.remove(name)
    ignored = sum(_difference(group, each).ignored for each in first.values())
    print(f"{group}: ignored {ignored} line(s) that differ and are known as unstable")
    return not suspects


def _play(group: str, names: Sequence[str]) -> Iterator[Played]:
    """Play members of a group, and print the time that each took."""
    began, lines = time.monotonic(), 0
    for played in play(group, names) if names else ():
        lines += len(played.lines)
        error = f": could not be played: {played.error}" if played.error else ""
        print(f"{played.seconds:7.1f} s  {played.name}{error}", file=sys.stderr, flush=True)
        yield played
    seconds = time.monotonic() - began
    print(f"{group}: {len(names)} members, {lines} lines, {seconds:.0f} s", flush=True)


def _difference(group: str, played: Played) -> Difference:
    before = files.read(group, played.name)
    return files.difference(played.name, before, played.lines, unstable.read())


_VERBS: dict[str, Callable[[str, Sequence[str]], bool]] = {"write": _write, "compare": _compare}


def _gone(group: str) -> bool:
    """Print the baseline files of members that no longer exist; returns whether there are any."""
    gone = sorted(set(files.kept(group)) - set(chosen(group, ())))
    for name in gone:
        print(f"{group}/{name}: there is no such member any more")
    return bool(gone)


def main() -> int:
    """Run the command; returns 1 if findings differ or a member could not be played, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.baseline")
    parser.add_argument("verb", choices=list(_VERBS))
    parser.add_argument("group", nargs="?", choices=list(GROUPS))
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    groups = [args.group] if args.group else list(GROUPS)
    well = [_VERBS[args.verb](group, chosen(group, args.names)) for group in groups]
    gone = [_gone(group) for group in groups if not args.names]
    return 0 if all(well) and not any(gone) else 1


if __name__ == "__main__":
    sys.exit(main())
