"""Asks a library twice, for ``contradictions.py``: ``python ask_twice.py MODULE`` in its folder.

``MODULE`` has two coroutine functions that take a run of drive/1 and return the library's result as
JSON: ``stream`` and ``plain``. Needs nothing but Python.
"""

import asyncio
import importlib
import json
import sys
from collections.abc import Awaitable
from typing import Any


async def main(name: str) -> None:
    """Answer each line on stdin with both results, or with how the library failed."""
    sys.path.insert(0, "")
    module = importlib.import_module(name)
    for line in sys.stdin:
        run = json.loads(line)
        stream, plain = await _result(module.stream(run)), await _result(module.plain(run))
        print(json.dumps({"case": run["case"], "stream": stream, "plain": plain}), flush=True)


async def _result(asked: Awaitable[Any]) -> Any:
    try:
        return await asked
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
