"""Mends the theme's HTML for those who read with a keyboard or a screen reader.

The search is a dialog without a name, menus are named by a picture, and code that scrolls cannot be
reached with the keyboard before the theme's script has run.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from website.narrow_pages import narrowed

if TYPE_CHECKING:
    from pathlib import Path

_DIALOG = 'role="dialog"'
_CODE = re.compile(r"(<pre>(?:<span></span>)?<code)>")
_MENU = re.compile(
    r'(<nav class="md-nav" data-md-level="\d+") aria-labelledby="(?P<id>__nav_\w+?)_label"'
    r'(?P<rest>[^>]*>\s*<label class="md-nav__title" for="(?P=id)">'
    r".*?</span>\s*(?P<name>[^<]+?)\s*<)",
    re.DOTALL,
)


def mend_site(folder: Path) -> None:
    """Mend all pages of a built site."""
    for path in folder.rglob("*.html"):
        path.write_text(narrowed(mended(path.read_text("utf-8"))), "utf-8")


def mended(html: str) -> str:
    """A page of the theme with names for its dialog and menus, and with code that takes focus."""
    named = html.replace(_DIALOG, f'{_DIALOG} aria-label="Search"')
    return _MENU.sub(_named_menu, _CODE.sub(r'\1 tabindex="0">', named))


def _named_menu(found: re.Match[str]) -> str:
    return f'{found[1]} aria-label="{escape(found["name"])}"{found["rest"]}'
