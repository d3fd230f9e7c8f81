"""Each SDK takes the base URL of a run as docs/tests.md says, or finds it by its own variable."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import streamproof
from streamproof import Mock
from tests.clients.npm import needs_node
from tests.docs.findings import ADAPTERS
from tests.docs.pages import ROOT

pytestmark = pytest.mark.installs

PATIENCE = 120
CASE, TEXT = "any/conversation-two-questions", "Vistula"

AI = """
import {{ {0} }} from "{1}";
const prompt = [{{ role: "user", content: [{{ type: "text", text: "Hello" }}] }}];
const {{ content }} = await {2}.doGenerate({{ prompt }});
console.log(content[0].text);
"""

NODE = """
import OpenAI from "openai";
const client = new OpenAI({0});
const answer = await client.responses.create({{ model: "mock", input: "Hello" }});
console.log(answer.output_text);
"""

UI = """
import { DefaultChatTransport, readUIMessageStream } from "ai";
const transport = new DefaultChatTransport({ api: `${process.env.URL}/api/chat` });
const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }];
const stream = await transport.sendMessages({ trigger: "submit-message", chatId: "1", messages });
let answer;
for await (const message of readUIMessageStream({ stream })) answer = message;
console.log(answer.parts.find(({ type }) => type === "text").text);
"""

EFFECT = """
import { LanguageModel } from "@effect/ai";
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai";
import { FetchHttpClient } from "@effect/platform";
import { Effect, Layer, Redacted } from "effect";
const options = { apiUrl: process.env.URL, apiKey: Redacted.make("any") };
const client = Layer.provide(OpenAiClient.layer(options), FetchHttpClient.layer);
const model = Layer.provide(OpenAiLanguageModel.model("mock"), client);
const asked = Effect.provide(LanguageModel.generateText({ prompt: "Hello" }), model);
const { text } = await Effect.runPromise(asked);
console.log(text);
"""

PYTHON = """
import os
from openai import OpenAI
answer = OpenAI({0}).responses.create(model="mock", input="Hello")
print(answer.output_text)
"""

LANGCHAIN = """
import os
from langchain_openai import ChatOpenAI
answer = ChatOpenAI(model="mock", {0}).invoke("Hello")
print(answer.content)
"""

LITELLM = """
import os, litellm
messages = [{{"role": "user", "content": "Hello"}}]
answer = litellm.completion(model="openai/mock", messages=messages, {0})
print(answer.choices[0].message.content)
"""

AGENTS = """
import os
from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI
set_tracing_disabled(True)
model = OpenAIResponsesModel("mock", AsyncOpenAI({0}))
result = Runner.run_sync(Agent("mine", model=model), "Hello")
print(result.final_output)
"""

IN_JS = '{ baseURL: process.env.URL, apiKey: "any" }'
IN_PYTHON = 'base_url=os.environ["URL"], api_key="any"'

PROGRAMS = {
    "openai-node": ("openai-node", NODE.format(IN_JS)),
    "openai-node by its variable": ("openai-node", NODE.format("")),
    "@ai-sdk/openai": (
        "ai-sdk-openai",
        AI.format("createOpenAI", "@ai-sdk/openai", f'createOpenAI({IN_JS})("mock")'),
    ),
    "@ai-sdk/openai by its variable": (
        "ai-sdk-openai",
        AI.format("openai", "@ai-sdk/openai", 'openai("mock")'),
    ),
    "@ai-sdk/openai-compatible": (
        "ai-sdk-openai-compatible",
        AI.format(
            "createOpenAICompatible",
            "@ai-sdk/openai-compatible",
            'createOpenAICompatible({ name: "mock", baseURL: process.env.URL })("mock")',
        ),
    ),
    "@ai-sdk/open-responses": (
        "ai-sdk-open-responses",
        AI.format(
            "createOpenResponses",
            "@ai-sdk/open-responses",
            'createOpenResponses({ name: "mock", url: `${process.env.URL}/responses` })("mock")',
        ),
    ),
    "@ai-sdk/gateway": (
        "ai-sdk-gateway",
        AI.format("createGateway", "@ai-sdk/gateway", f'createGateway({IN_JS})("mock")'),
    ),
    "DefaultChatTransport": ("ai-sdk-ui", UI),
    "@effect/ai-openai": ("effect-ai-openai", EFFECT),
    "openai-python": ("openai-python", PYTHON.format(IN_PYTHON)),
    "openai-python by its variable": ("openai-python", PYTHON.format("")),
    "LangChain": ("langchain-openai", LANGCHAIN.format(IN_PYTHON)),
    "LangChain by its variable": ("langchain-openai", LANGCHAIN.format("")),
    "LiteLLM": ("litellm", LITELLM.format('api_base=os.environ["URL"], api_key="any"')),
    "LiteLLM by its variable": ("litellm", LITELLM.format("")),
    "openai-agents": ("openai-agents", AGENTS.format(IN_PYTHON)),
    "openai-agents by its variable": ("openai-agents", AGENTS.format("")),
}


@pytest.fixture(scope="module")
def mock() -> Iterator[Mock]:
    with streamproof.serve() as started:
        yield started


def command(binding: str, program: str, place: Path) -> list[str]:
    """The command that runs a program with the packages of a binding, which are installed."""
    folder = ADAPTERS / binding
    install = [sys.executable, str(ADAPTERS / "install.py"), binding]
    subprocess.run(install, check=True, timeout=PATIENCE)
    if folder.joinpath("requirements.txt").exists():
        return [str(folder / ".venv" / "bin" / "python"), "-c", program]
    needs_node()
    place.joinpath("node_modules").symlink_to(folder / "node_modules")
    place.joinpath("program.mjs").write_text(program, "utf-8")
    return ["node", "program.mjs"]


@pytest.mark.parametrize("sdk", PROGRAMS)
def test_an_sdk_is_pointed_at_a_run(sdk: str, mock: Mock, tmp_path: Path) -> None:
    binding, program = PROGRAMS[sdk]
    run = mock.run(CASE)
    variables = mock.environ(run) if "variable" in sdk else {"URL": run.base_url}
    done = subprocess.run(
        command(binding, program, tmp_path),
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **variables},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout.strip().endswith(TEXT), done.stdout + done.stderr
    assert [(request.status, request.problems) for request in run.requests] == [(200, ())]


def test_the_page_has_every_sdk() -> None:
    page = ROOT.joinpath("docs", "tests.md").read_text("utf-8")
    table = page[page.index("| SDK |") :].partition("\n\n")[0]
    named = {sdk.removesuffix(" by its variable") for sdk in PROGRAMS}
    assert [sdk for sdk in named if sdk not in table] == []
