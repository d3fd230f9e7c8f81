"""The dialects (wire formats) that the upstream can send, by name.

To add a dialect, add a folder here with an implementation of the protocol in
``mockserver.dialects.dialect``, and list it in ``DIALECTS``.
"""

from mockserver.dialects.chat import CHAT
from mockserver.dialects.dialect import (
    CALL_ENDS,
    CODES,
    REFUSALS,
    Answers,
    Dialect,
    Ending,
    NonStreamingAnswer,
)
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.dialects.profile import Profile
from mockserver.dialects.requests import Inbound, Requests
from mockserver.dialects.vercel import VERCEL

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (OPENRESPONSES, CHAT, *VERCEL)}

PROFILES: tuple[Profile, ...] = tuple(
    profile for dialect in DIALECTS.values() for profile in dialect.profiles
)


def find_profile(name: str, dialect: str) -> Profile | None:
    """The profile of this name in a dialect; None if the dialect has no such profile."""
    return next((each for each in PROFILES if (each.name, each.dialect) == (name, dialect)), None)


__all__ = [
    "CALL_ENDS", "CODES", "DIALECTS", "PROFILES", "REFUSALS", "Answers", "Dialect", "Ending",
    "Inbound", "NonStreamingAnswer", "Requests", "find_profile",
]  # fmt: skip
