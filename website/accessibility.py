"""Mends the theme's HTML for those who read with a keyboard, a screen reader or a narrow window.

The search is a dialog without a name, menus are named by a picture, and code that scrolls cannot be
reached with the keyboard before the theme's script has run.

Long names in tables and in the table of contents may be broken behind their dots, slashes and low
lines; a browser breaks them anywhere, such as in the middle of ``type``. The rows of a wide table
get what the style sheet needs to show each cell on a line of its own, with its heading before it.
"""

import re
from html import escape, unescape
from itertools import count
from pathlib import Path

_DIALOG = 'role="dialog"'
_CODE_BLOCK = re.compile(r"(<pre>(?:<span></span>)?<code)>")
_MENU = re.compile(
    r'(<nav class="md-nav" data-md-level="\d+") aria-labelledby="(?P<id>__nav_\w+?)_label"'
    r'(?P<rest>[^>]*>\s*<label class="md-nav__title" for="(?P=id)">'
    r".*?</span>\s*(?P<name>[^<]+?)\s*<)",
    re.DOTALL,
)


def mend_site(folder: Path) -> None:
    """Mend all pages of a built site."""
    for path in folder.rglob("*.html"):
        path.write_text(narrow(mend(path.read_text("utf-8"))), "utf-8")


def mend(html: str) -> str:
    """A page of the theme with names for its dialog and menus, and with code that takes focus."""
    named = html.replace(_DIALOG, f'{_DIALOG} aria-label="Search"')
    return _MENU.sub(
        lambda found: f'{found[1]} aria-label="{escape(found["name"])}"{found["rest"]}',
        _CODE_BLOCK.sub(r'\1 tabindex="0">', named),
    )


# Longer names are broken.
_MOST_CHARACTERS = 18
# The characters of a line in a table that a window of 390 pixels shows.
_LINE = 54
# The same if each column has its longest word and no more, beside which is its padding.
_LINE_OF_WORDS = 42

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_HEAD = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_CELL = re.compile(r"<td\b(?P<rest>[^>]*>(?P<content>.*?)</td>)", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")

_CODE = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
_ENTRY = re.compile(r'(?<=<span class="md-ellipsis">)[^<]+(?=</span>)')
_WORD_END = re.compile(r"[\s/.:_-]+")
_BEHIND = re.compile(r"(?<=\w[._/:])(?=\w)")


def narrow(html: str) -> str:
    """A page with places for line breaks in its names, and with headings in its wide tables."""
    return _ENTRY.sub(_breakable, _TABLE.sub(_narrow_table, html))


def _narrow_table(found: re.Match[str]) -> str:
    table = _CODE.sub(_breakable, found[0])
    heads = [_text(head) for head in _HEAD.findall(table)]
    rows = [[_text(content) for _, content in _CELL.findall(row)] for row in _ROW.findall(table)]
    if len(heads) < 4 or _fits(heads, [row for row in rows if row]):
        return table
    with_heads = _ROW.sub(lambda row: _with_heads(row[0], heads), table)
    return with_heads.replace("<table>", "<table data-wide>", 1)


def _fits(heads: list[str], rows: list[list[str]]) -> bool:
    """Whether the cells of a table fit into lines, and the words of headings beside each other."""
    cells = sum(max(map(len, column)) for column in zip(*rows, strict=True))
    words = sum(
        max(len(word) for text in column for word in _WORD_END.split(text))
        for column in zip(heads, *rows, strict=True)
    )
    return cells <= _LINE and words <= _LINE_OF_WORDS


def _with_heads(row: str, heads: list[str]) -> str:
    numbers = count()
    return _CELL.sub(
        lambda cell: f'<td data-head="{escape(heads[next(numbers)])}"{cell["rest"]}', row
    )


def _text(html: str) -> str:
    return unescape(_TAG.sub("", html)).strip()


def _breakable(name: re.Match[str]) -> str:
    return _BEHIND.sub("<wbr>", name[0]) if len(name[0]) > _MOST_CHARACTERS else name[0]
