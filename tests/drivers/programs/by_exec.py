"""The reference adapter as a program that plays one run."""

import asyncio
import json
import os
import sys
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway


def emit(part: Any) -> None:
    print(json.dumps(part), flush=True)


async def main() -> int:
    run = json.loads(os.environ["MOCK_REQUEST"])
    end = await gateway().run(run, emit, asyncio.Event())
    if end["type"] == "unsupported":
        return 127
    if end["outcome"] == "failed":
        print(end["error"]["message"], file=sys.stderr)  # type: ignore[index]
        return 1
    return 0


sys.exit(asyncio.run(main()))
