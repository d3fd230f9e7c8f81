"""Shows what a change of the code changes in findings: compares two checkouts by causes.

``python -m tests.compare [BASE] [--all]`` plays broken adapters, broken streams and the reference
adapters here and in a worktree of the commit ``BASE``. It prints the causes that came, went, or
have other cases. ``BASE`` is where this branch left ``origin/main``, or else the parent.

With ``--all`` each adapter plays its whole catalogue, and adapters that miss deadlines are played
as well; without it, each plays the few cases that its test plays.
"""
