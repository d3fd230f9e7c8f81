"""Adapters that count tokens: correct and broken ones, and the rules about counts."""
