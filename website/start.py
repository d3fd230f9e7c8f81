"""The first pages of the site: the README's beginning, and a page for each of its three readers."""

import re
from collections.abc import Iterator

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)

# The beginning of the heading of a section of the README, and the place of its page.
_READERS = {
    "You have an adapter": "start/adapter.md",
    "You have an implementation": "start/implementation.md",
    "You found a bug": "start/bug.md",
}
_CHOOSE = """Where to start:

{readers}

To look something up: [rules](docs/rules.md), [scenarios](docs/catalogue.md) and [their
format](docs/scenarios.md), [events](docs/reference/events.md),
[commands](docs/reference/commands.md), [what was found](docs/findings.md).
"""
_FIRST = "If nothing is installed yet, [set up](#set-up) first.\n"
# Pages of a few sections, or of lines that need the width.
_WITHOUT_CONTENTS = "---\nhide: [toc]\n---\n\n"


def pages(readme: str) -> dict[str, str]:
    """The pages made from the README, by place, with the links of the README."""
    beginning, *sections = _sections(readme)
    found: dict[str, str] = {}
    rest: list[str] = []
    for heading, text in sections:
        if place := _place(heading):
            found[place] = f"{_WITHOUT_CONTENTS}# {heading}\n\n{_FIRST}{text}"
        else:
            rest.append(f"## {heading}\n{text}")
    return {"index.md": _index(beginning[1], rest, readme), **found}


def places(readme: str) -> dict[str, str]:
    """The places of the README's sections that have pages of their own, by anchor."""
    headings = (heading for heading, _ in _sections(readme))
    return {anchor(heading): place for heading in headings if (place := _place(heading))}


def anchor(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _sections(readme: str) -> Iterator[tuple[str, str]]:
    """The text before the first section, whose heading is empty, and each section."""
    pieces = _HEADING.split(readme)
    yield "", pieces[0]
    yield from zip(pieces[1::2], pieces[2::2], strict=True)


def _place(heading: str) -> str:
    return next((p for words, p in _READERS.items() if heading.startswith(words)), "")


def _index(beginning: str, rest: list[str], readme: str) -> str:
    readers = "\n".join(
        f"- [{heading}](#{anchor(heading)})" for heading, _ in _sections(readme) if _place(heading)
    )
    # The paragraph before the first block of code is about that block.
    opening, _, _ = beginning.partition("\n```")[0].rpartition("\n\n")
    end = beginning[len(opening) :].lstrip("\n")
    choose = _CHOOSE.format(readers=readers)
    return f"{_WITHOUT_CONTENTS}{opening}\n\n{choose}\n{end}{''.join(rest)}"
