"""Scenarios: YAML text in, frozen values out. Nothing here opens a file but the catalogue."""
