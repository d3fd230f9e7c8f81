/** The code under test: turns a chat completion into the parts that its host shows. */
export async function* parts(baseUrl) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      model: "mock",
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: {")) yield* shown(JSON.parse(line.slice(6)));
  }
}

function* shown({ choices }) {
  for (const { delta } of choices) {
    const text = delta.content || delta.refusal;
    if (text) yield text;
  }
}
