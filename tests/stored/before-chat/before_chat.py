"""An adapter from when chat completions were called ``copilot``; it emits only text.

It loses every call, so that its list of known failures has entries.
"""

import asyncio
import json
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]


class TextAlone:
    def hello(self) -> Json:
        me = {"name": "text-alone", "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    async def run(self, run: Json, emit: Callable[[Json], None], cancel: asyncio.Event) -> Json:
        if run["dialect"] != "copilot":
            return {"type": "unsupported", "id": run["id"], "reason": "only copilot is spoken"}
        for text in await asyncio.to_thread(lambda: list(texts(run))):
            emit({"type": "text", "value": text})
        return {"type": "done", "id": run["id"], "outcome": "completed"}


def texts(run: Json) -> Iterator[str]:
    """The text of each chunk of the answer."""
    body = {"model": run["model"], "stream": True, "messages": run["messages"]}
    request = urllib.request.Request(
        f"{run['base_url']}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {run['api_key']}"},
    )
    with urllib.request.urlopen(request) as response:
        for line in response:
            if line.startswith(b"data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    yield choice.get("delta", {}).get("content") or ""
