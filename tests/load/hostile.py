"""A thousand hostile scenario files, the same in each run."""

import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mockserver.foundation.shipped import folder
from mockserver.scenario.source import MAX_BYTES

REAL = [path.read_text("utf-8") for path in sorted(folder("scenarios").rglob("*.yaml"))]
HEAD = "title: Too much\nturns:\n  - says:\n"

# Values that no part of a scenario may have.
CONTROLS = ["\0", "\x07", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\ufeff", "\ufffe"]
ODD = ["7", "-1.5", "[]", "{}", "null", "[[7]]", "{a: {b: c}}", "true", "1e400", "''"]
NO_SCENARIO = [
    *("", " ", "\n\n\n", "# nothing\n", "---\n", "...\n", "null\n", "7\n", "- a\n", "x\n"),
    *("%YAML 9.9\n---\ntitle: x\n", "%TAG ! x\n---\na\n", "%", "@x\n", "`x`\n", "{", "]"),
    *("? \n", ": \n", "? [a]\n: b\n", "{a: b}: c\n", "[a]: b\n", "a: b: c\n", "a\n b: c\n"),
    *("title: x\n---\ntitle: y\n", "title: x\n...\njunk\n", "\ufeff\ufefftitle: x\n", "'"),
]
TAGS = [
    "!!python/object/apply:os.system ['echo hacked']",
    "!!python/object/new:subprocess.Popen [['true']]", "!!python/name:os.system",
    "!!binary aGFja2Vk", "!!set {a, b}", "!!str 5", "!mine x", "!<tag:example.com,2026:x> x",
    "!!timestamp 2026-01-30",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hostile:
    """One file; ``refused`` if it must be refused."""

    kind: str
    data: bytes
    refused: bool


def hostile() -> Iterator[Hostile]:
    """Generate the files, kind by kind."""
    for kind, (make, count, refused) in KINDS.items():
        luck = random.Random(kind)
        for _ in range(count):
            made = make(luck)
            data = made if isinstance(made, bytes) else made.encode("utf-8", "surrogatepass")
            yield Hostile(kind, data, refused)


def _alias_bomb(luck: random.Random) -> str:
    wide, levels = luck.randrange(9, 60), luck.randrange(6, 30)
    opened, closed = luck.choice([("[", "]"), ("{", "}")])
    lines = [f"a0: &a0 [{'x, ' * wide}]"]
    for n in range(1, levels):
        inner = [f"*a{n - 1}" if opened == "[" else f"k{m}: *a{n - 1}" for m in range(wide)]
        lines.append(f"a{n}: &a{n} {opened}{', '.join(inner)}{closed}")
    return "\n".join(lines) + "\n"


def _deep(luck: random.Random) -> str:
    depth = luck.choice([50, 500, 5_000, 50_000])
    unit, end = luck.choice([("[", "]"), ("{a: ", "}"), ("- ", ""), ("[{a: ", "}]"), ("? ", "")])
    return luck.choice(["", "title: "]) * (unit != "- ") + unit * depth + "x" + end * depth


def _twice(luck: random.Random) -> str:
    lines = luck.choice(REAL).splitlines()
    at = luck.choice([n for n, line in enumerate(lines) if line.startswith(("title:", "turns:"))])
    return "\n".join([*lines, lines[at].partition(":")[0] + ": again"])


def _wrong_type(luck: random.Random) -> str:
    key = luck.choice(["title", "turns", "dialects", "conduct", "nonsense"])
    lines = luck.choice(REAL).splitlines()
    kept = [line for line in lines if line.startswith((" ", "turns")) and f"{key}:" not in line]
    return "\n".join([f"{key}: {luck.choice(ODD)}", *kept])


def _giant(luck: random.Random) -> str:
    many = luck.randrange(MAX_BYTES, 2 * MAX_BYTES)
    return luck.choice(
        [
            f"title: {'x' * many}\n",
            f"title: '{'x' * many}",
            f"title: |\n  {'x' * many}\n",
            f"? {'k' * many}\n: x\n",
            f"title: {'7' * 5000}\n",
            f"# {'x' * many}\ntitle: x\n",
            HEAD + f'      - text: "{"x" * many}"\n',
        ]
    )


def _control(luck: random.Random) -> str:
    text = luck.choice(REAL)
    at = luck.randrange(1, len(text))
    return text[:at] + luck.choice(CONTROLS) + text[at:]


def _binary(luck: random.Random) -> bytes:
    text = luck.choice(REAL)
    return luck.choice(
        [
            luck.randbytes(luck.randrange(1, 5000)),
            b"\x89PNG\r\n\x1a\n" + luck.randbytes(100),
            gzip.compress(text.encode(), mtime=0),
            text.encode("utf-16"),
            text.encode("utf-32"),
            text.encode() + b"\xff",
            b"title: \xed\xa0\xbd\n",
            b"title: \xc0\xaf\n",
        ]
    )


def _tagged(luck: random.Random) -> str:
    tag = luck.choice(TAGS)
    return luck.choice(
        [
            f"title: {tag}\n",
            f"{tag}\n",
            f"title: x\nturns:\n  - says:\n      - text: {tag}\n",
            f"title: x\nsource: [{tag}]\nturns: []\n",
            f"? {tag}\n: x\n",
        ]
    )


def _anchored(luck: random.Random) -> str:
    name = luck.choice(["a", "a" * 5000, "0", "é"])
    return luck.choice(
        [
            f"title: &{name} [*{name}]\n",
            f"&{name} a: *{name}\n",
            f"title: *{name}\n",
            f"&{name} {{a: {{b: *{name}}}}}\n",
            f"base: &{name} {{title: x}}\n<<: *{name}\n",
            f"title: &{name} &{name} x\n",
            f"*{name} : x\n",
        ]
    )


def _tabbed(luck: random.Random) -> str:
    lines = luck.choice(REAL).splitlines()
    after = lines.index("turns:")
    return "\n".join([*lines[: after + 1], *("\t" + line for line in lines[after + 1 :])])


def _long_key(luck: random.Random) -> str:
    key = luck.choice(["k", "é", "\U0001f600", "k "]) * luck.randrange(200, 20_000)
    return luck.choice([f"{key.strip()}: x\n", f'"{key}": x\n', HEAD + f'      - "{key}": x\n'])


def _many(luck: random.Random) -> str:
    many = luck.randrange(2_000, 6_000)
    return luck.choice(
        [
            "".join(f"key{n}: x\n" for n in range(many)),
            HEAD + "      - 5\n" * many,
            HEAD + "".join(f"      - start{n}: x\n" for n in range(many)),
            "title: [" + "{a: b}, " * many + "]\n",
            "title: x\nturns: [" + "{says: []}, " * many + "]\n",
        ]
    )


def _cut(luck: random.Random) -> bytes:
    data = luck.choice(REAL).encode()
    return data[: luck.randrange(len(data))]


def _edited(luck: random.Random) -> bytes:
    """A real scenario with some bytes lost, repeated or changed, half of them to YAML syntax."""
    data = bytearray(luck.choice(REAL).encode())
    taken = luck.choice([bytes(range(256)), b" \n:-[]{}'\"&*#?|>%@,ab01"])
    for _ in range(luck.randrange(1, 6)):
        at = luck.randrange(len(data))
        data[at : at + luck.randrange(4)] = bytes(luck.choices(taken, k=luck.randrange(4)))
    return bytes(data)


def _shuffled(luck: random.Random) -> str:
    lines = luck.choice(REAL).splitlines()
    luck.shuffle(lines)
    return "\n".join(lines)


def _as_json(luck: random.Random) -> str:
    text = json.dumps({"title": "x \ud83d \x7f", "turns": [{"says": [{"text": "\ud83d"}]}]})
    return text[: luck.randrange(1, len(text) + 1)]


Make = Callable[[random.Random], str | bytes]

# How each kind is made, how many there are of it, and whether each must be refused.
KINDS: dict[str, tuple[Make, int, bool]] = {
    "alias-bomb": (_alias_bomb, 30, True), "deep": (_deep, 60, True),
    "key-twice": (_twice, 50, True), "wrong-type": (_wrong_type, 80, False),
    "giant": (_giant, 40, True), "control": (_control, 80, True), "binary": (_binary, 60, True),
    "tag": (_tagged, 60, True), "anchor": (_anchored, 60, True), "tab": (_tabbed, 40, True),
    "no-scenario": (lambda luck: luck.choice(NO_SCENARIO), 60, True),
    "long-key": (_long_key, 50, True), "many": (_many, 10, True), "cut": (_cut, 130, False),
    "edited": (_edited, 140, False), "shuffled": (_shuffled, 30, False),
    "json": (_as_json, 20, False),
}  # fmt: skip
