"""Fills the templates of pages: escaped text, links to sources, and expected parts described."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.expectation.content import ContentCall, ExpectedContent, Segment
from conformance.report.sources import PAGE, anchor_of, clauses, link
from mockserver.foundation.visible import visible
from mockserver.scenario.model import Cancel, Then

_MOST_TEXT = 80
_MOST_INPUT = 100
_MOST_PARTS = 6

_KINDS = {"text": "text", "reasoning": "thinking", "refusal": "refusal"}
_OUTCOMES = {"completed": "completed", "incomplete": "cut short", "failed": "failed"}

_SPECIAL = re.compile(r"([\\`*_\[\]<>|&~$]|^[-+=#]|^\d+(?=[.)]))")


def fill(template: str, **values: Any) -> str:
    """A page from a template of this package; a name that is not given is an error."""
    return _environment().get_template(f"{template}.md.j2").render(values)


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701, pages are Markdown
        loader=PackageLoader("website"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {each.__name__: each for each in (plain, prose, code, link_clause)}
    environment.globals |= {each.__name__: each for each in (row, link_clauses)}
    return environment


def row(*cells: str) -> str:
    """A row of a table in Markdown."""
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def plain(text: str) -> str:
    """A text as one line of Markdown, with all markup escaped."""
    return _SPECIAL.sub(_escaped, visible(" ".join(text.split())))


def prose(text: str) -> str:
    """A text of ours as one line of Markdown: code in backticks stays, other markup is escaped."""
    pieces = re.split(r"(`[^`]+`)", " ".join(text.split()))
    pieces[::2] = [_SPECIAL.sub(_escaped, visible(piece)) for piece in pieces[::2]]
    return "".join(pieces)


def _escaped(found: re.Match[str]) -> str:
    # A number at the start makes a list by the sign behind it.
    return f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}"


def code(text: str) -> str:
    """A text as a Markdown code span, whatever backticks it has."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def describe_cancel(cancel: Cancel) -> str:
    """When the host cancels a turn, in words."""
    if cancel.after_parts is None:
        return f"at the checkpoint {code(cancel.at)}"
    noun = "part" if cancel.after_parts == 1 else "parts"
    return f"after {cancel.after_parts} {noun}" if cancel.after_parts else "before the first part"


def describe_then(then: Then) -> str:
    """What the host sends after a turn, in words: tool results and the user's message."""
    results = [f"the result of {code(id_)}" for id_ in then.tool_results]
    user = [f"the user says {code(then.user)}"] if then.user else []
    return "; ".join([*results, *user])


def describe_content(content: ExpectedContent, cancelled: bool = False) -> str:
    """The expected parts in order and the ending, in words; of a cancelled run, any beginning."""
    parts = list(_parts(content))
    more = len(parts) - _MOST_PARTS
    if more > 1:
        parts = [*parts[:_MOST_PARTS], f"{more} more parts"]
    ending = "as far as it goes" if cancelled else _ending(content)
    return "; ".join([*(parts or ["nothing"]), ending])


def _parts(content: ExpectedContent) -> Iterator[str]:
    """Each piece of content and each call in words, with calls at their earliest place."""
    calls = sorted(content.calls, key=lambda call: sum(call.earliest.values()))
    run: list[Segment] = []
    sent = 0
    for segment in content.segments:
        due = [call for call in calls if sum(call.earliest.values()) <= sent]
        if run and (due or segment.citation or _place(segment) != _place(run[-1])):
            yield _content(run)
            run = []
        yield from map(_call, due)
        calls = calls[len(due) :]
        sent += len(segment.value)
        run.append(segment)
    if run:
        yield _content(run)
    yield from map(_call, calls)
    yield from (f"data {code(_cut(data.mime_type, _MOST_TEXT))}" for data in content.data)


def _place(segment: Segment) -> tuple[str, str]:
    return segment.kind, segment.block


def _content(run: list[Segment]) -> str:
    if source := run[0].citation:
        return f"citation of {code(_cut(visible(' '.join(source.fields().values())), _MOST_TEXT))}"
    text = "".join(segment.value for segment in run)
    return f"{_KINDS[run[0].kind]} {code(_cut(_json(text), _MOST_TEXT))}"


def _call(call: ContentCall) -> str:
    input_ = f"with the text {code(_cut(_json(call.raw), _MOST_INPUT))} in its input"
    if not call.raw:
        input_ = code(_cut(_json(call.input), _MOST_INPUT))
    id_ = code(call.id) if call.id else "of any id"
    name = code(call.name) if call.name else "by any name"
    return f"call {id_} {name} {input_}"


def _ending(content: ExpectedContent) -> str:
    ending = _OUTCOMES[content.outcome]
    if content.reason and content.outcome == "incomplete":
        ending += f" ({content.reason})"
    error = content.error
    words = [word for word in (error.code, error.message) if word] if error else []
    shown = code(_cut(visible(": ".join(words)), _MOST_INPUT))
    return f"{ending} with {shown}" if words else ending


def _json(value: Any) -> str:
    """Compact JSON with unprintable characters escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def link_clause(clause: str, docs: str = "") -> str:
    """A single source as a link; as plain text if it has no link.

    ``docs`` is the path from the page to the folder ``docs/``; empty for a page in that folder.
    """
    address = link(clause)
    if anchor := anchor_of(address):
        address = f"{PurePosixPath(docs, PurePosixPath(PAGE).name)}#{anchor}"
    return f"[{plain(clause)}]({address})" if address else plain(clause)


def link_clauses(source: str, docs: str = "") -> str:
    """The text of a rule's source, each clause as a link."""
    return "; ".join(link_clause(clause, docs) for clause in clauses(source))
