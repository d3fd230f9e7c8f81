"""Tests of ``streamproof import`` and ``streamproof record``."""
