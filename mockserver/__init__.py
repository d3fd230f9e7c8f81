"""A mock upstream that streams scenarios over HTTP. It does not depend on the conformance kit."""

__version__ = "0.1.0"
