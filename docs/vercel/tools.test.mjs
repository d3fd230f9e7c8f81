import { after, test } from "node:test";

import { createGateway } from "@ai-sdk/gateway";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import { mock } from "streamproof/test";

const server = await mock();
after(() => server.stop());

const call = { id: "call_1", name: "get_weather", input: { city: "Paris" } };
const weather = {
  turns: [
    { says: [{ call }], then: { tool_results: { call_1: "rain" } } },
    { says: [{ text: "It rains." }] },
  ],
};

/** What a step shows: its text, and the calls of tools. */
function shown({ text, toolCalls }) {
  const calls = toolCalls.map(({ toolCallId: callId, toolName: name, input }) => {
    return { type: "toolCall", callId, name, input };
  });
  return text ? [text, ...calls] : calls;
}

test("a tool is run", async () => {
  const run = await server.run(weather);
  const inputSchema = jsonSchema({ type: "object", properties: { city: { type: "string" } } });
  const { steps } = streamText({
    model: createGateway({ baseURL: run.baseUrl, apiKey: "any" })("mock"),
    prompt: "How is the weather in Paris?",
    tools: { get_weather: tool({ inputSchema, execute: () => "rain" }) },
    stopWhen: stepCountIs(2),
    maxRetries: 0,
  });
  for (const [turn, step] of (await steps).entries()) await run.check(shown(step), { turn });
});
