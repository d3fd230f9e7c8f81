"""What the theme leaves out for keyboards and screen readers is added to its pages."""

import pytest

from website.accessibility import mend

MENU = (
    '<nav class="md-nav" data-md-level="1" {name} aria-expanded="true">\n'
    '  <label class="md-nav__title" for="__nav_2"><span class="icon"></span>\n  Guides\n</label>'
)


@pytest.mark.parametrize(
    ("html", "better"),
    [
        ('<div role="dialog">', '<div role="dialog" aria-label="Search">'),
        ("<pre><span></span><code>", '<pre><span></span><code tabindex="0">'),
        ("<pre><code>", '<pre><code tabindex="0">'),
        ("<p><code>", "<p><code>"),
        (
            MENU.format(name='aria-labelledby="__nav_2_label"'),
            MENU.format(name='aria-label="Guides"'),
        ),
    ],
    ids=["search", "code", "plain code", "a word of code", "menu"],
)
def test_a_page_is_mended(html: str, better: str) -> None:
    assert mend(html) == better
