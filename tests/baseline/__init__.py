"""Records all findings about many adapters, to see what a change of the code changes in them.

``python -m tests.baseline write [GROUP] [NAME …]`` plays the adapters of a group, its members, and
writes their findings to ``findings/GROUP/NAME.txt``; ``compare`` plays them and prints what
differs.
The groups are the reference adapters, the broken adapters of the tests, and the bindings in
``adapters/``. Without a group, all of them are played.

``unstable.txt`` lists findings that vary from run to run; ``compare`` ignores them. A member that
differs is played a second time, since a busy machine ends runs too early; the
variable ``BASELINE_DEADLINE_MS`` gives a run of a described adapter more time than its 12000.
"""
