"""The variations of lines that OpenAI's clients read, and those at which they fail.

All of them are right by the WHATWG's event stream format: a block without data is no event, and one
BOM is dropped, at the start of the stream alone.
"""

from mockserver.wire.lines import LINES

UNREAD: dict[str, tuple[str, ...]] = {
    # It parses the empty data of a block that has a name or an id and no data, and it keeps a BOM.
    "openai-python": ("bom", "ids", "ids-alone", "empty-events"),
    # It parses the empty data of a block that has a name and no data, and it drops a later BOM.
    "openai-node": ("bom-later", "empty-events"),
}
"""The variations at which a client fails, by its package."""


def read_by(client: str) -> list[str]:
    """The names of the variations that a client reads."""
    return [each.name for each in LINES if each.name not in UNREAD[client]]
