"""Measures how many mistakes in an adapter the suite finds: ``python benchmarks/mutants.py``.

Mutants are made of the reference adapters, of what they share, and of the event stream decoder.
Each is judged by the cases that execute the changed statement. Exits with 1 if too few are killed,
if too many are declared equivalent, or if an equivalent one was killed.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.mutation import equivalents, table  # noqa: E402
from tests.mutation.judging import Verdict, judge  # noqa: E402
from tests.mutation.making import is_other_program, mutants_of  # noqa: E402
from tests.mutation.mutant import Mutant  # noqa: E402
from tests.mutation.plain_run import plain_run  # noqa: E402
from tests.mutation.suite import FILES, Suite  # noqa: E402

MUTANTS, SEED, JOBS = 400, 1, 2
SURVIVORS = "survivors.diff"


def main() -> int:
    """Run the command."""
    args = _arguments()
    files = [file for file in FILES if args.only in file]
    if not files:
        sys.exit(f"no file that is spoilt has {args.only!r} in its path: {', '.join(FILES)}")
    equivalents.read()  # An error in the file is told before the work.
    mutants = list(_chosen(files, args.seed, args.mutants))
    verdicts: list[Verdict] = []
    with Path(args.survivors).open("w", encoding="utf-8", buffering=1) as so_far:
        for verdict in _judged(mutants, args.jobs):
            verdicts.append(verdict)
            so_far.writelines(f"{each}\n" for each in table.survivors([verdict], []))
    declared = equivalents.read()
    score = table.Score(table.counted(verdicts, declared))
    print("\n".join(table.table(verdicts, declared)))
    Path(args.survivors).write_text("\n".join(table.survivors(verdicts, declared)), "utf-8")
    print(f"seed {args.seed}: {score}\nthe survivors are in {args.survivors}")
    stale = list(table.stale(verdicts, declared))
    print("\n".join(stale), end="\n" if stale else "")
    return 0 if score.is_good and not stale else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python benchmarks/mutants.py", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help="which mutants are drawn")
    parser.add_argument("--mutants", type=int, default=MUTANTS, metavar="N", help="how many")
    parser.add_argument("--only", default="", metavar="FILE", help="only files with this in a path")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N", help="processes at a time")
    parser.add_argument("--survivors", default=SURVIVORS, metavar="FILE", help="write them here")
    return parser.parse_args()


def _chosen(files: list[str], seed: int, count: int) -> Iterator[Mutant]:
    """Mutants of the files, drawn by the seed."""
    every = [mutant for file in files for mutant in mutants_of(file, (ROOT / file).read_bytes())]
    random.Random(seed).shuffle(every)  # noqa: S311
    return islice(filter(is_other_program, every), count)


def _judged(mutants: list[Mutant], jobs: int) -> Iterator[Verdict]:
    """Judge mutants and print the progress on a terminal."""
    began, fates = time.monotonic(), Counter[str]()
    suite = Suite()
    _show(f"playing {len(suite.items)} items to the adapters as they are")
    plain = plain_run(suite)
    for verdict in judge(suite, plain, mutants, jobs):
        fates[verdict.fate] += 1
        counts = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items()))
        seconds = time.monotonic() - began
        _show(f"{fates.total()} of {len(mutants)} mutants: {counts} ({seconds:.0f} s)")
        yield verdict
    _show("")


def _show(progress: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{progress}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
