"""The hosts of this machine, and their exemption from the proxy that the environment names."""

import ipaddress
from collections.abc import Mapping

LOCAL = ("127.0.0.1", "localhost", "::1")
"""The hosts of this machine, as clients compare them with ``NO_PROXY``."""

# Some clients read the one, some the other, and some the second only without the first.
_VARIABLES = ("no_proxy", "NO_PROXY")
_ALL = "*"


def is_local(host: str) -> bool:
    """Whether a host is this machine, by its name or its address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def exempting(environ: Mapping[str, str], *hosts: str) -> dict[str, str]:
    """The variables that exempt hosts from proxies, beside those that ``environ`` exempts."""
    named = next((environ[name] for name in _VARIABLES if environ.get(name)), "")
    exempt = [each.strip() for each in named.split(",") if each.strip()]
    value = _ALL if _ALL in exempt else ",".join(dict.fromkeys([*exempt, *hosts]))
    return dict.fromkeys(_VARIABLES, value)
