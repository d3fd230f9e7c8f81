"""A first adapter: an OpenResponses stream in, VS Code parts out."""

import json

import aiohttp

ME = {"name": "first-adapter", "version": "1"}


class FirstAdapter:
    def hello(self):
        return {"type": "hello", "protocol": 1, "adapter": ME, "implementation": ME}

    async def run(self, run, emit, cancel):
        if run["dialect"] != "openresponses":
            return {"type": "unsupported", "id": run["id"], "reason": "openresponses only"}
        url = run["base_url"] + "/responses"
        body = {"model": run["model"], "input": run["messages"], "stream": True}
        headers = {"Authorization": f"Bearer {run['api_key']}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.post(url, json=body) as response,
        ):
            async for line in response.content:
                if line.startswith(b"data: {"):
                    convert(json.loads(line.removeprefix(b"data: ")), emit)
        return {"type": "done", "id": run["id"], "outcome": "completed"}


def convert(event, emit):
    item = event.get("item", {})
    match event["type"], item.get("type"):
        case "response.output_text.delta", _:
            emit({"type": "text", "value": event["delta"]})
        case "response.output_item.done", "function_call":
            emit(
                {
                    "type": "toolCall",
                    "callId": item["call_id"],
                    "name": item["name"],
                    "input": json.loads(item["arguments"] or "{}"),
                }
            )
