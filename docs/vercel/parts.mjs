export async function* parts(url, options) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(options) });
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: {")) yield JSON.parse(line.slice(6));
  }
}

const options = { model: "mock", messages: [{ role: "user", content: "Hello" }] };
for await (const part of parts(process.argv[2], options)) console.log(part.type, part.text ?? "");
