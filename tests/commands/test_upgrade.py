"""``streamproof upgrade``: nulls of format 1 become absent fields, and nothing else changes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from mockserver.dialects import DIALECTS
from mockserver.scenario.load import load
from mockserver.scenario.script import Sends
from tests.commands import streamproof
from tests.suite import TRACEBACK, Ran

HEAD = "# A comment of the file\ntitle: Nulls of format 1 # kept\nconduct: deviation\n"
REST = "    expect: {parts: []} # kept, too\n"


@dataclass(frozen=True)
class Steps:
    """Steps of a script in format 1, and as they must be in format 2."""

    old: str
    new: str
    folder: str = "openresponses"


STEPS: dict[str, Steps] = {
    "fields of flow mappings": Steps(
        """\
      - response.created: {sequence_number: null, response: {usage: null, model: x}}
      - response.failed: {response: {error: null}, "sequence_number" : null }
""",
        """\
      - response.created: {response: {model: x}}
        absent: [sequence_number, response.usage]
      - response.failed: {}
        absent: [response.error, sequence_number]
""",
    ),
    "fields of block mappings, with comments": Steps(
        """\
      # The first event
      - response.created:
          sequence_number: null # the server counts nothing
          response:
            usage:

            model: x # its name
      # The last event
      - response.completed: # ends it
          response:
            usage: null
""",
        """\
      # The first event
      - response.created:
          # the server counts nothing
          response:

            model: x # its name
        absent: [sequence_number, response.usage]
      # The last event
      - response.completed: {} # ends it
        absent: [response.usage]
""",
    ),
    "flow mappings of several lines": Steps(
        """\
      - response.created: {
          sequence_number: null, # counts nothing
          response: {id: r,
            usage: null}
        }
      - {response.completed: {sequence_number: null}}
""",
        """\
      - response.created: {
          # counts nothing
          response: {id: r
            }
        }
        absent: [sequence_number, response.usage]
      - {response.completed: {}, absent: [sequence_number]}
""",
    ),
    "texts of several lines": Steps(
        """\
      - response.output_text.delta:
          logprobs: null
          delta: |
            a
            b

      - response.output_text.delta: {delta: "é😀", logprobs: null}
""",
        """\
      - response.output_text.delta:
          delta: |
            a
            b

        absent: [logprobs]
      - response.output_text.delta: {delta: "é😀"}
        absent: [logprobs]
""",
    ),
    "fields that nothing derives": Steps(
        "      - response.created: {response: {acme: null}, a.b: {c: null}, e: {f: {g: null}}}\n",
        "      - response.created: {a.b: {}, e: {f: {}}}\n",
    ),
    "nulls that were always sent": Steps(
        """\
      - raw: "data: null\\n\\n"
      - response.output_item.added: {item: {content: [null]}, output_index: null}
""",
        """\
      - raw: "data: null\\n\\n"
      - response.output_item.added: {item: {content: [null]}}
        absent: [output_index]
""",
    ),
    "parts of the AI SDK": Steps(
        """\
      - unknown: {type: x, a: null}
      - finish: {reason: null, messageMetadata: null}
      - event: {type: error, errorText: null}
""",
        """\
      - unknown: {type: x, a: null}
      - finish: {reason: null}
      - event: {type: error}
        absent: [errorText]
""",
        "vercel-ui",
    ),
}
FLOW = STEPS["fields of flow mappings"]
LEFT_ALONE = {
    "nothing to rewrite": HEAD + "turns:\n  - says: [{text: null}]\n".replace("null", '"null"'),
    "absent fields": HEAD + "turns:\n  - sends:\n" + FLOW.old + FLOW.new + REST,
    "format 2": f"format: 2\n{HEAD}turns:\n  - sends:\n{FLOW.old}{REST}",
}
ALIAS = f"""\
{HEAD}turns:
  - sends:
      - response.created: &fields {{sequence_number: null}}
      - response.completed: *fields
{REST}"""


def written(steps: str, format_: str = "") -> str:
    return f"{HEAD}{format_}turns:\n  - sends:\n{steps}{REST}"


def rewritten(steps: str) -> str:
    return written(steps).replace("title", "format: 2\ntitle", 1)


def path(folder: Path, name: str, dialect: str = "openresponses") -> Path:
    file = folder / dialect / f"{name.replace(' ', '-').replace(',', '').lower()}.yaml"
    file.parent.mkdir(exist_ok=True, parents=True)
    return file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("upgrade")
    for name, steps in STEPS.items():
        path(folder, name, steps.folder).write_bytes(written(steps.old).encode())
    for name, text in LEFT_ALONE.items():
        path(folder, name).write_bytes(text.encode())
    path(folder, "says format 1").write_bytes(written(FLOW.old, "format: 1 # old\n").encode())
    path(folder, "windows").write_bytes(
        b"\xef\xbb\xbf" + written(FLOW.old, "").encode().replace(b"\n", b"\r\n")
    )
    path(folder, "windows").chmod(0o640)
    path(folder / "aliases", "alias").write_bytes(ALIAS.encode())
    path(folder / "aliases", "broken").write_bytes(b"titel: x\n")
    return folder


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Ran]:
    commands = {name: ["upgrade", "openresponses", "vercel-ui"] for name in ("first", "second")}
    return streamproof(
        {**commands, "refused": ["upgrade", "aliases"], "nothing": ["upgrade"]}, folder
    )


@pytest.mark.parametrize("name", STEPS)
def test_only_nulls_that_removed_a_field_are_rewritten(
    folder: Path, ran: dict[str, Ran], name: str
) -> None:
    assert ran["first"].code == 0, ran["first"].text
    steps = STEPS[name]
    new = path(folder, name, steps.folder).read_bytes()
    assert new.decode() == rewritten(steps.new)
    assert sent(new, steps.folder) == sent(written(steps.old, "format: 1\n").encode(), steps.folder)


def sent(data: bytes, dialect: str) -> object:
    script = load(data, "x.yaml", f"{dialect}/x").turns[0].script
    assert isinstance(script, Sends)
    return DIALECTS[dialect].steps(script, 0)


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_a_file_without_such_nulls_or_in_format_2_is_not_changed(
    folder: Path, ran: dict[str, Ran], name: str
) -> None:
    assert ran["first"].code == 0
    assert path(folder, name).read_text("utf-8") == LEFT_ALONE[name]


def test_a_file_with_format_1_becomes_format_2(folder: Path, ran: dict[str, Ran]) -> None:
    assert ran["first"].code == 0
    new = written(FLOW.new, "format: 2 # old\n")
    assert path(folder, "says format 1").read_text("utf-8") == new


def test_line_ends_byte_order_mark_and_mode_of_a_file_are_kept(
    folder: Path, ran: dict[str, Ran]
) -> None:
    assert ran["first"].code == 0
    file = path(folder, "windows")
    new = rewritten(FLOW.new).replace("\n", "\r\n")
    assert file.read_bytes() == b"\xef\xbb\xbf" + new.encode()
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o640


def test_each_rewritten_file_is_listed_and_a_second_run_rewrites_none(
    folder: Path, ran: dict[str, Ran]
) -> None:
    first, second = ran["first"].text, ran["second"].text
    file = Path("openresponses/texts-of-several-lines.yaml")
    assert f"{file}: rewritten, 2 fields absent\n" in first
    assert first.endswith(
        f"{len(STEPS) + len(LEFT_ALONE) + 2} scenarios, {len(STEPS) + 2} rewritten\n"
    )
    assert second == f"{len(STEPS) + len(LEFT_ALONE) + 2} scenarios, none rewritten\n"
    assert [each.name for each in folder.rglob(".*")] == []


def test_a_file_that_cannot_be_rewritten_is_unchanged_and_the_reason_is_given(
    folder: Path, ran: dict[str, Ran]
) -> None:
    refused = ran["refused"]
    assert refused.code == 4
    assert f"{Path('aliases/openresponses/alias.yaml')}:6:27: not rewritten: " in refused.text
    assert "unknown key 'titel'" in refused.text
    assert refused.text.endswith("2 scenarios, none rewritten, 2 failed\n")
    assert path(folder / "aliases", "alias").read_text("utf-8") == ALIAS
    assert TRACEBACK not in refused.text + ran["nothing"].text
    assert ran["nothing"].code == 4
