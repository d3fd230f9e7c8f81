"""The page of a scenario has its text verbatim, what is right, and a timeline in each dialect."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.suite import scenario
from website.scenario_pages import pages
from website.words import code, plain

HOSTILE = r"""
title: "Stars * and <b>tags</b> | [links](x) `code`"
about: "1. a list &amp;\n# no heading, $x$ and ~~gone~~"
source: [lm-stream-semantics § 2.2]
reports: [acme/tool_box#12, a class of bugs]
seen: [{at: a/b#1, line: "`x` </p>", upstream: "<b>"}]
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

# Pieces of its page, verbatim.
SHOWN = (
    r"# Stars \* and \<b\>tags\</b\> \| \[links\](x) \`code\`",
    "`any/hostile`: a violation; played in `openresponses`.",
    r"1\. a list \&amp; # no heading, \$x\$ and \~\~gone\~\~",
    r'*right*: text ````"```\n</details>\u0000\u202e"````; call `call_1` `run` '
    r'``{"code":"a `b`"}``; text `" after"`; failed with `bad: No |.`',
    "*or*: nothing; cut short (length)",
    r"*source*: [lm-stream-semantics § 2.2](../../semantics.md#text-parts)",
    r"*seen*: [a/b#1](https://github.com/a/b/issues/1), \<b\>: `` `x` </p> ``",
    r"*reports*: [acme/tool\_box#12](https://github.com/acme/tool_box/issues/12), a class of bugs",
    "\n````yaml\n",
)


def test_the_text_of_a_file_is_shown_verbatim_and_never_as_markup(tmp_path: Path) -> None:
    page = _page(tmp_path, "any/hostile", HOSTILE)
    assert [piece for piece in SHOWN if piece not in page] == []
    drawn = " ".join(each.text or "" for picture in _drawn(page) for each in picture.iter("text"))
    assert "</details>" in drawn
    assert not re.search("[\0\u202e]", drawn)


def test_each_dialect_has_a_timeline_drawn_for_wide_and_narrow_windows(tmp_path: Path) -> None:
    page = _page(tmp_path, "any/mine", "title: Mine\nturns: [{says: [{text: Hello}]}]\n")
    dialects = re.findall(r"In (?:`|)([\w-]+)(?:`:|</summary>)", page)
    assert dialects[:2] == ["openresponses", "chat"]
    wide, narrow = re.findall(r'<svg class="(wide|narrow)"', page)[::2], _drawn(page)
    assert wide == ["wide"] * len(dialects)
    assert len(narrow) == 2 * len(dialects)
    for picture in narrow:
        assert "text 'Hello'" in [each.text for each in picture.iter("text")]


def test_each_turn_of_a_conversation_has_a_timeline(tmp_path: Path) -> None:
    turns = "[{says: [{text: Hello}], then: {user: And now?}}, {says: [{text: Bye}]}]"
    page = _page(tmp_path, "chat/mine", f"title: Mine\nhost: {{user: Go <on>}}\nturns: {turns}\n")
    headings = re.findall("<p>(turn .*?)</p>", page)
    assert headings == [
        "turn 0: user &#x27;Go &lt;on&gt;&#x27;",
        "turn 1: user &#x27;And now?&#x27;",
    ]


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
    right = f'*cancelled*: {words}\\\n*right*: text `"Hello"`; as far as it goes\n'
    assert right in _page(tmp_path, "any/stopped", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x", "`x`"), ("`", "`` ` ``"), ("a`b", "``a`b``"), ("``a``", "``` ``a`` ```")],
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


def _page(folder: Path, id_: str, text: str) -> str:
    scenario(folder, id_, text)
    return pages(folder)[f"scenarios/{id_}.md"]


def _drawn(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall("<svg.*?</svg>", page)]
