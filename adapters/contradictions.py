"""Looks for answers that a library reads in two ways: ``python adapters/contradictions.py NAME``.

Each legal answer of the catalogue is asked for twice, as a stream and in one piece, by the program
``twice.py`` or ``twice.mjs`` (for the API of chat completions ``twice-chat``) in the library's own
API. It reads lines of JSON with the ``case``, its ``base_url`` and the ``messages``, ``tools`` and
``options`` of a run in drive/1, and prints for each a line with the ``case`` and the library's
result as ``stream`` and as ``plain``, or an ``error`` in place of one. What differs is printed side
by side, by cause: the place in the result, whatever the order there. Needs the environment of this
project.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from install import HERE, install

import streamproof
from conformance.contract.adapter import Description
from conformance.suite.adapter_yaml import read_description
from conformance.suite.host import first_request
from conformance.suite.offered_tools import tools_of
from conformance.suite.varied_cases import case_for
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import UserError
from mockserver.foundation.visible import visible
from streamproof._commands.cases import find_case

_PROGRAMS = {"twice": "openresponses", "twice-chat": "chat", "twice-gateway": "vercel-gateway"}
_CATALOGUE = Catalogue.shipped()
_RESPONSE = re.compile(r"(resp_|chatcmpl-)[0-9a-f]{32}")
_LONGEST = 300
_SHOWN = 3

Difference = tuple[str, str, str]
"""What the stream has at a place, what the plain answer has there, and in which case."""


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Compares streams with answers in one piece.")
    parser.add_argument("name", metavar="NAME", help="a folder of adapters/")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="by default all legal ones")
    asked = parser.parse_args()
    folder = HERE / asked.name
    programs = [path for stem in _PROGRAMS for path in folder.glob(f"{stem}.*")]
    if not programs:
        sys.exit(f"{folder} has no program that asks twice: {', '.join(_PROGRAMS)} (.py or .mjs)")
    install(folder)
    described = read_description(folder / "adapter.yaml")
    for program in programs:
        results = list(_ask(program, asked.cases or _legal(_PROGRAMS[program.stem], described)))
        causes: dict[str, list[Difference]] = defaultdict(list)
        for result in results:
            for place, streamed, plain in _differences(result):
                causes[place].append((streamed, plain, result["case"]))
        print(f"{asked.name}/{program.name}: {len(causes)} causes in {len(results)} answers")
        for place, found in sorted(causes.items(), key=lambda cause: -len(cause[1])):
            print(f"\n{place or 'the answer'}: {len(found)} answers")
            for streamed, plain, case in found[:_SHOWN]:
                print(f"  {case}\n    stream: {streamed}\n    plain:  {plain}")


def _legal(dialect: str, described: Description) -> list[str]:
    """The cases of one turn with legal streams, as the library's upstream has them."""
    scenarios = [each for each in map(_CATALOGUE.get, _CATALOGUE.ids()) if each]
    spoken = [each for each in scenarios if dialect in each.dialects and len(each.turns) == 1]
    legal = [Case(each, dialect) for each in spoken if each.standing == "legal"]
    return [str(case_for(described, case)) for case in legal]


def _ask(program: Path, cases: list[str]) -> Iterator[dict[str, Any]]:
    """Let the program ask for each case; yields what it prints."""
    python = program.parent / ".venv" / "bin" / "python"
    node = [shutil.which("node") or "node", program.name]
    start = [str(python), "../ask_twice.py", program.stem] if program.suffix == ".py" else node
    with streamproof.serve() as mock:
        origin = mock.base_url.removesuffix("/v1")
        lines = "".join(f"{_question(case, origin)}\n" for case in cases)
        done = subprocess.run(  # noqa: S603
            start, cwd=program.parent, input=lines, stdout=subprocess.PIPE,
            text=True, check=True,
        )  # fmt: skip
    yield from map(json.loads, done.stdout.rstrip("\n").split("\n"))


def _question(id_: str, origin: str) -> str:
    """The first question of a case as a line, with the names of drive/1."""
    try:
        case = find_case(id_, _CATALOGUE)
    except UserError as error:
        sys.exit(str(error))
    asked = {
        "case": id_,
        "base_url": f"{origin}/s/{id_}/v1",
        "messages": list(first_request(case).messages),
        "tools": tools_of(case.scenario),
        "options": dict(case.scenario.host.options),
    }
    return json.dumps(asked)


def _differences(result: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The places at which two results differ, with the values there, each once."""
    streamed, plain = _by_place(result["stream"]), _by_place(result["plain"])
    places = {"error"} & (streamed.keys() | plain.keys()) or streamed.keys() | plain.keys()
    for place in sorted(places):
        one, other = sorted(streamed.get(place, [])), sorted(plain.get(place, []))
        if one != other:
            yield place, _shown(one), _shown(other)


def _by_place(value: Any, place: str = "") -> dict[str, list[str]]:
    """The values at each place of a result, as JSON: {"content.[].text": ['"One"', '"Two"']}.

    The entries of a list share a place. Ids of responses, which the mock makes anew for each, are
    left out.
    """
    if not isinstance(value, dict | list):
        own = value is None or (isinstance(value, str) and _RESPONSE.fullmatch(value))
        return {} if own else {place: [json.dumps(value, ensure_ascii=False)]}
    named = value.items() if isinstance(value, dict) else (("[]", each) for each in value)
    found: dict[str, list[str]] = defaultdict(list)
    for name, each in named:
        for where, values in _by_place(each, f"{place}.{name}".lstrip(".")).items():
            found[where] += values
    return found


def _shown(values: list[str]) -> str:
    text = visible(", ".join(values)) or "nothing"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


if __name__ == "__main__":
    main()
