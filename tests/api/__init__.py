"""The Python API and the pytest fixtures."""
