"""What only a variation shows about a binding: `python -m tests.adapters.under_variations X`.

Plays the whole catalogue under every variation (`--vary all`, or those that are named) and compares
each case with the same case as it is: a rule that is broken under the variation alone is counted.
The suite's own output is on stderr. Exits with 1 if there is a finding, and as the suite does if it
could not be played.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
PLAYED = (0, 1)
_STDERR = 2

Exposed = Mapping[tuple[str, str], list[str]]
"""The cases that break a rule under a variation alone, by variation and rule."""


def exposed(results: Iterable[Mapping[str, Any]], own: tuple[str, ...] = ()) -> Exposed:
    """What only the variations of some results show; ``own`` are those that are always played."""
    broken = {
        each["case"]: {f["rule"] for f in each["findings"] if f["level"] == "must"}
        for each in results
    }
    found = defaultdict[tuple[str, str], list[str]](list)
    for case, rules in broken.items():
        plain, variation = _split(case, own)
        for rule in sorted(rules - broken.get(plain, set())) if variation else ():
            found[variation, rule].append(case)
    return found


def _split(case: str, own: tuple[str, ...]) -> tuple[str, str]:
    """The case without a variation, and the variation; those that are always played stay."""
    plain, *names = case.split("+")
    kept = 0
    while kept < len(names) and names[kept] in own:
        kept += 1
    return "+".join([plain, *names[:kept]]), "+".join(names[kept:])


def lines(found: Exposed) -> list[str]:
    """A line for each variation and rule: how many cases, and the first of them."""
    ranked = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [f"{v}: {rule} ×{len(cases)}, as in {cases[0]}" for (v, rule), cases in ranked]


def main(adapter: str, *names: str) -> int:
    """Play a binding under variations and print what only they show; returns the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.jsonl"
        vary = [x for name in names or ("all",) for x in ("--vary", name)]
        command = [sys.executable, "-m", "pytest", "conformance", "-q", "-p", "no:cacheprovider"]
        options = ["--start-deadline", "60000", "--adapter", adapter, f"--results={out}", "--tb=no"]
        played = subprocess.run([*command, *options, *vary], cwd=ROOT, stdout=_STDERR, check=False)
        if played.returncode not in PLAYED:
            return played.returncode
        written = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    results = [each for each in written if each["kind"] == "result"]
    described = yaml.safe_load((ROOT / adapter).read_text("utf-8"))
    found = exposed(results, tuple(described.get("upstream", ())))
    print(f"{adapter}: {len(results)} cases; {len(found)} findings that only a variation shows")
    print("\n".join(lines(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
