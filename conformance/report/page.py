"""HTML from the Jinja templates beside this module.

Whatever a template prints came from adapters and scenario files. So every value is escaped as HTML,
and its characters that cannot be seen, line feeds included, are written as escapes. The filter
``lines`` keeps line feeds.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def rendered(template: str, **values: Any) -> str:
    """A template of this package, filled in; a name that is not given is an error."""
    return _environment().get_template(template).render(values)


def packed(template: str, **values: Any) -> Markup:
    """A filled-in template as compressed text in base64, for a script to unpack."""
    from markupsafe import Markup

    compressed = gzip.compress(rendered(template, **values).encode(), mtime=0)
    return Markup(b64encode(compressed).decode())  # noqa: S704, base64 has no markup


@dataclass(frozen=True, slots=True)
class Inline:
    """A style or script of a page, and its hash, by which the page's policy allows it."""

    text: Markup
    hash: str

    @classmethod
    def of(cls, file: str) -> Inline:
        """The file of this name beside the templates."""
        from markupsafe import Markup

        environment = _environment()
        assert environment.loader is not None
        source, _, _ = environment.loader.get_source(environment, file)
        # As a browser hashes it: with line feeds.
        text = "\n".join(source.splitlines())
        digest = b64encode(sha256(text.encode()).digest()).decode()
        return cls(Markup(text), f"sha256-{digest}")  # noqa: S704, it is the kit's own


@cache
def _environment() -> Environment:
    # Imported here, because most commands make no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def printed(value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        text = str(value)
        shown = text if text.isprintable() else visible(text)
        return Markup(escape(shown))  # noqa: S704, it has been escaped

    def lines(text: str) -> Markup:
        return Markup("\n").join(map(printed, text.split("\n")))

    environment = Environment(
        loader=PackageLoader("conformance.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["lines"] = lines
    return environment
