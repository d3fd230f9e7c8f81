"""Correct adapters as programs of their own."""
