"""One rule a file, named in ``conformance.turns``."""
