"""Programs that speak drive/1 and misbehave, and the verdict of each.

Every program plays good runs correctly, and a run whose model is ``bad`` as its source says. A run
whose model is ``waits`` begins and ends with the next run: it runs beside the bad one and must not
be affected.
"""

from typing import NamedTuple

from conformance.contract.transcript import Verdict
from conformance.drivers.recorder import MAX_PARTS

PRELUDE = """
import json, os, signal, sys, time

ME = {"name": "misbehaving", "version": "1"}
waiting = []

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def line(type, run, **fields):
    return json.dumps({"type": type, "id": run["id"], **fields}) + "\\n"

def say(type, run, **fields):
    write(line(type, run, **fields))

def text(value="Hello", n=0):
    return {"n": n, "part": {"type": "text", "value": value}}

def hello():
    sys.stdin.readline()
    write(json.dumps({"type": "hello", "protocol": 1, "adapter": ME, "implementation": ME}) + "\\n")

def well(run):
    say("part", run, **text())
    say("done", run, outcome="completed", finish="stop")

def play(run):
    if run["model"] == "waits":
        say("part", run, **text())
        waiting.append(run)
        return
    (bad if run["model"] == "bad" else well)(run)
    while waiting:
        say("done", waiting.pop(), outcome="completed")

def count(asked):
    say("counted", asked, counts=[1] * len(asked["messages"]), total=os.getpid())

def until(type):
    for message in sys.stdin:
        if json.loads(message)["type"] == type:
            return

def forever():
    while True:
        time.sleep(60)

def bye():
    pass

def serve():
    hello()
    for message in sys.stdin:
        message = json.loads(message)
        if message["type"] == "run":
            play(message)
        elif message["type"] == "count":
            count(message)
        elif message["type"] == "bye":
            bye()
            return
"""

SOON, LONG = 150, 10_000


class Program(NamedTuple):
    """A program with this source, the expected verdict, and words of its message."""

    name: str
    source: str
    verdict: Verdict
    words: str = ""
    deadline_ms: int = LONG


PROGRAMS = [
    Program("plays well", "bad = well", "completed"),
    Program(
        "writes one character at a time",
        """
def bad(run):
    for each in line("part", run, **text()) + line("done", run, outcome="completed"):
        write(each)
""",
        "completed",
    ),
    Program(
        "ends its lines as Windows does",
        """
def bad(run):
    write("\\r\\n" + line("done", run, outcome="completed").replace("\\n", "\\r\\n"))
""",
        "completed",
    ),
    Program(
        "is slow but honest",
        """
def bad(run):
    say("part", run, **text())
    time.sleep(0.2)
    say("done", run, outcome="completed")
""",
        "completed",
    ),
    Program(
        "floods stderr",
        """
def bad(run):
    sys.stderr.write("x" * (1 << 20) + "the last word\\n")
    sys.stderr.flush()
    well(run)
""",
        "completed",
    ),
    Program(
        "says that it failed",
        """
def bad(run):
    say("done", run, outcome="failed", error={"kind": "upstream", "message": "overloaded"})
""",
        "failed",
    ),
    Program(
        "says that it broke",
        'bad = lambda run: say("error", run, message="KeyError", traceback="at line 7")',
        "crashed",
        "at line 7",
    ),
    Program("refuses", 'bad = lambda run: say("unsupported", run, reason="no")', "unsupported"),
    Program(
        "prints a banner",
        """
def bad(run):
    write("connecting to upstream\\n")
    well(run)
""",
        "broke-protocol",
        "a line to stdout that is not JSON: 'connecting to upstream'; logs go to stderr",
    ),
    Program(
        "writes bytes that are no text",
        'bad = lambda run: (sys.stdout.buffer.write(b"\\xff\\xfe\\n"), write(""))',
        "broke-protocol",
        "it wrote bytes to stdout that are not UTF-8: b'",
    ),
    Program(
        "nests too deep for JSON",
        'bad = lambda run: write("[" * 100_000 + "\\n")',
        "broke-protocol",
        "it wrote a line that is nested deeper than 512 levels: '[[[[",
    ),
    Program(
        "writes a line of two MiB",
        """
def bad(run):
    say("part", run, **text("x" * (2 << 20)))
    say("done", run, outcome="completed")
""",
        "broke-protocol",
        "a line of more than 1 MiB",
    ),
    Program(
        "writes JSON that is no message",
        'bad = lambda run: write("[1, 2]\\n")',
        "broke-protocol",
        "it wrote a list, where a message is a JSON object: [1, 2]",
    ),
    Program(
        "ends another run",
        'bad = lambda run: say("done", {"id": "r-other"}, outcome="completed")',
        "broke-protocol",
        "it wrote a done message of 'r-other', a run that the kit never began",
    ),
    Program(
        "ends without an outcome",
        'bad = lambda run: say("done", run)',
        "broke-protocol",
        "it wrote a done message that breaks $defs.done of schemas/driver.json: 'outcome' is ",
    ),
    Program(
        "fails without a reason",
        'bad = lambda run: say("done", run, outcome="failed")',
        "broke-protocol",
        "'error' is a required property",
    ),
    Program(
        "begins with its second part",
        """
def bad(run):
    say("part", run, **text(n=1))
    say("done", run, outcome="completed")
""",
        "broke-protocol",
        "its part 1 came where part 0 was due",
    ),
    Program(
        "repeats a number",
        """
def bad(run):
    say("part", run, **text())
    say("part", run, **text())
""",
        "broke-protocol",
        "its part 0 came where part 1 was due",
    ),
    Program(
        "emits without end",
        f"""
def bad(run):
    for n in range({MAX_PARTS} + 1):
        say("part", run, **text(n=n))
    say("done", run, outcome="completed")
""",
        "broke-protocol",
        "it emitted more than 10,000 parts, more than any answer has",
    ),
    Program(
        "writes half a line and exits",
        'bad = lambda run: (write("""{"type": "part", "i"""), os._exit(0))',
        "crashed",
        """only b'{"type": "part", "i'""",
    ),
    Program(
        "writes half a line and falls silent",
        'bad = lambda run: (write("""{"type": "part", "i"""), forever())',
        "hung",
        deadline_ms=SOON,
    ),
    Program(
        "exits with 0",
        'bad = lambda run: (say("part", run, **text()), os._exit(0))',
        "crashed",
        "it exited with 0 in the middle of a run",
    ),
    Program("exits without a word", "bad = lambda run: os._exit(7)", "crashed", "it exited with 7"),
    Program(
        "raises",
        'bad = lambda run: {}["choices"]',
        "crashed",
        "on stderr it said:\nTraceback (most recent call last)",
    ),
    Program(
        "is ended by a signal",
        "bad = lambda run: os.kill(os.getpid(), signal.SIGKILL)",
        "crashed",
        "it was ended by SIGKILL in the middle of a run",
    ),
    Program(
        "leaves a child behind that holds its stdout",
        """
def bad(run):
    if os.fork():
        os._exit(0)
    forever()
""",
        "crashed",
        "it exited with 0",
    ),
    Program(
        "closes its stdout", "bad = lambda run: (os.close(1), forever())", "hung", deadline_ms=SOON
    ),
    Program(
        "waits until it is cancelled",
        'bad = lambda run: (until("cancel"), say("done", run, outcome="cancelled"))',
        "timed-out",
        deadline_ms=SOON,
    ),
    Program(
        "is deaf to its cancellation",
        'bad = lambda run: (until("cancel"), say("cancelling", run), forever())',
        "hung",
        "did not answer its cancellation",
        deadline_ms=SOON,
    ),
    Program("stops reading", "bad = lambda run: forever()", "hung", deadline_ms=SOON),
    Program(
        "does not let itself be asked to end",
        """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
bad = lambda run: forever()
""",
        "hung",
        deadline_ms=SOON,
    ),
]
"""Programs that misbehave during a run."""


REFUSED = [
    Program(
        "exits before its hello", "sys.exit(3)", "not-run", "it exited with 3 before its hello"
    ),
    Program(
        "raises before its hello",
        "import no_such_module",
        "not-run",
        "No module named 'no_such_module'",
    ),
    Program(
        "speaks protocol 2",
        'ME = 0\nwrite("""{"type": "hello", "protocol": 2}\\n""")',
        "not-run",
        "it speaks protocol 2, and this kit speaks 1",
    ),
    Program(
        "prints a banner before its hello",
        'write("Server v1.0 ready\\n")',
        "not-run",
        "its first line is no hello: it wrote a line to stdout that is not JSON: 'Server",
    ),
    Program(
        "greets with something else",
        'write("""{"type": "bye"}\\n""")',
        "not-run",
        "its first line is no hello: a bye message, which only the kit sends, where hello was due",
    ),
    Program(
        "greets without a name",
        'write("""{"type": "hello", "protocol": 1}\\n""")',
        "not-run",
        "breaks $defs.adapter-hello of schemas/driver.json: 'adapter' is a required property",
    ),
    Program("never greets", "forever()", "not-run", "it did not answer hello within 0.2 seconds"),
]
"""Programs that fail before any run."""
