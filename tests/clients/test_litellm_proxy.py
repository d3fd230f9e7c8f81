"""LiteLLM's proxy, with the settings that a page shows, passes requests on to runs of the mock."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import openai
import pytest

import streamproof
from tests.docs.pages import blocks
from tests.docs.project_copy import SHOWN_ADDRESS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NEEDED = "litellm[proxy]==1.106.2"
_HOST = "127.0.0.1"
# Enough for a start of two minutes: the client waits up to 8 s before it asks again.
_RETRIES = 20
_SECONDS = 30
_CASE = "any/text-and-call-interleave@chat"


@pytest.mark.installs
def test_a_run_is_named_by_the_model_behind_a_proxy(tmp_path: Path) -> None:
    (settings,) = (block for block in blocks("docs/gateway.md") if "model_list" in block.text)
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    pip = [str(tmp_path / "venv" / "bin" / "pip"), "install", "-q", _NEEDED]
    subprocess.run(pip, check=True)
    with streamproof.serve() as mock:
        text = settings.text.replace(SHOWN_ADDRESS, mock.url.removeprefix("http://"))
        tmp_path.joinpath("litellm.yaml").write_text(text, "utf-8")
        run = mock.run(_CASE)
        with _proxy(tmp_path) as url:
            client = openai.OpenAI(base_url=url, api_key="sk-any", max_retries=_RETRIES)
            answer = client.chat.completions.create(
                model=run.model, messages=[{"role": "user", "content": "Hello"}]
            )
        assert [request.case for request in run.requests] == [_CASE]
        called: Any = answer.choices[0].message.tool_calls
        assert [call.function.name for call in called] == ["read_file"]


@contextmanager
def _proxy(folder: Path) -> Iterator[str]:
    """The base URL of a proxy that starts with the settings in a folder."""
    with socket.create_server((_HOST, 0)) as free:
        port = str(free.getsockname()[1])
    command = [str(folder / "venv" / "bin" / "litellm"), "--config", "litellm.yaml"]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": _HOST}
    with folder.joinpath("log").open("wb") as log:
        proxy = subprocess.Popen(
            [*command, "--host", _HOST, "--port", port],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            yield f"http://{_HOST}:{port}/v1"
        finally:
            proxy.terminate()
            proxy.wait(_SECONDS)
