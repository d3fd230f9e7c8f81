// Reads models with the AI SDK, over its gateway, for a test that asks.
//
// A line on stdin is a question, {id, how, base_url, ask}. `how` is "stream" for fullStream, "generate"
// for generateText, "models" or "credits"; `ask` has the messages, and the names of the tools. A line
// on stdout is the answer, {id, parts, result, thrown}: the parts of fullStream as far as they came, what
// another function returned, and what was thrown. Files have their bytes, which are getters, and errors
// their name and message.

import { createInterface } from "node:readline";

const AT_ONCE = 16;
const PATIENCE = 20_000;

globalThis.AI_SDK_LOG_WARNINGS = false;

/** Answers with the modules `ai` and `@ai-sdk/gateway` of one version until there are no questions. */
export async function answer(ai, { createGateway }) {
  const questions = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const work = async () => {
    for await (const line of questions) {
      const { id, how, base_url: baseURL, ask } = JSON.parse(line);
      const gateway = createGateway({ baseURL, apiKey: "any" });
      const answer = { id, parts: [], result: null, thrown: null };
      await HOW[how](ai, gateway, ask, answer).catch((error) => (answer.thrown = error));
      console.log(JSON.stringify(answer, (_, value) => told(value)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const HOW = {
  async stream(ai, gateway, ask, { parts }) {
    for await (const part of ai.streamText(asked(ai, gateway, ask)).fullStream) parts.push(part);
  },

  async generate(ai, gateway, ask, answer) {
    const { content, finishReason, usage } = await ai.generateText(asked(ai, gateway, ask));
    answer.result = { content, finishReason, usage };
  },

  async models(_, gateway, __, answer) {
    answer.result = await gateway.getAvailableModels();
  },

  async credits(_, gateway, __, answer) {
    answer.result = await gateway.getCredits();
  },
};

function asked({ jsonSchema }, gateway, { model = "mock", tools = [], messages }) {
  const inputSchema = jsonSchema({ type: "object" });
  return {
    model: gateway(model),
    messages: messages ?? [{ role: "user", content: "Hello" }],
    ...(tools.length && { tools: Object.fromEntries(tools.map((name) => [name, { inputSchema }])) }),
    maxRetries: 0,
    abortSignal: AbortSignal.timeout(PATIENCE),
    onError() {},
  };
}

function told(value) {
  if (value instanceof Error) return { ...value, name: value.name, message: value.message };
  if (value?.uint8Array) return { base64: value.base64, mediaType: value.mediaType };
  return value;
}
