import { serve } from "streamproof";

serve({ name: "fetch", dialects: ["openresponses"] }, async (run, emit) => {
  const response = await fetch(`${run.baseUrl}/responses`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${run.apiKey}` },
    body: JSON.stringify({ model: run.model, input: run.messages, stream: true }),
    signal: run.signal,
  });
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (run.signal.aborted) return;
      if (line.startsWith("data: {")) convert(JSON.parse(line.slice(6)), emit);
    }
  }
});

function convert({ type, delta, item }, emit) {
  if (type === "response.output_text.delta") {
    emit({ type: "text", value: delta });
  } else if (type === "response.output_item.done" && item.type === "function_call") {
    const { call_id: callId, name } = item;
    emit({ type: "toolCall", callId, name, input: JSON.parse(item.arguments || "{}") });
  }
}
