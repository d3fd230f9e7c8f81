/** The adapter under test: an OpenResponses stream in, VS Code parts out. */
export async function adapter({ baseUrl }, emit) {
  const response = await fetch(`${baseUrl}/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "mock", input: "Hello", stream: true }),
  });
  try {
    for await (const data of eventsOf(response.body)) {
      const end = convert(data, emit);
      if (end) return end;
    }
  } catch (error) {
    return failed(error);
  }
  return failed({ message: "the stream ended before the response did" });
}

async function* eventsOf(body) {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    const data = lines.filter((line) => line.startsWith("data: {"));
    yield* data.map((line) => JSON.parse(line.slice(6)));
  }
}

function convert({ type, delta, item, response }, emit) {
  if (type === "response.output_text.delta") {
    emit({ type: "text", value: delta });
  } else if (type === "response.output_item.done" && item.type === "function_call") {
    const { call_id: callId, name } = item;
    emit({ type: "toolCall", callId, name, input: JSON.parse(item.arguments) });
  } else if (type === "response.completed") {
    return { outcome: "completed" };
  } else if (type === "response.failed") {
    return failed(response.error);
  }
}

function failed({ code, message }) {
  return { outcome: "failed", error: { kind: "upstream", message, code } };
}
