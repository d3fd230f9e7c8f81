"""Examples of the exceptions of profiles: known deviations of upstreams from a specification."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.dialects.contracts import Contract, contracts_of
from conformance.dialects.recording import read_dump
from conformance.dialects.tables import folders
from conformance.findings.finding import Finding
from conformance.rules.streams import judge_stream
from mockserver.dialects import PROFILES
from tests.stream.tables import Stream, table_of


@dataclass(frozen=True, slots=True)
class Example:
    """A stream with the deviation that an exception of a profile allows.

    ``neighbours`` resemble it and are not allowed, each with the rule that it breaks under the
    profile.
    """

    profile: str
    exception: str
    stream: Stream
    neighbours: tuple[Stream, ...]

    def __str__(self) -> str:
        return f"{self.stream.dialect}-{self.profile}-{self.exception}"


def examples() -> Iterator[Example]:
    """The examples in the tables of all dialects, for heirs of a profile those of both."""
    for example in _written():
        heirs = (
            each.name
            for each in PROFILES
            if (each.dialect, each.inherits) == (example.stream.dialect, example.profile)
        )
        yield from (replace(example, profile=name) for name in (example.profile, *heirs))


def _written() -> Iterator[Example]:
    for table in map(table_of, folders()):
        for profile, exceptions in table.read.get("exceptions", {}).items():
            for exception, held in exceptions.items():
                example = table.stream({"name": exception, **held["example"]})
                rows = ({"name": row["rule"], **row} for row in held["neighbours"])
                neighbours = tuple(table.stream(row, held["example"]) for row in rows)
                yield Example(profile, exception, example, neighbours)


def musts(data: bytes, dialect: str, contract: Contract | None = None) -> list[Finding]:
    """The findings of level must about a recorded stream."""
    dump = read_dump(data, "stream")
    findings = judge_stream(dump.events, dump.framing, dialect, contract)
    return [finding for finding in findings if finding.level == "must"]


def breaks(example: Example, contract: Contract | None = None) -> list[Finding]:
    """The findings about an example that are of level must, or of a rule that it is about."""
    data, dialect = example.stream.data, example.stream.dialect
    dump = read_dump(data, "stream")
    found = judge_stream(dump.events, dump.framing, dialect, contract)
    (about,) = (
        each.rules
        for known in contracts_of(dialect)
        for each in known.exceptions
        if (known.profile.name, each.id) == (example.profile, example.exception)
    )
    return [each for each in found if each.level == "must" or each.rule in about]


def rules(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings}
