"""The lists of CONTRIBUTING.md as data, and tests that they are complete."""
