"""Measures the mock server beside its peers, in one run: ``python benchmarks/run.py``.

The result is a ratio, because absolute times depend on the machine. The servers take turns within
each round, so that other load on the machine affects all of them. What counts is the median of the
ratios of all rounds.
"""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import servers
from load import Load, Measured
from servers import HERE, Running, body_of, ours

WORD = "streaming "
CONNECTIONS = (1, 32, 256)
EVENTS_A_ROUND = 100_000
ROUNDS = 12
STARTS = 9
PACED, PACED_DELTAS, SPACING = 32, 200, 0.010
CROWD, CROWD_RAMP, CROWD_DELTAS, CROWD_SPACING = 10_000, 10.0, 10, 2.0
JOURNALLED = 1000


@dataclass(frozen=True, slots=True)
class Workload:
    """One answer: a text in so many deltas, followed by ``[DONE]`` or not."""

    deltas: int
    done: bool

    @property
    def text(self) -> str:
        return WORD * self.deltas

    @property
    def case(self) -> str:
        return f"bench/burst-{self.deltas}" + ("" if self.done else "+no-done")

    def __str__(self) -> str:
        return f"{self.deltas} deltas, {'with' if self.done else 'without'} [DONE]"


WORKLOADS = [Workload(deltas, done) for done in (False, True) for deltas in (800, 200)]


@dataclass(slots=True)
class Row:
    """The figures of one server under one load, one of each for a round.

    ``rates`` are streams a second, ``cpus`` and ``loads`` the CPU seconds of a stream at the server
    and at the load, ``first`` the seconds to each first event, and ``peak`` is in MiB.
    """

    name: str
    rates: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    peak: float = 0.0


def write_scenarios(folder: Path) -> None:
    """Write the scenarios: bursts of deltas, and deltas at a fixed spacing."""
    (folder / "bench").mkdir(exist_ok=True)
    head = "title: Measured\nturns:\n  - says:\n"
    for work in WORKLOADS:
        burst = f"      - text: {json.dumps(work.text)}\n        in: {work.deltas}\n"
        (folder / f"bench/burst-{work.deltas}.yaml").write_text(head + burst)
    for name, deltas, spacing in (
        ("paced", PACED_DELTAS, SPACING),
        ("crowd", CROWD_DELTAS, CROWD_SPACING),
    ):
        delta = f"      - delta: {{t: {json.dumps(WORD)}}}\n      - pause: {spacing * 1000:g}ms\n"
        paced = "      - start: {text: t}\n" + delta * deltas + "      - end: t\n"
        (folder / f"bench/{name}.yaml").write_text(head + paced)


def run_load(load: Load) -> Measured:
    """Run one load in a process of its own."""
    command = [sys.executable, str(HERE / "load.py"), json.dumps(asdict(load))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return Measured(**json.loads(done.stdout))


@contextmanager
def contenders(folder: Path, work: Workload) -> Iterator[list[Running]]:
    """Start the servers: ours, bare ones with the same bytes, and aimock if it is installed."""
    with ExitStack() as stack:
        own = stack.enter_context(ours(folder, work.case))
        (body := folder / "body").write_bytes(body_of(own.url))
        others = [servers.bare("asyncio", body), servers.bare("aiohttp", body)]
        if servers.has_aimock():
            others.append(servers.aimock(folder, work.text, len(WORD)))
        if servers.has_uvloop():
            others.append(ours(folder, work.case, "uvloop"))
        yield [own, *map(stack.enter_context, others)]


def compare(servers: list[Running], connections: int, streams: list[int], rounds: int) -> list[Row]:
    """Measure all servers under one load of so many streams for each, in turns."""
    rows = [Row(server.name) for server in servers]
    for _ in range(rounds):
        for server, row, count in zip(servers, rows, streams, strict=True):
            before = server.cpu()
            result = run_load(Load(server.url, connections, count))
            row.rates.append(count / result.seconds)
            row.cpus.append((server.cpu() - before) / count)
            row.loads.append(result.cpu / count)
            row.first += result.first
            row.peak = server.peak()
    return rows


def compare_rates(servers: list[Running], connections: int) -> Iterator[str]:
    """The rows of a Markdown table: each server's figures, and ours relative to its own."""
    events = [body_of(server.url).count(b"data: {") for server in servers]
    for server in servers:
        run_load(Load(server.url, connections, connections))
    streams = [max(2 * connections, EVENTS_A_ROUND // count) for count in events]
    rows = compare(servers, connections, streams, ROUNDS)
    for row, count in zip(rows, events, strict=True):
        first = statistics.quantiles(row.first, n=100)
        to_rate = of_pairs(rows[0].rates, row.rates) * events[0] / count
        to_cpu = of_pairs(rows[0].cpus, row.cpus) * count / events[0]
        yield (
            f"| {row.name} | {max(row.rates) * count:,.0f} | {to_rate:.2f} "
            f"| {min(row.cpus) / count * 1e6:.2f} | {to_cpu:.2f} "
            f"| {first[49] * 1e3:.2f} | {first[98] * 1e3:.2f} | {row.peak:.0f} |"
        )


def of_pairs(ours: list[float], others: list[float]) -> float:
    """The median of the ratios of each round."""
    return statistics.median(our / other for our, other in zip(ours, others, strict=True))


def measure_drift(folder: Path) -> float:
    """How far paced events are off their schedule: the 99th percentile over the stream's length."""
    with ours(folder, "bench/paced") as server:
        load = Load(server.url, PACED, PACED, SPACING)
        run_load(load)
        drifts = run_load(load).drifts
    return statistics.quantiles(drifts, n=100)[98] / (PACED_DELTAS * SPACING)


def measure_crowd(folder: Path) -> Iterator[str]:
    """Open thousands of paced streams; yields the figures in words.

    The last stream is requested long before the first one ends. That a server was late in writing
    is what its journal says of the streams that were requested last, and that it waited is the time
    in which others had the processors.
    """
    with ours(folder, "bench/crowd") as server:
        run_load(Load(server.url, 1, 1, CROWD_SPACING))
        alone, cpu, waited = server.peak(), server.cpu(), server.waited()
        result = run_load(Load(server.url, CROWD, CROWD, CROWD_SPACING, CROWD_RAMP))
        assert result.asked_within < CROWD_DELTAS * CROWD_SPACING
        assert len(result.drifts) == CROWD * CROWD_DELTAS
        entries = servers.journal_of(server.url, JOURNALLED)
        late = [write["late"] for entry in entries for write in entry["writes"]]
        each = (server.peak() - alone) * 1024 / CROWD
        yield f"{CROWD:,} streams at once: {each:.1f} KiB for each"
        for name, times in (("read off schedule", result.drifts), ("written late", late)):
            off = statistics.quantiles(times, n=100)
            yield f"events {name} by p50 {off[49] * 1e3:.1f} ms, p99 {off[98] * 1e3:.1f} ms"
        ran, lost = server.cpu() - cpu, server.waited() - waited
        yield f"the server ran for {ran:.1f} s and waited {lost:.1f} s for a processor"


def _allow_open_files(files: int) -> None:
    """Raise the limit of open files for this process and its children."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, max(files, hard)))


def main() -> None:
    """Print the tables for this machine."""
    _allow_open_files(CROWD + 1000)
    print(f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_scenarios(folder)
        for work in WORKLOADS:
            with contenders(folder, work) as running:
                for connections in CONNECTIONS:
                    print(f"\n{work}, {connections} connections\n")
                    print("| server | events/s | ours to it | CPU µs an event | ", end="")
                    print("ours to it | first event p50 ms | p99 ms | peak MiB |")
                    print("|---|---:|---:|---:|---:|---:|---:|---:|")
                    print("\n".join(compare_rates(running, connections)), flush=True)
        print(f"\ndrift of {PACED} streams at {SPACING * 1000:g} ms: {measure_drift(folder):.3%}")
        print("\n".join(measure_crowd(folder)))
        starts = [servers.start(folder, WORKLOADS[0].case) for _ in range(STARTS)]
        print(f"start to the first stream served: {min(starts):.2f} s", end=", ")
        print(f"median {statistics.median(starts):.2f} s")


if __name__ == "__main__":
    main()
