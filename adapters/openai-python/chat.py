"""openai (Python), its plain stream of chunks: typed chunks in, vocabulary `vscode` out.

This stream only decodes the wire, types the chunks and raises errors. Its chunks go through the
kit's reference state machine, in place of the code that a user of the library would write. So any
failure comes from the library's decoding, typing or raising. The request asks for usage, which is
awaited for a second after the finish.
"""

import asyncio

import openai
from conversation import chat

from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.vscode_emitter import VscodeEmitter

LIBRARY = "openai"
DIALECTS = ["chat"]


async def run(run, emit):
    client = openai.AsyncOpenAI(
        base_url=run["base_url"],
        api_key=run["api_key"],
        max_retries=run["options"]["max_retries"],
    )
    machine = Chat(VscodeEmitter, {})
    asked = {"model": run["model"], **chat(run), "stream_options": {"include_usage": True}}
    try:
        async with client, await client.chat.completions.create(**asked, stream=True) as stream:
            await read(stream, machine, emit)
    except openai.APIError as error:
        for part in raised(machine, error):
            emit(part)
    except ValueError as error:
        machine.fail("decode", str(error))
    for part in machine.close():
        emit(part)
    return machine.end()


async def read(stream, machine, emit):
    """Emit parts until the stream ends, or until the wait for usage times out."""
    try:
        async with asyncio.timeout(None) as grace:
            async for chunk in stream:
                for part in machine.event(chunk.to_dict()):
                    emit(part)
                if machine.grace_seconds is not None and grace.when() is None:
                    grace.reschedule(asyncio.get_running_loop().time() + machine.grace_seconds)
    except TimeoutError:
        return


def raised(machine, error):
    """Pass an error to the machine: one from the stream as its error event, others as a failure."""
    if type(error) is openai.APIError and error.body:
        return machine.event({"error": error.body})
    kinds = {openai.APIConnectionError: "transport", openai.APIStatusError: "http"}
    kind = next((kind for type_, kind in kinds.items() if isinstance(error, type_)), "upstream")
    machine.fail(kind, error.message, error.code)
    return []
