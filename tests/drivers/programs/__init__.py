"""Correct adapters as programs of their own, and some with a switch to misbehave."""
