"""A made-up dialect, ``plain``: every piece that a dialect needs, as small as it can be."""
