"""``streamproof judge``: judges recorded runs of an adapter, or a recorded stream."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import click

from mockserver.foundation.faults import Problem, UserError
from streamproof._commands.judge_runs import of_runs
from streamproof._commands.judge_stream import of_stream
from streamproof._commands.judging import Judging
from streamproof._commands.options import scenarios_option, width_option

_HELP = """Say what a recorded run breaks: the timeline, and each finding at its place.

A TRANSCRIPT is one of these, and - is standard input:

\b
- a results file: pytest conformance --results FILE (every run in it is judged)
- one transcript as JSON (schemas/transcript.json), such as jq makes of one of its lines
- the answer of POST /_mock/runs/ID/verdict

With --stream it is the upstream that is judged: what its stream breaks, each response in it by
itself, in the --dialect that is named or recognised. With --profile, a known
deviation of that upstream is printed as an exception and is no finding.

Exit codes: 0 as expected, 1 findings of level must, 4 a file, a scenario or an option is wrong.
"""


@click.command(help=_HELP)
@click.argument("transcripts", nargs=-1, type=click.File("rb"), metavar="[TRANSCRIPT]...")
@click.option(
    "--stream",
    type=click.File("rb"),
    help="Server-sent events as `curl -iN` prints them, or one JSON event a line; - is stdin.",
)
@click.option("--dialect", default="", help="The dialect of a stream; default: as recognised.")
@click.option("--profile", default="", help="Judge a stream as this upstream's: openai, azure, …")
@click.option(
    "--adapter", type=click.Path(path_type=Path), help="An adapter.yaml; its traits count."
)
@click.option(
    "--trait", "declared", multiple=True, metavar="NAME=VALUE", help="A trait; may be repeated."
)
@scenarios_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@width_option
def judge(
    transcripts: tuple[BinaryIO, ...],
    stream: BinaryIO | None,
    dialect: str,
    profile: str,
    adapter: Path | None,
    declared: tuple[str, ...],
    scenarios: tuple[Path, ...],
    as_json: bool,
    width: int | None,
) -> None:
    if bool(transcripts) == bool(stream):
        hint = "streamproof judge out.jsonl, or streamproof judge --stream FILE"
        raise UserError(Problem("name transcripts to judge, or one stream", hint=hint))
    if stream and (adapter or declared or scenarios):
        hint = "leave out --adapter, --trait and --scenarios"
        raise UserError(Problem("a stream is judged by its protocol alone", hint=hint))
    if profile and not stream:
        hint = "streamproof judge --stream FILE --profile NAME"
        raise UserError(Problem("a profile is the contract of a stream, not of a run", hint=hint))
    if dialect and not stream:
        hint = "streamproof judge --stream FILE --dialect NAME"
        raise UserError(Problem("a transcript says itself which dialect it is in", hint=hint))
    if stream:
        code = of_stream(stream, as_json, width, profile, dialect)
    else:
        code = of_runs(transcripts, Judging.by(adapter, declared, scenarios), as_json, width)
    raise click.exceptions.Exit(code)
