"""HTML from the Jinja templates beside this module.

Whatever a template prints came from adapters and scenario files. So every value is escaped as HTML,
and its characters that cannot be seen, line feeds included, are written as escapes. The filter
``lines`` keeps line feeds.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from conformance.report.summary import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: Any) -> str:
    """A template of this package, filled in; a name that is not given is an error."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    # Imported here, because most commands make no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def printed(value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        return Markup(escape(visible(str(value))))  # noqa: S704, it has been escaped

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
