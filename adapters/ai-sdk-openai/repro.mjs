/** Prints the parts of the AI SDK's streamText() with @ai-sdk/openai: `node repro.mjs BASE_URL`. */
import { readFileSync } from "node:fs";
import { createOpenAI, openai } from "@ai-sdk/openai";
import { jsonSchema, streamText } from "ai";
const file = new URL("requests.json", import.meta.url);
const model = createOpenAI({ baseURL: process.argv[2], apiKey: "none" }).responses("mock");
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const hosted = (type, args) => openai.tools[type === "custom" ? "customTool" : camel(type)](Object.fromEntries(args));
const messages = [{ role: "user", content: "Hello" }];
for (const { max_retries: maxRetries, body } of JSON.parse(readFileSync(file, "utf-8"))) {
  const tools = (body.tools ?? []).map(({ type, name = type, description, parameters, ...rest }) => {
    const given = Object.entries(type === "custom" ? { name, ...rest } : rest);
    const args = given.map(([key, value]) => [camel(key), value]);
    return [name, parameters ? { description, inputSchema: jsonSchema(parameters) } : hosted(type, args)];
  });
  const providerOptions = { openai: { store: body.store } }, offered = Object.fromEntries(tools);
  const result = streamText({ model, messages, tools: offered, maxRetries, providerOptions, onError() {} });
  const content = [];
  for await (const { toolCall, ...part } of result.fullStream) {
    console.log(JSON.stringify({ ...part, toolCall, error: part.error && String(part.error) }));
    const { approvalId } = part, { providerExecuted } = toolCall ?? {};
    if (approvalId) content.push({ type: "tool-approval-response", approvalId, approved: true, providerExecuted });
  }
  messages.push(...(await result.response.then((r) => r.messages, () => [])), { role: "tool", content });
}
