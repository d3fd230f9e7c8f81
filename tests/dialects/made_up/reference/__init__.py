"""The reference adapter of ``plain``."""
