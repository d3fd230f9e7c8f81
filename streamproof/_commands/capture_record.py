"""``streamproof record``: a proxy to a real upstream, which records what it passes on."""

import asyncio
import sys
from pathlib import Path

import click

from mockserver.foundation.faults import UserError
from mockserver.foundation.visible import say
from mockserver.server.foreground import stop_signal, warn_of_reach
from mockserver.server.options import DEFAULT_PORT, LOOPBACK
from streamproof._captures.proxy import Proxy
from streamproof._captures.recorder import Recorder
from streamproof._commands.status import log, status

_HELP = """Pass requests on to a real upstream, and record its answers as captures and scenarios.

The client's base URL is that of this proxy, with the path that it has at the upstream. Everything
is passed on as it comes, keys included; in what is written, keys, e-mail addresses and the names in
paths of home folders are redacted. Captures (HAR, with the time of each piece) are written to
OUT/captures/ as answers end, scenarios to OUT/recorded/ at the end, which is Ctrl-C.

Exit codes: 0 it was ended, 4 an option is wrong, or not everything could be written.
"""


@click.command(help=_HELP)
@click.option("--upstream", required=True, metavar="URL", help="Such as https://api.openai.com.")
@click.option("--host", default=LOOPBACK, show_default=True, help="Where to listen.")
@click.option(
    "--port",
    default=DEFAULT_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="0 takes any port that is free.",
)
@click.option(
    "--out",
    default="recordings",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to.",
)
def record(upstream: str, host: str, port: int, out: Path) -> None:
    recorder = Recorder(out, log)
    asyncio.run(_serve(Proxy(upstream, recorder.keep, log), upstream, host, port))
    count = len(recorder.written)
    written: list[Path] = []
    with status(lambda: f"converting {count} captures, scenarios written: {len(written)}"):
        written.extend(recorder.scenarios())
    say(f"{_number(count, 'capture')}, {_number(len(written), 'scenario')} in {out}")
    for file in written:
        say(f"  streamproof show {file}")
    if recorder.failed:
        raise UserError(recorder.failed)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


# Captures are written by a thread, and what is passed on shall not wait for that.
_SWITCH_SECONDS = 0.0005


async def _serve(proxy: Proxy, upstream: str, host: str, port: int) -> None:
    sys.setswitchinterval(_SWITCH_SECONDS)
    with stop_signal() as stop:
        url = await proxy.start(host, port)
        try:
            say("\n".join([*warn_of_reach(host), f"{url} passes requests on to {upstream}"]))
            say("Ctrl-C ends it and writes the scenarios")
            with status(lambda: proxy.progress):
                await stop.wait()
        finally:
            await proxy.stop()
