"""Mutants are killed by findings, crashes, and limits, and survive where nothing is wrong."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.cases.catalogue import Catalogue
from tests.mutation import judging
from tests.mutation.judging import Verdict, judge
from tests.mutation.modules import counting_lines
from tests.mutation.mutant import ROOT, Mutant
from tests.mutation.plain_run import PlainRun
from tests.mutation.process import in_processes
from tests.mutation.suite import Suite

DECODER = "conformance/dialects/client/sse.py"
CASE = "any/text-and-call-interleave@chat"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return Suite(Catalogue.shipped())


@pytest.fixture(scope="module")
def plain(suite: Suite) -> PlainRun:
    """The plain run of one case."""
    numbers = [n for n, item in enumerate(suite.items) if item.id == CASE][:1]
    source = {DECODER: (ROOT / DECODER).read_bytes()}
    with counting_lines(source) as take, suite.playing() as player:
        played = {n: player.play(suite.items[n]) for n in numbers}
        return PlainRun(dict.fromkeys(numbers, take()), played)


def mutant(line: str, becomes: str) -> Mutant:
    """A mutant of the decoder, in which a line is another one."""
    source = (ROOT / DECODER).read_bytes()
    assert source.count(line.encode()) == 1
    start = source.index(line.encode())
    number = source[:start].count(b"\n") + 1
    lines = number, number
    return Mutant(DECODER, "f", "by hand", source, start, start + len(line), becomes, lines, lines)


def judged(suite: Suite, plain: PlainRun, *mutants: Mutant) -> list[Verdict]:
    return list(judge(suite, plain, mutants, jobs=1))


def test_a_mutant_that_loses_data_is_killed_by_a_rule(suite: Suite, plain: PlainRun) -> None:
    (verdict,) = judged(suite, plain, mutant("self._data.append(value)", "pass"))
    assert verdict.fate == "killed"
    assert verdict.why.startswith(f"reference-chat-copilot:{CASE}: ")


def test_a_mutant_that_no_case_shows_survives(suite: Suite, plain: PlainRun) -> None:
    (verdict,) = judged(suite, plain, mutant('value.removeprefix(" ")', 'value.lstrip(" ")'))
    assert (verdict.fate, verdict.items, verdict.otherwise) == ("survived", 1, "")


def test_a_statement_that_no_case_executes_has_no_items(suite: Suite, plain: PlainRun) -> None:
    unseen = 'chunk = chunk.removeprefix(b"\\n")'
    (verdict,) = judged(suite, plain, mutant(unseen, "pass"))
    assert (verdict.fate, verdict.items) == ("survived", 0)


def test_a_mutant_that_cannot_be_imported_is_not_viable(suite: Suite, plain: PlainRun) -> None:
    (verdict,) = judged(suite, plain, mutant("class Decoder:", "class Decoder(Missing):"))
    assert (verdict.fate, "Missing" in verdict.why) == ("unviable", True)


@pytest.mark.parametrize(
    ("becomes", "why"),
    [("while True: pass", "SIGPROF"), ("__import__('os')._exit(3)", "exit 3")],
    ids=["hangs", "ends its process"],
)
def test_a_mutant_that_takes_its_process_down_is_killed(
    suite: Suite, plain: PlainRun, monkeypatch: pytest.MonkeyPatch, becomes: str, why: str
) -> None:
    monkeypatch.setattr(judging, "CPU_SECONDS", 0.5)
    line = "self._data.append(value)"
    verdicts = judged(suite, plain, mutant(line, becomes))
    assert [(each.fate, why in each.why) for each in verdicts] == [("killed", True)]


def test_a_mutant_that_eats_memory_is_killed(suite: Suite, plain: PlainRun) -> None:
    hungry = mutant("self._data.append(value)", "self._data.append('x' * (1 << 34))")
    assert [each.fate for each in judged(suite, plain, hungry)] == ["killed"]


def test_a_process_that_does_not_answer_in_time_is_ended() -> None:
    def work(name: str) -> Any:
        if name == "waits":
            import threading

            threading.Event().wait()
        return name

    done = dict(in_processes(["waits", "answers"], work, jobs=2, seconds=2.0))
    assert (done["answers"].value, done["waits"].why) == ("answers", "took too long")


@pytest.fixture(autouse=True)
def _few_processes_are_left() -> Iterator[None]:
    import multiprocessing

    yield
    assert multiprocessing.active_children() == []
