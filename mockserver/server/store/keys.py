"""``Keys``: the names of what a server's workers share in Redis."""

from __future__ import annotations

from dataclasses import dataclass

EXPIRY = 3600
"""Seconds after which Redis forgets what is not used."""

_PREFIX = "streamproof"


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of a server's keys; ``server`` distinguishes it from other servers."""

    server: str

    @property
    def prefix(self) -> str:
        return f"{_PREFIX}:{self.server}:"

    @property
    def alive(self) -> str:
        return f"{self.prefix}server"

    @property
    def workers(self) -> str:
        return f"{self.prefix}workers"

    @property
    def runs(self) -> str:
        return f"{self.prefix}runs"

    @property
    def a_run(self) -> str:
        return f"{self.prefix}run:"

    @property
    def journal(self) -> str:
        return f"{self.prefix}journal"

    @property
    def totals(self) -> str:
        return f"{self.prefix}totals"

    @property
    def questions(self) -> str:
        """The channel on which workers are asked for what they have not written yet."""
        return f"{self.prefix}questions"

    def run(self, id_: str) -> str:
        return f"{self.a_run}{id_}"

    def response(self, id_: str) -> str:
        return f"{self.prefix}response:{id_}"

    def reply(self, question: str) -> str:
        return f"{self.prefix}reply:{question}"
