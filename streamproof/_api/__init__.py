"""The public names of the package, by subject."""
