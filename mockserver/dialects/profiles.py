"""Every profile. A profile is added in the file ``profiles.py`` of its dialect."""

from mockserver.dialects import DIALECTS
from mockserver.dialects.profile import Profile

PROFILES: tuple[Profile, ...] = tuple(
    profile for dialect in DIALECTS.values() for profile in dialect.profiles
)


def profile(name: str, dialect: str) -> Profile | None:
    """The profile of this name in a dialect; None if the dialect has no such profile."""
    return next((each for each in PROFILES if (each.name, each.dialect) == (name, dialect)), None)
