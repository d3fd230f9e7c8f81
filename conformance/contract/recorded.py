"""Transcripts and results files, read back.

Whoever hands in such a file need not have got it from us. So size and depth are bounded, each value
is held against its contract (``schemas/results.json``, ``schemas/transcript.json``) and its numbers
against one another, and what is wrong is told with the line and the path of the value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from cattrs import BaseValidationError

from conformance.contract.json_values import departures_of
from conformance.contract.results import FORMAT, Result, result_from_json
from conformance.contract.traits import Traits, checked
from conformance.contract.transcript import Transcript, from_json
from mockserver.dialects.aliases import canonical_case
from mockserver.faults import Place, Problem, UserError
from mockserver.json_text import parse
from mockserver.scenario.shape import departures
from mockserver.scenario.source import Tree

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterator

    from mockserver.scenario.source import Path

T = TypeVar("T")

MAX_BYTES = 256 << 20
# A part may be nested 200 levels deep by itself.
MAX_DEPTH = 220

_HINT = "results are written by: pytest conformance --results FILE"


@dataclass(frozen=True, slots=True)
class JsonPlace(Place):
    """A value in a file of JSON: its line, where each line is a value, and its path."""

    path: str = "$"

    def inside(self, key: str) -> JsonPlace:
        """The place of a member."""
        return replace(self, path=f"{self.path}.{key}")

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.path}" if self.line else f"{self.file}: {self.path}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A result, and the line on which it stands."""

    result: Result
    line: int


@dataclass(frozen=True, slots=True)
class Recording:
    """A results file. ``traits`` are those of its adapters, by name.

    ``options`` are, by adapter too, what names it and the scenarios to ``streamproof show``.
    ``exit`` is the exit code of the run; None where the footer is missing, because the run did not
    come to its end.
    """

    file: str
    version: str
    traits: Mapping[str, Traits]
    options: Mapping[str, tuple[str, ...]]
    results: tuple[Recorded, ...]
    counts: Mapping[str, int]
    exit: int | None

    @property
    def incomplete(self) -> str:
        """Why this is not the whole of a run; empty where it is."""
        told = f"{self.file} is incomplete: its run did not come to its end"
        return told if self.exit is None else ""


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run, and the traits that stand in its file, if any do.

    Without a ``transcript`` there is nothing to judge, and ``why`` says why.
    """

    place: JsonPlace
    transcript: Transcript | None
    traits: Traits | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Runs:
    """Every run of a file; ``incomplete`` says why there should be more, empty where not."""

    runs: tuple[Run, ...]
    incomplete: str = ""


def read_results(path: pathlib.Path) -> Recording:
    """Read a results file. Raises UserError where it cannot be read or is none of ours."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    return results_in(data, str(path))


def runs_in(data: bytes, file: str) -> Runs:
    """Every run in a file: a results file, a transcript, or a transcript with what stands beside.

    Raises UserError with the place of what is wrong.
    """
    _bounded(data, file)
    if not _begins_as_results(data):
        return Runs((_document(data, file),))
    recording = results_in(data, file)
    return Runs(tuple(_runs(recording)), recording.incomplete)


def _begins_as_results(data: bytes) -> bool:
    try:
        return _is_header(json.loads(data.partition(b"\n")[0]))
    except (ValueError, RecursionError):
        return False


def _runs(recording: Recording) -> Iterator[Run]:
    for recorded in recording.results:
        result = recorded.result
        place = JsonPlace(recording.file, recorded.line, path="$.transcript")
        told = "; ".join(finding.message for finding in result.findings) or result.why
        why = "" if result.transcript else f"{result.case}: {result.status}: {told}"
        yield Run(place, result.transcript, recording.traits.get(result.adapter), why)


def _document(data: bytes, file: str) -> Run:
    """Results and verdicts have their transcript, and verdicts their traits, inside them."""
    if not data.strip():
        raise UserError(Problem("the file is empty", Place(file), _HINT))
    value = _parsed(data, file, 0)
    if not isinstance(value, dict) or not isinstance(value.get("transcript"), dict):
        tree = _Document(file, value, {}, {})
        return Run(JsonPlace(file), _transcript(tree), None)
    tree = _Document(file, value["transcript"], {}, {}, root="$.transcript")
    traits = value.get("traits")
    declared = None if traits is None else _traits(traits, JsonPlace(file, path="$.traits"))
    return Run(JsonPlace(file, path="$.transcript"), _transcript(tree), declared)


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == "header"


def results_in(data: bytes, file: str) -> Recording:
    """A results file from its bytes. Raises UserError with the line of what is wrong."""
    _bounded(data, file)
    header: dict[str, Any] = {}
    footer: dict[str, Any] = {}
    results: list[Recorded] = []
    for line, value in _lines(data, file):
        tree = _Document(file, value, {}, {}, line)
        header_due = line == 1
        _expect(header_due == _is_header(value), tree, "one header, and it comes first")
        _expect(not footer, tree, "nothing comes after a footer")
        kind = _kind(tree)
        if kind == "header":
            header = value
        elif kind == "footer":
            footer = value
        else:
            results.append(Recorded(_result(tree, header), line))
    _expect(bool(header), _Document(file, {}, {}, {}), "the file is empty")
    return Recording(
        file,
        header["kit"]["version"],
        dict(_adapters(header, file)),
        {adapter["name"]: _options(header, adapter) for adapter in header["adapters"]},
        tuple(results),
        footer.get("counts", {}),
        footer.get("exit"),
    )


def _bounded(data: bytes, file: str) -> None:
    if len(data) > MAX_BYTES:
        raise UserError(Problem(f"more than {MAX_BYTES:,} bytes", Place(file), "hand in a part"))


@dataclass(frozen=True, slots=True)
class _Document(Tree):
    """A JSON value whose places are told as paths below ``root``."""

    line: int = 0
    root: str = "$"

    def place(self, path: Path) -> Place:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        return JsonPlace(self.file, self.line, path=self.root + "".join(steps))

    def key_place(self, path: Path) -> Place:
        return self.place(path[:-1])


def _expect(holds: bool, tree: _Document, message: str) -> None:
    if not holds:
        raise UserError(Problem(f"no results file of ours: {message}", tree.place(()), _HINT))


def _lines(data: bytes, file: str) -> Iterator[tuple[int, Any]]:
    """Each line's value; a last line that was cut off belongs to a run that was."""
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        yield number, _parsed(line, file, number)
    if rest and _whole(rest):
        yield len(lines) + 1, _parsed(rest, file, len(lines) + 1)


def _whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(data: bytes, file: str, line: int) -> Any:
    try:
        return parse(data.decode("utf-8"), MAX_DEPTH)
    except json.JSONDecodeError as error:
        place = Place(file, line or error.lineno, error.colno)
        raise UserError(Problem(f"not JSON: {error.msg}", place, _HINT)) from None
    except ValueError as error:
        place = JsonPlace(file, line)
        raise UserError(Problem(f"not JSON of ours: {error}", place, _HINT)) from None


def _kind(tree: _Document) -> str:
    value = tree.value
    if _is_header(value):
        told = value.get("format")
        _expect(told == FORMAT, tree, f"format {told!r:.20}; this version reads {FORMAT}")
    _departing("results", tree)
    return str(value["kind"])


def _departing(contract: str, tree: _Document) -> None:
    if problems := departures(tree, contract):
        raise UserError(*problems)


def _adapters(header: Mapping[str, Any], file: str) -> Iterator[tuple[str, Traits]]:
    for n, adapter in enumerate(header["adapters"]):
        yield adapter["name"], _traits(adapter["traits"], JsonPlace(file, 1, 0, f"$.adapters[{n}]"))


def _options(header: Mapping[str, Any], adapter: Mapping[str, Any]) -> tuple[str, ...]:
    folders = [option for name in header.get("scenarios", ()) for option in ("--scenarios", name)]
    return ("--adapter", adapter.get("file", "ADAPTER.YAML"), *folders)


def _traits(values: Any, place: Place) -> Traits:
    try:
        return checked(values)
    except UserError as error:
        (problem,) = error.problems
        raise UserError(Problem(problem.message, place, problem.hint)) from None


def _result(tree: _Document, header: Mapping[str, Any]) -> Result:
    value = tree.value
    if value["adapter"] not in [adapter["name"] for adapter in header["adapters"]]:
        message = f"the header has no adapter {value['adapter']!r:.80}"
        raise UserError(Problem(message, tree.place(("adapter",))))
    if value["transcript"] is not None:
        inner = _Document(tree.file, value["transcript"], {}, {}, tree.line, "$.transcript")
        _check_transcript(inner)
        same = {
            "case": canonical_case(value["case"]) == canonical_case(inner.value["case"]),
            "adapter": value["adapter"] == inner.value["adapter"],
        }
        for name in (name for name in same if not same[name]):
            message = "the result and its transcript are not of the same " + name
            raise UserError(Problem(message, inner.place((name,))))
    return _read(result_from_json, tree)


def _transcript(tree: _Document) -> Transcript:
    _check_transcript(tree)
    return _read(from_json, tree)


def _check_transcript(tree: _Document) -> None:
    _departing("transcript", tree)
    if problems := list(_misnumbered(tree)):
        raise UserError(*problems)


def _read(from_value: Callable[[Any], T], tree: _Document) -> T:
    """The value as a dataclass. For JSON Schema 3.0 is an integer; here it is not."""
    try:
        return from_value(tree.value)
    except BaseValidationError as error:
        wrong = departures_of(error, tree.root)
        problems = (Problem(told, JsonPlace(tree.file, tree.line, path=at)) for told, at in wrong)
        raise UserError(*problems) from None


_NUMBERED = ("requests", "parts")


def _misnumbered(tree: _Document) -> Iterator[Problem]:
    """Things are found again by their numbers, so those are their places."""
    value = tree.value
    lists: list[Path] = [(name,) for name in _NUMBERED]
    lists += [("requests", n, "events") for n in range(len(value["requests"]))]
    for path in lists:
        for n, each in enumerate(tree.at(path)):
            if each["n"] != n or isinstance(each["n"], float):
                place = tree.place((*path, n, "n"))
                yield Problem(f"{each['n']} stands where {n} is due: numbers count from 0", place)
                break
