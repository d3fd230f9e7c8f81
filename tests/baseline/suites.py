"""The groups ``bindings`` and ``reference``: adapters that the suite plays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.suite.workbench import reference_adapters
from tests.baseline.line import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = ROOT / "adapters"
# A library may have a binding for each API that it reads, and for each layer that users read.
DESCRIPTIONS = ("adapter.yaml", "chat.yaml", "fullstream.yaml")

# No rule is about speed, so slow libraries have as much time as in `.ci/binding`; on a busy machine
# they may need more.
DEADLINE_MS = os.environ.get("BASELINE_DEADLINE_MS", "12000")
_RAN = (0, 1)


def bindings() -> dict[str, Path]:
    """Every description of a binding, by name; a folder may have several.

    Bindings that need a checkout are not among them.
    """
    every = {_name(path): path for file in DESCRIPTIONS for path in ADAPTERS.glob(f"*/{file}")}
    with_checkout = {path.parent for path in ADAPTERS.glob("*/checkout.json")}
    return {name: path for name, path in sorted(every.items()) if path.parent not in with_checkout}


def _name(description: Path) -> str:
    folder, stem = description.parent.name, description.stem
    return folder if stem == "adapter" else f"{folder}-{stem}"


def references() -> dict[str, Path]:
    """Every description of a reference adapter, by its name."""
    return {adapter.name: adapter.path for adapter in reference_adapters()}


def played(description: Path) -> list[str]:
    """Play an adapter; returns lines with the counts of its cases and with all its findings.

    Raises RuntimeError if the suite did not finish.
    """
    with tempfile.TemporaryDirectory(prefix="baseline-") as folder:
        results = _results(description, Path(folder) / "results.jsonl")
    found = sorted(line_of(each["case"], f) for each in results for f in each["findings"])
    return [_counted(results), *found]


def _results(description: Path, out: Path) -> Sequence[Mapping[str, Any]]:
    command = [sys.executable, "-m", "pytest", "conformance", "-q", "-p", "no:cacheprovider"]
    time = ["--start-deadline", "60000", "--deadline", DEADLINE_MS]
    options = ["--adapter", str(description), "--results", str(out)]
    ran = subprocess.run(
        [*command, *time, *options], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    lines = list(_read(out))
    if ran.returncode not in _RAN or not lines or lines[-1]["kind"] != "footer":
        raise RuntimeError(f"exit {ran.returncode}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return [line for line in lines if line["kind"] == "result"]


def _read(out: Path) -> Iterator[Any]:
    if out.exists():
        yield from map(json.loads, out.read_text("utf-8").splitlines())


def _counted(results: Sequence[Mapping[str, Any]]) -> str:
    counts = dict.fromkeys(("not-applicable", "broken"), 0)
    for each in results:
        if each["status"] in counts:
            counts[each["status"]] += 1
    left_out = ", ".join(f"{count} {status}" for status, count in counts.items())
    return f"# {len(results) - sum(counts.values())} played, {left_out}"
