"""``streamproof list``: scenarios by words, dialect, conduct, rule and reports."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import call

OWN = """\
title: {title}
source: [{source}]
{seen}dialects: [{dialect}]
conduct: {conduct}
turns:
  - says:
      - text: Hello
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, title, source, seen, dialect, conduct in (
        (
            "zebra-one",
            "A zebra greets",
            "lm-stream-semantics § 2.2",
            "seen: [{at: zoo/app#7, line: abc, upstream: abc}]\n",
            "chat",
            "legal",
        ),
        ("zebra-two", "Another one", "rfc-00022 § Errors", "", "openresponses", "deviation"),
    ):
        text = OWN.format(title=title, source=source, seen=seen, dialect=dialect, conduct=conduct)
        path = tmp_path / "any" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def listed(folder: Path, *words: str) -> list[dict[str, Any]]:
    called = call("list", "zebra", *words, "--scenarios", str(folder), "--json")
    assert called.code == 0, called.err
    found: list[dict[str, Any]] = json.loads(called.out)
    return found


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ((), ["any/zebra-one", "any/zebra-two"]),
        (("greets",), ["any/zebra-one"]),
        (("ZOO/app",), ["any/zebra-one"]),
        (("--dialect", "openresponses"), ["any/zebra-two"]),
        (("--dialect", "chat"), ["any/zebra-one"]),
        (("--conduct", "deviation"), ["any/zebra-two"]),
        (("--rule", "text-exact"), ["any/zebra-one"]),
        (("--seen",), ["any/zebra-one"]),
    ],
)
def test_scenarios_are_found(folder: Path, words: tuple[str, ...], ids: list[str]) -> None:
    assert [each["id"] for each in listed(folder, *words)] == ids


def test_the_beginning_of_several_dialects_is_all_of_them() -> None:
    found = json.loads(call("list", "stale-name", "--dialect", "vercel", "--json").out)
    dialects = {dialect for each in found for dialect in each["dialects"]}
    assert dialects == {"vercel-gateway", "vercel-fullstream", "vercel-ui"}


def test_in_a_pipe_each_scenario_is_a_line() -> None:
    *lines, empty, _count = call("list", "cut").out.splitlines()
    assert empty == ""
    assert len(lines) > 10
    assert {line.split()[1] for line in lines} <= {"legal", "deviation", "violation"}
    assert [line for line in lines if line != line.rstrip()] == []


def test_they_are_shown_with_conduct_and_title(folder: Path) -> None:
    called = call("list", "zebra", "greets", "--scenarios", str(folder), "--width", "80")
    first, *_, last = called.out.splitlines()
    assert first.split(maxsplit=2) == ["any/zebra-one", "legal", "A zebra greets"]
    assert last == "1 scenario; 'streamproof show ID' plays one"


def test_words_that_no_scenario_has_are_answered_by_similar_ones() -> None:
    *lines, _empty, count = call("list", "truncated").out.splitlines()
    assert "any/cut-inside-text" in {line.split()[0] for line in lines}
    assert count.startswith(f"{len(lines)} scenarios with similar words, since none has these;")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("interleaving", "zebras"), "no scenario is like that"),
        (("--rule", "text-exat"), "did you mean 'text-exact'?"),
        (("--dialect", "klingon"), "no dialect is called 'klingon'"),
        (("--dialect", "vercel-uj"), "did you mean 'vercel-ui'?"),
        (("refsal",), "the nearest are any/refusal"),
        (("heartbeat",), "variations are called so, as in any/refusal+heartbeats: heartbeats"),
    ],
)
def test_what_finds_nothing_is_explained(words: tuple[str, ...], message: str) -> None:
    called = call("list", *words)
    assert called.code == 4
    assert message in called.err
