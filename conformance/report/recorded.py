"""Reads transcripts and results files.

The files may come from anyone. So size and depth are limited, each value is validated against its
schema (``schemas/results.json``, ``schemas/transcript.json``), the numbers of requests, events and
parts are checked, and each problem is reported with the line and the path of the value.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from cattrs import BaseValidationError

from conformance.contract.adapter import CLAIMS_NOTHING, Claims
from conformance.contract.json_values import errors_in, structure
from conformance.contract.traits import Traits, parse_traits
from conformance.contract.transcript import Transcript, from_json
from conformance.findings.words import message_of
from conformance.report.results import FORMAT, Result, result_from_json
from mockserver.foundation.faults import Place, Problem, UserError
from mockserver.foundation.json_text import parse
from mockserver.scenario.shape import check_shape
from mockserver.scenario.source import Path, Tree

T = TypeVar("T")

MAX_BYTES = 256 << 20
# A part alone may have 200 levels.
MAX_DEPTH = 220

_HINT = "results are written by: pytest conformance --results FILE"


@dataclass(frozen=True, slots=True)
class JsonPlace(Place):
    """The place of a value in a JSON file: its path, and in JSON Lines its line (0 otherwise)."""

    path: str = "$"

    def inside(self, key: str) -> JsonPlace:
        """The place of a member of the value."""
        return replace(self, path=f"{self.path}.{key}")

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.path}" if self.line else f"{self.file}: {self.path}"


@dataclass(frozen=True, slots=True)
class Recording:
    """The content of a results file, with the results by their lines.

    ``traits``, ``claims`` and ``options`` are by the names of the adapters; the options are those
    with which ``streamproof show`` finds the adapter and its scenarios. ``exit`` is the exit code
    of the run; None if the file has no footer, because the run was interrupted.
    """

    file: str
    version: str
    traits: Mapping[str, Traits]
    claims: Mapping[str, Claims]
    options: Mapping[str, tuple[str, ...]]
    results: Mapping[int, Result]
    counts: Mapping[str, int]
    exit: int | None

    @property
    def incomplete(self) -> str:
        """The message for a file that lacks a part of its run; empty if it is complete."""
        message = f"{self.file} is incomplete: its run did not come to its end"
        return message if self.exit is None else ""


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run, with the traits and claims of its adapter if the file has them.

    ``why`` gives the reason if there is no ``transcript``, so that the run cannot be judged.
    """

    place: JsonPlace
    transcript: Transcript | None
    traits: Traits | None
    why: str = ""
    claims: Claims = CLAIMS_NOTHING


@dataclass(frozen=True, slots=True)
class Runs:
    """Every run of a file; ``incomplete`` says why some are missing, and is empty if none are."""

    runs: tuple[Run, ...]
    incomplete: str = ""


def read_results(path: pathlib.Path) -> Recording:
    """Read a results file. Raises UserError if it cannot be read or is not a results file."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    return parse_results(data, str(path))


def parse_runs(data: bytes, file: str) -> Runs:
    """Parse every run of a results file, of a transcript, or of a JSON object with a transcript.

    Such an object is a result or a verdict. Raises UserError with the place of each problem.
    """
    _check_size(data, file)
    try:
        is_recording = _is_header(json.loads(data.partition(b"\n")[0]))
    except (ValueError, RecursionError):
        is_recording = False
    if not is_recording:
        return Runs((_document(data, file),))
    recording = parse_results(data, file)
    return Runs(tuple(_runs(recording)), recording.incomplete)


def _runs(recording: Recording) -> Iterator[Run]:
    for line, result in recording.results.items():
        place = JsonPlace(recording.file, line, path="$.transcript")
        reason = "; ".join(message_of(finding) for finding in result.findings) or result.why
        why = "" if result.transcript else f"{result.case}: {result.status}: {reason}"
        adapter = result.adapter
        traits, claims = recording.traits.get(adapter), recording.claims[adapter]
        yield Run(place, result.transcript, traits, why, claims)


def _document(data: bytes, file: str) -> Run:
    """The run in a single JSON value: a transcript, or a result or verdict that contains one.

    Only verdicts have traits.
    """
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


def parse_results(data: bytes, file: str) -> Recording:
    """Parse a results file. Raises UserError with the line of the problem."""
    _check_size(data, file)
    header: dict[str, Any] = {}
    footer: dict[str, Any] = {}
    results: dict[int, Result] = {}
    for line, value in _lines(data, file):
        tree = _Document(file, value, {}, {}, line)
        _expect((line == 1) == _is_header(value), tree, "one header, and it comes first")
        _expect(not footer, tree, "nothing comes after a footer")
        if _is_header(value):
            given = value.get("format")
            _expect(given == FORMAT, tree, f"format {given!r:.20}; this version reads {FORMAT}")
        _check_schema("results", tree)
        kind = value["kind"]
        if kind == "header":
            header = value
        elif kind == "footer":
            footer = value
        else:
            results[line] = _result(tree, header)
    _expect(bool(header), _Document(file, {}, {}, {}), "the file is empty")
    return Recording(
        file,
        header["kit"]["version"],
        {
            each["name"]: _traits(each["traits"], JsonPlace(file, 1, 0, f"$.adapters[{n}]"))
            for n, each in enumerate(header["adapters"])
        },
        {
            each["name"]: structure(dict.fromkeys(each.get("reports", ()), True), Claims)
            for each in header["adapters"]
        },
        {each["name"]: _options(header, each) for each in header["adapters"]},
        results,
        footer.get("counts", {}),
        footer.get("exit"),
    )


def _check_size(data: bytes, file: str) -> None:
    if len(data) > MAX_BYTES:
        raise UserError(Problem(f"more than {MAX_BYTES:,} bytes", Place(file), "hand in a part"))


@dataclass(frozen=True, slots=True)
class _Document(Tree):
    """A JSON value whose places are reported as paths that begin with ``root``."""

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
    """The number and value of each line; an incomplete last line is skipped."""
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        yield number, _parsed(line, file, number)
    if rest and _is_json(rest):
        yield len(lines) + 1, _parsed(rest, file, len(lines) + 1)


def _is_json(line: bytes) -> bool:
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


def _check_schema(contract: str, tree: _Document) -> None:
    if problems := check_shape(tree, contract):
        raise UserError(*problems)


def _options(header: Mapping[str, Any], adapter: Mapping[str, Any]) -> tuple[str, ...]:
    folders = [option for name in header.get("scenarios", ()) for option in ("--scenarios", name)]
    return ("--adapter", adapter.get("file", "ADAPTER.YAML"), *folders)


def _traits(values: Any, place: Place) -> Traits:
    try:
        return parse_traits(values)
    except UserError as error:
        (problem,) = error.problems
        raise UserError(replace(problem, place=place)) from None


def _result(tree: _Document, header: Mapping[str, Any]) -> Result:
    value = tree.value
    if value["adapter"] not in [adapter["name"] for adapter in header["adapters"]]:
        message = f"the header has no adapter {value['adapter']!r:.80}"
        raise UserError(Problem(message, tree.place(("adapter",))))
    if value["transcript"] is not None:
        inner = _Document(tree.file, value["transcript"], {}, {}, tree.line, "$.transcript")
        _check_transcript(inner)
        for name in ("case", "adapter"):
            if value[name] != inner.value[name]:
                message = f"the result and its transcript are not of the same {name}"
                raise UserError(Problem(message, inner.place((name,))))
    return _read(result_from_json, tree)


def _transcript(tree: _Document) -> Transcript:
    _check_transcript(tree)
    return _read(from_json, tree)


def _check_transcript(tree: _Document) -> None:
    _check_schema("transcript", tree)
    if problems := list(_misnumbered_items(tree)):
        raise UserError(*problems)


def _read(from_value: Callable[[Any], T], tree: _Document) -> T:
    """Build a dataclass from the value. Rejects 3.0 for an integer, which JSON Schema accepts."""
    try:
        return from_value(tree.value)
    except BaseValidationError as error:
        wrong = errors_in(error, tree.root)
        problems = (Problem(text, JsonPlace(tree.file, tree.line, path=at)) for text, at in wrong)
        raise UserError(*problems) from None


_NUMBERED = ("requests", "parts")


def _misnumbered_items(tree: _Document) -> Iterator[Problem]:
    """Requests, parts and events whose number ``n`` is not their index.

    Findings refer to them by number.
    """
    value = tree.value
    lists: list[Path] = [(name,) for name in _NUMBERED]
    lists += [("requests", n, "events") for n in range(len(value["requests"]))]
    for path in lists:
        for n, each in enumerate(tree.at(path)):
            if each["n"] != n or isinstance(each["n"], float):
                place = tree.place((*path, n, "n"))
                yield Problem(f"{each['n']} stands where {n} is due: numbers count from 0", place)
                break
