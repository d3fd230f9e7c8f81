"""Drives a headless browser over the Chrome DevTools Protocol."""

import asyncio
import itertools
import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import ClientSession

Json = dict[str, Any]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60


def _starts(browser: str) -> bool:
    """Whether the browser starts; on some systems it is a script that says where to get one."""
    done = subprocess.run([browser, "--version"], capture_output=True, timeout=PATIENCE)
    return done.returncode == 0


BROWSER = next(filter(_starts, filter(None, map(shutil.which, _NAMES))), None)

# It sends no requests of its own, and leaves no files.
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--remote-debugging-port=0",
)  # fmt: skip


_SHIFT = 8
# Keys with what they need besides their names.
_KEYS: dict[str, Json] = {
    "Enter": {"windowsVirtualKeyCode": 13, "text": "\r"},
    "Escape": {"windowsVirtualKeyCode": 27},
    "Tab": {"windowsVirtualKeyCode": 9},
}


class Tab:
    """A tab; ``requested`` has the addresses that its pages requested, ``thrown`` exceptions."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.requested: list[str] = []
        self.thrown: list[Json] = []
        self._socket = socket
        self._context: Json = {}
        self._session: Json = {}
        self._numbers = itertools.count(1)

    async def open(self) -> None:
        self._context = await self.ask("Target.createBrowserContext")
        target = await self.ask("Target.createTarget", url="about:blank", **self._context)
        attached = await self.ask("Target.attachToTarget", **target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Network", "Runtime"):
            await self.ask(f"{domain}.enable")

    async def close(self) -> None:
        self._session = {}
        await self.ask("Target.disposeBrowserContext", **self._context)

    async def ask(self, method: str, **params: Any) -> Json:
        """Send a command, and return its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params, **self._session}
        await self._socket.send_json(message)
        while True:
            answer = await self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: Json = answer["result"]
                return result

    async def _next(self) -> Json:
        message: Json = json.loads(await self._socket.receive_str())
        if message.get("method") == "Network.requestWillBeSent":
            self.requested.append(message["params"]["request"]["url"])
        elif message.get("method") == "Runtime.exceptionThrown":
            self.thrown.append(message["params"])
        return message

    async def go(self, url: str) -> None:
        await self.ask("Page.navigate", url=url)
        while (await self._next()).get("method") != "Page.loadEventFired":
            pass

    async def evaluate(self, script: str) -> Any:
        """The value of a script, or of its promise, run by the browser and not by the page."""
        answer = await self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def click(self, selector: str) -> None:
        """Click an element at its place on the screen, if nothing covers it."""
        find = f"document.querySelector({json.dumps(selector)})"
        await self.evaluate(f"{find}.scrollIntoView({{block: 'center'}})")
        box = await self.evaluate(f"{find}.getBoundingClientRect().toJSON()")
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            mouse = {"type": kind, "button": "left", "clickCount": 1, **at}
            await self.ask("Input.dispatchMouseEvent", **mouse)

    async def until(self, condition: str) -> None:
        """Wait until a script's value is true, looking at each frame."""
        await self.evaluate(
            "new Promise((done) => {"
            f"const look = () => {condition} ? done() : requestAnimationFrame(look); look(); }})"
        )

    async def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key that is called by its name in ``KeyboardEvent.key``."""
        pressed = {"key": key, "code": key, **_KEYS[key], "modifiers": _SHIFT if shift else 0}
        for kind in ("keyDown", "keyUp"):
            await self.ask("Input.dispatchKeyEvent", type=kind, **pressed)

    async def resize(self, width: int, height: int = 800) -> None:
        """Give the window another size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        await self.ask("Emulation.setDeviceMetricsOverride", **size)


@asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A connection to a new browser, whose profile is in ``folder``."""
    flags = (*_FLAGS, f"--user-data-dir={folder / 'profile'}")
    process = await asyncio.create_subprocess_exec(
        str(BROWSER), *flags, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with ClientSession() as client:
            address = await asyncio.wait_for(_address(process.stderr), PATIENCE)
            drained = asyncio.create_task(process.stderr.read())
            async with client.ws_connect(address, max_msg_size=0) as socket:
                yield socket
                await socket.send_json({"id": 0, "method": "Browser.close"})
            await asyncio.wait_for(process.wait(), PATIENCE)
            await drained
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@asynccontextmanager
async def browsing(folder: Path, seconds: float = PATIENCE) -> AsyncIterator[Tab]:
    """A tab in a new browser, whose profile is in ``folder``, for so many seconds at most."""
    async with asyncio.timeout(seconds), browser(folder) as socket:
        tab = Tab(socket)
        await tab.open()
        yield tab


async def _address(stderr: asyncio.StreamReader) -> str:
    async for line in stderr:
        if found := re.match(r"DevTools listening on (ws://\S+)", line.decode(errors="replace")):
            return found[1]
    raise AssertionError("the browser ended before it listened")
