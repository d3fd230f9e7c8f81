"""A record of every finding, so that a change of the code can be compared with it.

``python -m tests.baseline write [GROUP] [NAME …]`` plays the members of a group and writes what is
found into ``findings/GROUP/NAME.txt``; ``compare`` plays them and prints what differs.
The groups are the reference adapters, the broken adapters of the tests, and the bindings in
``adapters/``. Without a group it is all of them.

``unstable.txt`` lists findings that vary from run to run; ``compare`` ignores them. A member that
differs is played a second time, since a busy machine ends runs too early; the
variable ``BASELINE_DEADLINE_MS`` gives a run of a described adapter more time than its 12000.
"""
