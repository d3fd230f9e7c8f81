"""The text that is printed when the server has started: its URL and examples to paste."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from mockserver.foundation import __version__

if TYPE_CHECKING:
    from mockserver.server.store.shared_redis import RedisUrl

# The scenario in the examples, if there is one of this id; else the first of all.
_PREFERRED = "any/text-and-call-interleave"
_NONE = "FOLDER/SCENARIO"


def banner(
    url: str,
    ids: list[str],
    host: str = "127.0.0.1",
    workers: int = 1,
    redis: RedisUrl | None = None,
) -> str:
    """The text for a server at ``url`` with these scenario ids; ``host`` is that of ``--host``.

    ``redis`` is what its workers share.
    """
    example = _PREFERRED if _PREFERRED in ids else next(iter(ids), _NONE)
    base = f"{url}/s/{example}/v1"
    lines = [
        f"streamproof {__version__} plays {_scenario_count(len(ids))} at {url}",
        "",
        "openai SDK, the scenario by its URL:",
        f'    OpenAI(base_url="{base}", api_key="any")',
        "the same, by model id:",
        f'    OpenAI(base_url="{url}/v1", api_key="any"), model="mock/{example}"',
        "curl:",
        f"    curl -N {base}/responses -H 'Content-Type: application/json' \\",
        """        -d '{"model": "mock", "input": "Hello", "stream": true}'""",
        "all scenarios:",
        f"    {url}/_mock/scenarios",
        "",
        *_sharing(workers, redis),
        *warning(host),
        "Ctrl-C stops it.",
    ]
    return "\n".join(lines)


def _scenario_count(scenarios: int) -> str:
    return "1 scenario" if scenarios == 1 else f"{scenarios} scenarios"


def _sharing(workers: int, redis: RedisUrl | None) -> list[str]:
    who = f"{workers} workers answer. " if workers > 1 else ""
    if redis is not None:
        away = "" if redis.is_local else " Requests go there, without their credentials."
        return [f"{who}Runs and the journal are in the Redis at {redis}.{away}", ""]
    if workers > 1:
        return [f"{who}They share nothing, so there is no journal: --shared redis://… has it.", ""]
    return []


def warning(host: str) -> list[str]:
    """What a user has to know about an address that others can reach, as lines."""
    if _is_loopback(host):
        return []
    return [f"It listens at {host}: whoever can reach this machine can use it.", ""]


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
