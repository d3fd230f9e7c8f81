"""Measures the mock server beside its peers, in one run: ``python benchmarks/run.py``.

What is compared is a ratio, because seconds belong to a machine and ratios to the code.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from servers import HERE, Running, aimock, bare, body_of, has_aimock, ours

DELTAS = 200
WORD = "streaming "
TEXT = WORD * DELTAS
CONNECTIONS = {1: 400, 32: 1600, 256: 2560}
PACED = 32
SPACING = 0.010
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """What one server did under one load."""

    name: str
    connections: int
    rate: float
    cpu: float
    first_p50: float
    first_p99: float
    peak: float


def scenarios(folder: Path) -> None:
    """A burst of deltas, and the same at a fixed spacing."""
    (folder / "bench").mkdir(exist_ok=True)
    head = "title: Measured\nturns:\n  - says:\n"
    burst = f"      - text: {json.dumps(TEXT)}\n        in: {DELTAS}\n"
    (folder / "bench/burst.yaml").write_text(head + burst)
    paced = "      - start: {text: t}\n" + "".join(
        f"      - delta: {{t: {json.dumps(WORD)}}}\n      - pause: {SPACING * 1000:g}ms\n"
        for _ in range(DELTAS)
    )
    (folder / "bench/paced.yaml").write_text(head + paced + "      - end: t\n")


def loaded(url: str, connections: int, streams: int, spacing: float = 0.0) -> dict[str, Any]:
    """One load from a process of its own."""
    what = {"url": url, "connections": connections, "streams": streams, "spacing": spacing}
    command = [sys.executable, str(HERE / "load.py"), json.dumps(what)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def measured(server: Running, connections: int, streams: int) -> Row:
    """The median of some rounds; the server is warm before the first."""
    loaded(server.url, connections, connections)
    rates, cpus, firsts = [], [], []
    for _ in range(ROUNDS):
        before = server.cpu()
        result = loaded(server.url, connections, streams)
        rates.append(result["events"] / result["seconds"])
        cpus.append((server.cpu() - before) / result["events"])
        firsts += result["first"]
    firsts.sort()
    return Row(
        server.name,
        connections,
        statistics.median(rates),
        statistics.median(cpus),
        statistics.median(firsts),
        firsts[int(len(firsts) * 0.99)],
        server.peak(),
    )


def contenders(folder: Path, body: Path) -> list[AbstractContextManager[Running]]:
    """Ours, the bare ones, and aimock where Node and the package are here."""
    found = [ours(folder, "bench/burst"), bare("asyncio", body), bare("aiohttp", body)]
    return [*found, aimock(folder, TEXT, len(WORD))] if has_aimock() else found


def drift(folder: Path) -> float:
    """How far paced events are off their schedule: the 99th percentile over the stream's length."""
    with ours(folder, "bench/paced") as server:
        loaded(server.url, PACED, PACED, SPACING)
        result = loaded(server.url, PACED, PACED, SPACING)
    drifts = sorted(result["drifts"])
    return float(drifts[int(len(drifts) * 0.99)]) / (DELTAS * SPACING)


def table(rows: list[Row]) -> str:
    """The figures, each rate as a ratio to ours."""
    own = {row.connections: row.rate for row in rows if row.name == "streamproof"}
    lines = [
        "| connections | server | events/s | ours to it | CPU µs an event | first event p50 ms "
        "| p99 ms | peak MiB |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.connections} | {row.name} "
        f"| {row.rate:,.0f} | {own[row.connections] / row.rate:.2f} "
        f"| {row.cpu * 1e6:.2f} | {row.first_p50 * 1e3:.2f} | {row.first_p99 * 1e3:.2f} "
        f"| {row.peak:.0f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Print a table for this machine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenarios(folder)
        body = folder / "body"
        with ours(folder, "bench/burst") as server:
            body.write_bytes(body_of(server.url))
        rows = []
        for contender in contenders(folder, body):
            with contender as server:
                rows += [measured(server, n, streams) for n, streams in CONNECTIONS.items()]
        rows.sort(key=lambda row: row.connections)
        print(f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}\n")
        print(table(rows))
        print(f"\ndrift of {PACED} streams at {SPACING * 1000:g} ms: {drift(folder):.3%}")


if __name__ == "__main__":
    main()
