"""Every finding that there is, written down, so that a change of the code can be held against it.

``python -m tests.baseline write [GROUP] [NAME …]`` plays the members of a group and writes what is
found into ``findings/GROUP/NAME.txt``; ``compare`` plays them and tells what is found otherwise.
The groups are the reference adapters, the broken adapters of the tests, and the bindings in
``adapters/``. Without a group it is all of them.

``unstable.txt`` names findings that come and go from run to run; ``compare`` ignores them. Who
differs is played once more, since a machine that is busy with other things ends runs too early; the
variable ``BASELINE_DEADLINE_MS`` gives a run of a described adapter more time than its 12000.
"""
