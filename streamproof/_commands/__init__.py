"""The commands: one for each file."""
