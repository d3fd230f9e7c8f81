"""Parses scenario files (YAML) into frozen values. Only the catalogue reads files."""
