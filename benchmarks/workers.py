"""Measures two workers beside one process, in one run: ``python benchmarks/workers.py``.

The load comes from a process of its own and takes its share of the same cores, which lowers the
ratio of streams a second. So the CPU time of a stream is measured too, of every process that takes
part in serving it, Redis included: two cores serve 2 / ratio times the streams of one if clients
have cores of their own.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from load import Load
from run import WORKLOADS, Workload, run_load, write_scenarios
from servers import Running, body_of, ours

CONNECTIONS = 32
SECONDS_A_ROUND = 2.0
ROUNDS = 5


@dataclass(slots=True)
class Row:
    """The figures of one server: streams a second, CPU seconds of a stream, at both ends."""

    name: str
    rates: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    @property
    def cpu(self) -> float:
        return statistics.median(self.cpus)


@contextmanager
def redis(folder: Path) -> Iterator[tuple[str, int]]:
    """A Redis at a socket: its URL, and the id of its process."""
    socket = folder / "redis.sock"
    options = ("--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder))
    process = subprocess.Popen(  # noqa: S603
        ["redis-server", *options],  # noqa: S607
        stdout=subprocess.DEVNULL,
    )
    try:
        yield f"unix://{socket}", process.pid
    finally:
        process.terminate()
        process.wait()


@contextmanager
def contenders(folder: Path, case: str) -> Iterator[list[Running]]:
    """One process, two workers, and two workers that share a Redis where there is one."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(ours(folder, case)),
            stack.enter_context(ours(folder, case, options=("--workers", "2"))),
        ]
        if shutil.which("redis-server"):
            url, pid = stack.enter_context(redis(folder))
            shared = ("--workers", "2", "--shared", url)
            servers.append(stack.enter_context(ours(folder, case, options=shared, beside=(pid,))))
        yield servers


def run_round(server: Running, row: Row, streams: int) -> None:
    """Measure a server for one round and add the figures to its row."""
    before = server.cpu()
    result = run_load(Load(server.url, CONNECTIONS, streams))
    row.rates.append(streams / result.seconds)
    row.cpus.append((server.cpu() - before) / streams)
    row.loads.append(result.cpu / streams)


def compare(servers: list[Running]) -> list[Row]:
    """Measure all servers, in turns, after a warm-up of each."""
    rows = [Row(server.name) for server in servers]
    warm = [run_load(Load(server.url, CONNECTIONS, 10 * CONNECTIONS)) for server in servers]
    streams = int(SECONDS_A_ROUND * 10 * CONNECTIONS / warm[0].seconds)
    for _ in range(ROUNDS):
        for server, row in zip(servers, rows, strict=True):
            run_round(server, row, streams)
    return rows


def table(rows: list[Row]) -> Iterator[str]:
    """The rows of a Markdown table: rates, and what a stream costs, relative to one process."""
    one = rows[0]
    for row in rows:
        yield (
            f"| {row.name} | {row.rate:,.0f} | {row.rate / one.rate:.2f} | {row.cpu * 1e3:.2f} "
            f"| {row.cpu / one.cpu:.2f} | {statistics.median(row.loads) * 1e3:.2f} |"
        )


def measure(folder: Path, work: Workload) -> None:
    """Print the table of one workload."""
    with contenders(folder, work.case) as servers:
        events = body_of(servers[0].url).count(b"data: {")
        print(f"\n{work}, {events} events, {CONNECTIONS} connections\n")
        print("| server | streams/s | to one | server CPU ms a stream | to one | ", end="")
        print("load CPU ms a stream |\n|---|---:|---:|---:|---:|---:|")
        print("\n".join(table(compare(servers))), flush=True)


def main() -> None:
    """Print the tables for this machine."""
    about = {"cores": os.cpu_count(), "load average": os.getloadavg()[0]}
    print(f"{json.dumps(about)}, {platform.system()}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_scenarios(folder)
        for work in WORKLOADS:
            measure(folder, work)


if __name__ == "__main__":
    main()
