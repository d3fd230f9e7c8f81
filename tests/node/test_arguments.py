"""Node reads the arguments of a call as Python does: both are tested with the same vectors."""

import subprocess

from tests.clients.npm import needs_node
from tests.docs.pages import ROOT

VECTORS = ROOT / "tests" / "foundation" / "call-arguments.json"


def test_node_reads_the_arguments_of_every_vector_as_python_does() -> None:
    needs_node()
    ran = subprocess.run(
        ["node", "--test-reporter=tap", ROOT / "tests" / "node" / "arguments.mjs", VECTORS],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    failed = [line for line in ran.stdout.splitlines() if line.startswith("not ok")]
    assert not failed
    assert ran.returncode == 0, ran.stderr
