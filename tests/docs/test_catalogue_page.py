"""The page of scenarios is up to date with the catalogue, and shows any text verbatim."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mockserver.faults import ScenarioError
from mockserver.scenario.catalogue import Catalogue
from tests.docs.catalogue_page import PLACE, page
from tests.docs.catalogue_words import code, plain
from tests.suite import scenario

_AGAIN = 'python -c "from tests.docs.catalogue_page import write; write()"'

HOSTILE = r"""
title: "Stars * and <b>tags</b> | [links](x) `code`"
about: "1. a list &amp;\n# no heading, $x$ and ~~gone~~"
source: [lm-stream-semantics § 2.2]
seen: [acme/tool_box#12, a class of bugs]
dialects: [openresponses]
conduct: violation
turns:
  - says:
      - text: "```\n</details>\0\u202e"
      - call: {id: call_1, name: run, input: {code: "a `b`"}}
      - text: " after"
      - failed: {code: bad, message: "No |."}
    expect:
      - parts:
          - text: "```\n</details>\0\u202e"
          - call: {id: call_1, name: run, input: {code: "a `b`"}}
          - text: " after"
        outcome: failed
        error: {code: bad, message: "No |."}
      - {parts: [], outcome: incomplete, reason: length}
"""

# Each line of the entry, verbatim.
ENTRY = r"""
**Stars \* and \<b\>tags\</b\> \| \[links\](x) \`code\`** (a violation; for openresponses)\
  1\. a list \&amp; # no heading, \$x\$ and \~\~gone\~\~\
  *right*: text ````"```\n</details>\u0000\u202e"````; call `call_1` `run` ``{"code":"a `b`"}``; text `" after"`; failed with `bad: No |.`\
  *or*: nothing; cut short (length)\
  *source*: [lm-stream-semantics § 2.2](semantics.md#text-parts); *seen*: [acme/tool\_box#12](https://github.com/acme/tool_box/issues/12), a class of bugs
"""  # noqa: E501


def test_the_page_has_every_scenario_as_it_is() -> None:
    assert PLACE.read_text("utf-8") == page(), f"make it anew: {_AGAIN}"


def test_the_page_links_every_file_of_the_catalogue_once() -> None:
    links = re.findall(r"^- \[`(.+)`\]\((.+)\): \*\*.+\*\* \(.+\)\\$", page(), re.MULTILINE)
    files = {id_: path.resolve() for id_, path in Catalogue.shipped().files()}
    assert {id_: PLACE.parent.joinpath(link).resolve() for id_, link in links} == files
    assert len(links) == len(files)


def test_the_text_of_a_file_is_shown_verbatim_and_never_as_markup(tmp_path: Path) -> None:
    scenario(tmp_path, "any/hostile", HOSTILE)
    assert ENTRY.strip() in page(tmp_path)


AREAS = {
    "a": ("text: Hello", "Text, and the stream itself"),
    "b": ("call: {id: call_1, name: run, input: {}}", "Calls"),
    "c": ("reasoning: Hm", "Thinking"),
    "d": ("refusal: No", "Refusals"),
    "e": ("incomplete: length", "Answers cut short"),
    "f": ("close: cut", "Failures"),
}


def test_a_scenario_is_under_its_folder_and_its_subject(tmp_path: Path) -> None:
    for name, (step, _) in AREAS.items():
        scenario(tmp_path, f"any/{name}", f"title: Mine\nturns: [{{says: [{{{step}}}]}}]\n")
    found = re.findall(r"^### (.+) \(any\)\n\n- \[`any/(\w)`\]", page(tmp_path), re.MULTILINE)
    assert {name: area for area, name in found} == {n: area for n, (_, area) in AREAS.items()}
    assert "| [any](#any) | 6 | 6 | 0 | 0 |" in page(tmp_path)


@pytest.mark.parametrize(
    ("cancel", "words"),
    [
        ("{after_parts: 0}", "before the first part"),
        ("{after_parts: 1}", "after 1 part"),
        ("{after_parts: 2}", "after 2 parts"),
        ("{at: mid}", "at the checkpoint `mid`"),
    ],
)
def test_a_cancellation_is_shown_and_what_is_right_up_to_it(
    cancel: str, words: str, tmp_path: Path
) -> None:
    says = "[{start: {text: t}}, {delta: {t: Hello}}, {checkpoint: mid}, {end: t}]"
    text = f"title: Mine\nturns:\n  - says: {says}\n    cancel: {cancel}\n"
    scenario(tmp_path, "any/stopped", text)
    assert "### Cancellations (any)" in page(tmp_path)
    right = f'*cancelled*: {words}\\\n  *right*: text `"Hello"`; as far as it goes\n'
    assert right in page(tmp_path)


def test_a_broken_scenario_makes_no_page(tmp_path: Path) -> None:
    scenario(tmp_path, "any/broken", "title: Mine\nturns: [{sayz: []}]\n")
    with pytest.raises(ScenarioError):
        page(tmp_path)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x", "`x`"),
        ("`", "`` ` ``"),
        ("a`b", "``a`b``"),
        ("``a``", "``` ``a`` ```"),
    ],
)
def test_no_backtick_ends_a_code_span(text: str, shown: str) -> None:
    assert code(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- no list", r"\- no list"),
        ("12) no list", r"12\) no list"),
        ("in 2026. And", "in 2026. And"),
        ("[DONE] and\n a_b", r"\[DONE\] and a\_b"),
        (r"C:\temp", r"C:\\temp"),
    ],
)
def test_a_text_is_escaped(text: str, shown: str) -> None:
    assert plain(text) == shown
