"""What is shipped has every piece that CONTRIBUTING.md lists, and a missing one is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.drivers.kinds import DRIVERS
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.variations import FAULT_FAMILIES, VARIATIONS, Variation
from mockserver.dialects import DIALECTS, PROFILES
from tests.contributing import lists
from tests.contributing.piece import Needed, Piece, lacks

SHIPPED: dict[Callable[..., list[Needed]], list[tuple[str, ...]]] = {
    lists.dialect: [(name,) for name in DIALECTS],
    lists.vocabulary: [(name,) for name in VOCABULARIES],
    lists.rule: [
        (rule.id, about) for about, subject in lists.SUBJECTS.items() for rule in subject.rules
    ],
    lists.variation: [(name,) for name in VARIATIONS],
    lists.fault: [(family,) for family in FAULT_FAMILIES],
    lists.profile: [(profile.name, profile.dialect) for profile in PROFILES],
    lists.driver: [(key,) for key in DRIVERS],
}


def _id(value: object) -> str:
    return "-".join(value) if isinstance(value, tuple) else getattr(value, "__name__", "")


@pytest.mark.parametrize("list_", SHIPPED, ids=_id)
def test_what_is_shipped_has_every_piece(list_: Callable[..., list[Needed]]) -> None:
    found = {names: lacks(list_(*names)) for names in SHIPPED[list_]}
    assert {names: lacking for names, lacking in found.items() if lacking} == {}


# One of each kind, and of each place where a rule or a variation may be.
_EXAMPLES = [
    *((lists.dialect, names) for names in SHIPPED[lists.dialect]),
    *((lists.vocabulary, names) for names in SHIPPED[lists.vocabulary]),
    *((lists.rule, (each.rules[-1].id, about)) for about, each in lists.SUBJECTS.items()),
    (lists.variation, ("crlf",)),
    (lists.variation, ("rotating-ids",)),
    (lists.variation, ("copilot",)),
    *((lists.fault, names) for names in SHIPPED[lists.fault]),
    (lists.profile, ("copilot", "chat")),
    (lists.profile, ("openai", "openresponses")),
    *((lists.driver, names) for names in SHIPPED[lists.driver]),
]


@pytest.mark.parametrize(("list_", "names"), _EXAMPLES, ids=_id)
def test_a_piece_that_is_taken_away_is_named_and_nothing_else_is(
    tmp_path: Path, list_: Callable[..., list[Needed]], names: tuple[str, ...]
) -> None:
    pieces = list_(*names)
    files = [each for each in pieces if isinstance(each, Piece)]
    assert files
    for each in files:
        each.copy(tmp_path)
    assert lacks(pieces, tmp_path) == []
    for taken in files:
        taken.take_away(tmp_path)
        assert lacks(pieces, tmp_path) == [taken.lack(tmp_path)], taken
        assert taken.lack(tmp_path).startswith(taken.file)
        taken.copy(tmp_path)


@pytest.mark.parametrize(
    ("list_", "names"),
    [
        (lists.dialect, ("made-up",)),
        (lists.vocabulary, ("made_up",)),
        *((lists.rule, ("never-written", about)) for about in lists.SUBJECTS),
        (lists.variation, ("made-up",)),
        (lists.fault, ("made-up",)),
        (lists.profile, ("made-up", "chat")),
        (lists.driver, ("made_up",)),
    ],
    ids=_id,
)
def test_what_has_nothing_yet_lacks_every_piece(
    list_: Callable[..., list[Needed]], names: tuple[str, ...]
) -> None:
    pieces = list_(*names)
    assert len(lacks(pieces)) == len(pieces) > 1


@pytest.mark.parametrize(
    ("variation", "missing"),
    [
        (Variation("made-up", "changes nothing"), "scenarios: none that made-up changes"),
        (
            Variation(
                "made-up",
                "repeats the first chunk at the end",
                change_steps=lambda steps: [*steps, steps[0]],
                dialects=("chat",),
            ),
            f"{lists.breaks('chat')}: made-up breaks finish-once, usage-once of chat",
        ),
    ],
    ids=["changes nothing", "is illegal"],
)
def test_a_variation_that_is_registered_and_no_more_is_named(
    monkeypatch: pytest.MonkeyPatch, variation: Variation, missing: str
) -> None:
    monkeypatch.setitem(VARIATIONS, "made-up", variation)
    assert lacks(lists.variation("made-up")) == ["docs/server.md: no row", missing]
