"""A mock upstream that streams scenarios over HTTP. It does not depend on the conformance kit."""

from mockserver.foundation import __version__

__all__ = ["__version__"]
