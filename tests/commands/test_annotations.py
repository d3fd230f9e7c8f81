"""``streamproof report --annotations``: errors at lines of adapter.yaml, as GitHub reads them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conformance.findings.finding import Finding
from tests.commands import streamproof
from tests.findings.made import found
from tests.suite.recordings import footer, header, result, written

ADAPTER = """\
name: mine
drive: {exec: [cat]}
dialects:
  - chat
  - openresponses
vocabulary: vscode
traits:
  refusal: text
claims:
  turns: true
  cancel: true
"""


@dataclass(frozen=True)
class Shown:
    """An error as GitHub's runner reads it."""

    properties: dict[str, str]
    message: str


def read(command: str) -> Shown:
    """Reads a workflow command by the rules of the runner's ``ActionCommand.cs``."""
    found = re.fullmatch("::error (.*?)::(.*)", command)
    assert found
    pairs = (pair.split("=", 1) for pair in found[1].split(","))
    properties = {name: unescaped(value, ":%3A", ",%2C") for name, value in pairs}
    return Shown(properties, unescaped(found[2]))


def unescaped(text: str, *more: str) -> str:
    for each in ("\r%0D", "\n%0A", *more, "%%25"):
        text = text.replace(each[1:], each[0])
    return text


def finding(rule: str, message: str = "it is wrong") -> Finding:
    return found(rule, "must", message, "what is right", "rfc")


def failed(rule: str, message: str = "it is wrong", case: str = "own/one@openresponses") -> Any:
    return result(None, "failed", finding(rule, message), case=case)


def annotated(
    folder: Path, *results: Any, complete: bool = True, **environment: str
) -> list[Shown]:
    folder.joinpath("adapter.yaml").write_text(ADAPTER, "utf-8")
    head = header()
    head["adapters"][0]["file"] = "adapter.yaml"
    lines = [head, *results, *([footer(1)] if complete else [])]
    folder.joinpath("out.jsonl").write_bytes(written(*lines))
    words: list[str | Path] = ["report", "out.jsonl", "--annotations", "errors"]
    ran = streamproof({"": words}, folder, **environment)[""]
    assert ran.code == (0 if complete else 4), ran.text
    return [read(line) for line in folder.joinpath("errors").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("rule", "case", "line"),
    [
        ("call-once", "own/one@openresponses", 5),
        ("call-once", "own/one@chat+crlf", 4),
        ("refusal-routed", "own/one@chat", 8),
        ("thinking-routed", "own/one@chat", 4),
        ("turn-tools", "own/one@chat", 10),
        ("cancel-stops", "own/one@chat", 11),
        ("claims-kept", "claims/cancel", 11),
        ("claims-kept", "claims/live", 3),
    ],
)
def test_a_failure_is_shown_at_its_line(tmp_path: Path, rule: str, case: str, line: int) -> None:
    (shown,) = annotated(tmp_path, failed(rule, case=case))
    assert (shown.properties["file"], shown.properties["line"]) == ("adapter.yaml", str(line))


def test_a_cause_is_one_error_however_many_cases_show_it(tmp_path: Path) -> None:
    many = [failed("call-once", f"twice in {n}", f"own/{n}@chat") for n in range(8)]
    first, second = annotated(tmp_path, failed("end-once"), *many)
    assert first.properties["title"] == "mine: call-once/made-up"
    assert first.message.splitlines() == [
        "own/0@chat: twice in 0",
        "right: what is right",
        "also in own/1@chat, own/2@chat, own/3@chat, own/4@chat, own/5@chat, and 2 more",
        "streamproof show own/0@chat --adapter adapter.yaml",
    ]
    assert second.properties["title"] == "mine: end-once/made-up"


def test_what_passes_or_is_known_is_no_error(tmp_path: Path) -> None:
    known = result(None, "known", finding("call-once"), case="own/one@chat")
    should = found("text-exact", "should", "it is late", "earlier", "rfc")
    passed = result(None, "passed", should, case="own/two@chat")
    assert annotated(tmp_path, known, passed) == []


def test_what_a_message_holds_cannot_begin_another_command(tmp_path: Path) -> None:
    evil = "50% of\r\n::set-output name=a::b,c:d\x1b[31m"
    (shown,) = annotated(tmp_path, failed("call-once", evil))
    assert shown.message.splitlines()[0].startswith("own/one@openresponses: 50% of")
    assert "\x1b" not in shown.message
    (line,) = tmp_path.joinpath("errors").read_text("utf-8").splitlines()
    assert line.startswith(
        "::error file=adapter.yaml,line=5,col=5,title=mine%3A call-once/made-up::own/one"
    )
    assert "50%25 of" in line


def test_a_listed_failure_that_passes_is_at_its_entry(tmp_path: Path) -> None:
    why = "lists/mine.yaml:7:3: listed as a known failure of call-once, but it does not fail so"
    place = {"file": "lists/mine.yaml", "line": 7, "column": 3}
    line = result(None, "failed", case="own/one@chat", why=why) | {"place": place}
    (shown,) = annotated(tmp_path, line)
    assert shown.properties == {"file": "lists/mine.yaml", "line": "7", "col": "3", "title": "mine"}
    assert shown.message.startswith("listed as a known failure")


def test_the_tenth_error_names_those_that_are_left(tmp_path: Path) -> None:
    many = [failed(f"rule-{n}", case=f"own/{n}@chat") for n in range(12)]
    shown = annotated(tmp_path, *many)
    assert len(shown) == 10
    assert shown[-1].message.splitlines() == [
        "mine: rule-9/made-up",
        "mine: rule-10/made-up",
        "mine: rule-11/made-up",
    ]


def test_a_run_that_was_stopped_is_an_error(tmp_path: Path) -> None:
    (shown,) = annotated(tmp_path, complete=False)
    assert "out.jsonl" in shown.message
    assert "file" not in shown.properties


def test_paths_are_relative_to_the_workspace(tmp_path: Path) -> None:
    inner = tmp_path / "packages" / "mine"
    inner.mkdir(parents=True)
    (shown,) = annotated(inner, failed("call-once"), GITHUB_WORKSPACE=str(tmp_path))
    assert shown.properties["file"] == "packages/mine/adapter.yaml"


def test_an_adapter_that_is_gone_has_its_path_alone(tmp_path: Path) -> None:
    head = header()
    head["adapters"][0]["file"] = "gone.yaml"
    tmp_path.joinpath("out.jsonl").write_bytes(written(head, failed("call-once"), footer(1)))
    words: list[str | Path] = ["report", "out.jsonl", "--annotations", "errors"]
    streamproof({"": words}, tmp_path)
    shown = read(tmp_path.joinpath("errors").read_text("utf-8").strip())
    assert shown.properties == {"file": "gone.yaml", "title": "mine: call-once/made-up"}
