"""Measures two workers beside one process, in one run: ``python benchmarks/workers.py``.

The load comes from a process of its own and takes its share of the same cores, which lowers the
ratio of streams a second. So the CPU time of a stream is measured too, of every process that takes
part in serving it, Redis included: two cores serve 2 / ratio times the streams of one if clients
have cores of their own.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from load import Load
from run import WORKLOADS, Workload, compare, run_load, write_scenarios
from servers import Running, body_of, ours

CONNECTIONS = 32
SECONDS_A_ROUND = 2.0
ROUNDS = 5


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


def compare_workers(servers: list[Running]) -> Iterator[str]:
    """The rows of a Markdown table: rates, and what a stream costs, relative to one process."""
    warm = [run_load(Load(server.url, CONNECTIONS, 10 * CONNECTIONS)) for server in servers]
    streams = int(SECONDS_A_ROUND * 10 * CONNECTIONS / warm[0].seconds)
    rows = compare(servers, CONNECTIONS, [streams] * len(servers), ROUNDS)
    middle = [[statistics.median(each) for each in (r.rates, r.cpus, r.loads)] for r in rows]
    one_rate, one_cpu, _ = middle[0]
    for row, (rate, cpu, load) in zip(rows, middle, strict=True):
        yield (
            f"| {row.name} | {rate:,.0f} | {rate / one_rate:.2f} | {cpu * 1e3:.2f} "
            f"| {cpu / one_cpu:.2f} | {load * 1e3:.2f} |"
        )


def measure(folder: Path, work: Workload) -> None:
    """Print the table of one workload."""
    with contenders(folder, work.case) as servers:
        events = body_of(servers[0].url).count(b"data: {")
        print(f"\n{work}, {events} events, {CONNECTIONS} connections\n")
        print("| server | streams/s | to one | server CPU ms a stream | to one | ", end="")
        print("load CPU ms a stream |\n|---|---:|---:|---:|---:|---:|")
        print("\n".join(compare_workers(servers)), flush=True)


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
