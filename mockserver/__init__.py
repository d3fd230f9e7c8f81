"""The upstream: scenario in, bytes out, journal kept. Knows nothing of the kit."""

__version__ = "0.1.0"
