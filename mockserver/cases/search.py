"""Finds scenarios by words: for a wrong name, and for a reader who looks for a situation."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from itertools import chain
from math import ceil

from mockserver.scenario.model import Scenario

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST = 120
# Words are the same if one begins with the other (call, calls) or both begin alike (rotate,
# rotating).
_SHORTEST = 4
_STEM = 5
_SIMILAR = 0.6
_NAMED = 0.85


def near_ids(wanted: str, ids: Iterable[str], most: int = 3) -> list[str]:
    """The ids that are nearest to a wrong one, best first: by the words in them, then by letters.

    The folder counts for less than the name: ``any/tool-calls-in-parallel`` is near
    ``chat/parallel-calls``.
    """
    wanted = wanted.lower()[:_LONGEST]
    scored = [(_score(wanted, id_), id_) for id_ in ids]
    scored = [each for each in scored if each[0] >= _SIMILAR]
    return [id_ for _, id_ in sorted(scored, key=lambda each: (-each[0], each[1]))[:most]]


def find_named(wanted: str, ids: Iterable[str]) -> list[str]:
    """The ids whose name, without its folder, is a wanted one but for a letter or two."""
    by_name: dict[str, list[str]] = {}
    for id_ in ids:
        by_name.setdefault(id_.rpartition("/")[2], []).append(id_)
    name = wanted.lower()[:_LONGEST].partition("@")[0]
    return [id_ for near in get_close_matches(name, by_name, 3, _NAMED) for id_ in by_name[near]]


def _score(wanted: str, id_: str) -> float:
    """How near an id is: a point for each word of the name that is wanted, and less for letters."""
    wanted_folder, _, wanted_name = wanted.rpartition("/")
    folder, _, name = id_.rpartition("/")
    asked, has = _words_of(wanted_name), _words_of(name)
    shared = sum(any(_same(a, b) for b in has) for a in asked)
    letters = SequenceMatcher(None, wanted_name, name).ratio()
    # Of names with the same words, that of the same folder without further words is nearer.
    nearer = 0.3 if shared and wanted_folder == folder else 0.0
    extra = 0.1 * (len(has) - shared) if shared else 0.0
    return (shared if 2 * shared >= len(asked) else 0.0) + letters + nearer - extra


@lru_cache(maxsize=4096)
def _words_of(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_WORD.findall(name)))


def _same(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    if len(short) >= _SHORTEST and long.startswith(short):
        return True
    return a == b or (len(short) >= _STEM and a[:_STEM] == b[:_STEM])


def find_about(scenarios: Iterable[Scenario], words: Iterable[str]) -> list[Scenario]:
    """The scenarios that have all of the words, or others of the same meaning.

    If none has, those that have similar words. Those with more of them in their ids come first.
    """
    scenarios, words = list(scenarios), list(words)
    found = [each for each in scenarios if is_about(each, words)]
    if not found or any(len(_meanings(word.lower())) > 1 for word in words):
        found = [each for each in scenarios if each in found or _is_nearly_about(each, words)]
    return sorted(found, key=lambda each: -_words_in_id(each.id, words))


def is_about(scenario: Scenario, words: Iterable[str]) -> bool:
    """Whether a scenario has all of the words: in its id, title, reason, sources or reports."""
    words = list(words)
    return words_in(" ".join((*_named_by(scenario), scenario.about)), words) == len(words)


def words_in(text: str, words: Iterable[str]) -> int:
    """How many of the words a text has; letter case is ignored."""
    return sum(word.lower() in text.lower() for word in words)


# What people look for, and the words that titles and ids have for it.
_ALSO_CALLED = {
    "aborted": ("cancelled",),
    "corrupt": ("malformed", "broken"),
    "disconnected": ("cut", "breaks"),
    "duplicated": ("twice", "repeated"),
    "emoji": ("unicode",),
    "hangs": ("silent", "stall"),
    "stalled": ("silent", "stall"),
    "throttled": ("429",),
    "timeout": ("silent", "stall"),
    "truncated": ("cut",),
    "unauthorized": ("401",),
}


def _is_nearly_about(scenario: Scenario, words: Iterable[str]) -> bool:
    """Whether an id, title or source has a word that is similar to each or means the same."""
    asked = _WORD.findall(" ".join(words).lower()[:_LONGEST])
    has = set(_WORD.findall(" ".join(_named_by(scenario)).lower()))
    return bool(asked) and all(
        any(_akin(a, b) for a in _meanings(word) for b in has) for word in asked
    )


def _akin(asked: str, word: str) -> bool:
    """Whether a word has the beginning of another one: truncated and truncation, not time."""
    alike = max(_STEM, ceil(_SIMILAR * max(len(asked), len(word))))
    return word.startswith(asked) or word[:alike] == asked[:alike]


def _words_in_id(id_: str, words: Iterable[str]) -> int:
    return sum(any(each in id_ for each in _meanings(word.lower())) for word in words)


@lru_cache(maxsize=256)
def _meanings(word: str) -> tuple[str, ...]:
    also = (others for called, others in _ALSO_CALLED.items() if _same(word, called))
    return (word, *chain.from_iterable(also))


def _named_by(scenario: Scenario) -> tuple[str, ...]:
    seen = (text for each in scenario.seen for text in (each.at, each.upstream))
    return (scenario.id, scenario.title, *scenario.source, *scenario.reports, *seen)
