"""Measures ``streamproof lint`` beside loading the same YAML: ``python benchmarks/lint.py``.

The result is a ratio, because absolute times depend on the machine. Each file has 5,000 deltas: one
is a script of a dialect's own events, the other is played in every dialect that can express it.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from click.testing import CliRunner

from mockserver.cases import catalogue
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.scenario.source import LOADER
from streamproof._commands.lint import lint

EVENTS = 5_000
ROUNDS = 7
WORD = "streaming "

HEAD = "title: Five thousand deltas\nsource: [semantics § TEXT-ONLY]\nturns:\n"
SENDS = (
    "  - sends:\n      - response.created\n"
    "      - response.output_item.added: {item: {type: message}}\n"
    "      - response.content_part.added: {part: {type: output_text}}\n"
    + f"      - response.output_text.delta: {{delta: '{WORD}'}}\n"
    * EVENTS
    + "      - response.output_text.done\n      - response.content_part.done\n"
    "      - response.output_item.done\n      - response.completed\n"
    f"    expect: {{parts: [{{text: '{WORD * EVENTS}'}}]}}\n"
)
SAYS = (
    "  - says:\n      - start: {text: t}\n"
    + f"      - delta: {{t: '{WORD}'}}\n" * EVENTS
    + "      - end: t\n"
)
FILES = {"openresponses/sends": SENDS, "any/says": SAYS}


def seconds(act: Callable[[Path], object], file: Path) -> float:
    """The processor time of a call."""
    began = time.process_time()
    act(file)
    return time.process_time() - began


def loaded(file: Path) -> None:
    """Load a file as plain YAML."""
    yaml.load(file.read_bytes(), Loader=LOADER)  # noqa: S506 (a safe one)


def checked(file: Path) -> None:
    """Lint a file, which is read again."""
    catalogue._loaded.cache_clear()
    result = CliRunner().invoke(lint, [str(file)])
    assert result.output == "1 scenario, no problems\n", result.output


def sent(file: Path, id_: str) -> int:
    """The number of events that a file sends, in all of its dialects together."""
    scenario = catalogue.read_file(file, id_)
    return sum(len(render(Case(scenario, name), 0).plan.sent) for name in scenario.dialects)


def main() -> None:
    """Print a table for this machine; lint and the loader take turns."""
    print("| file | events sent | lint to loading | µs an event sent |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        for id_, turns in FILES.items():
            file = Path(name, f"{id_}.yaml")
            file.parent.mkdir()
            file.write_text(HEAD + turns)
            checked(file)
            pairs = [(seconds(checked, file), seconds(loaded, file)) for _ in range(ROUNDS)]
            ours = statistics.median(mine for mine, _ in pairs)
            ratio = statistics.median(mine / plain for mine, plain in pairs)
            events = sent(file, id_)
            print(f"| {id_} | {events:,} | {ratio:.1f} | {ours / events * 1e6:.0f} |")


if __name__ == "__main__":
    main()
