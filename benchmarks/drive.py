"""Measures how many trivial runs a second drive/1 takes: ``python benchmarks/drive.py``.

A run is one message to the adapter, one part and one ending back, each checked against its schema,
without an upstream. So this measures the time that the kit itself adds to a run.
"""

import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conformance.drivers.recorder import Recorder
from conformance.drivers.stdio import StdioDriver

WIDTHS = (1, 8)
RUNS = 2_000
ROUNDS = 5

ADAPTER = """
import json, sys

def say(**message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()

ME = {"name": "trivial", "version": "1"}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", protocol=1, adapter=ME, implementation=ME)
    elif message["type"] == "run":
        say(type="part", id=message["id"], n=0, part={"type": "text", "value": "Hello"})
        say(type="done", id=message["id"], outcome="completed")
"""


def message(id_: str) -> dict[str, object]:
    """A ``run`` message as the suite sends it."""
    return {
        "type": "run",
        "id": id_,
        "dialect": "openresponses",
        "base_url": "http://127.0.0.1:4100/r/x/v1",
        "api_key": "sk-mock",
        "model": "mock",
        "messages": [{"role": "user", "content": "Please answer."}],
        "tools": [],
        "options": {"max_retries": 0},
        "deadline_ms": 10_000,
    }


def runs_a_second(driver: StdioDriver, width: int, name: str) -> float:
    """Play ``RUNS`` runs, ``width`` at a time; returns runs a second."""

    def play(n: int) -> str:
        return driver.run(message(f"{name}-{n}"), Recorder()).verdict

    began = time.perf_counter()
    with ThreadPoolExecutor(width) as several:
        verdicts = set(several.map(play, range(RUNS)))
    assert verdicts == {"completed"}, verdicts
    return RUNS / (time.perf_counter() - began)


def main() -> None:
    driver = StdioDriver([sys.executable, "-S", "-E", "-c", ADAPTER], Path.cwd())
    driver.hello()
    for width in WIDTHS:
        rounds = [runs_a_second(driver, width, f"{width}-{n}") for n in range(ROUNDS)]
        print(f"{width} side by side: {statistics.median(rounds):,.0f} runs a second")
    driver.close()


if __name__ == "__main__":
    main()
