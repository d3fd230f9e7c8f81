// Reads models with the AI SDK, over its gateway, for a test that asks.
//
// A line on stdin is a question, {id, how, base_url, ask}. `how` is "stream" for fullStream, "generate"
// for generateText, "generateObject", "streamObject", "output" for Output.object, "models", "credits",
// "chat" for a browser's chat, as in useChat, "resume" for its resumption, or "completion"; `ask` has the
// messages, and the names of the tools. A line on stdout is the answer, {id, parts, result, thrown}: the
// parts of fullStream as far as they came, what another function returned, and what was thrown. Files
// have their bytes, which are getters, and errors their name and message.

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
      const gateway = Object.assign(createGateway({ baseURL, apiKey: "any" }), { baseURL });
      const answer = { id, parts: [], result: null, thrown: null };
      await HOW[how](ai, gateway, ask, answer).catch((error) => (answer.thrown = error));
      console.log(JSON.stringify(answer, (_, value) => told(value)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const HOW = {
  /** The messages of a chat whose tools are run in the browser; `ask` has their outputs by call id. */
  async chat({ AbstractChat, DefaultChatTransport, ...ai }, { baseURL }, { text, outputs }, answer) {
    const chat = new AbstractChat({
      transport: new DefaultChatTransport({ api: `${baseURL}/chat` }),
      state: new Messages(),
      sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall({ toolCall: { toolName: tool, toolCallId } }) {
        chat.addToolOutput({ tool, toolCallId, output: outputs[toolCallId] });
      },
    });
    for (const each of text) await chat.sendMessage({ text: each });
    answer.result = chat.messages;
    if (chat.error) throw chat.error;
  },

  async stream(ai, gateway, ask, { parts }) {
    for await (const part of ai.streamText(asked(ai, gateway, ask)).fullStream) parts.push(part);
  },

  async generate(ai, gateway, ask, answer) {
    const { content, finishReason, usage } = await ai.generateText(asked(ai, gateway, ask));
    answer.result = { content, finishReason, usage };
  },

  async generateObject(ai, gateway, { schema }, answer) {
    answer.result = (await ai.generateObject({ ...asked(ai, gateway, {}), schema: ai.jsonSchema(schema) })).object;
  },

  /** The object of a stream; `parts` are the partial ones. */
  async streamObject(ai, gateway, { schema }, answer) {
    const streamed = ai.streamObject({ ...asked(ai, gateway, {}), schema: ai.jsonSchema(schema) });
    for await (const partial of streamed.partialObjectStream) answer.parts.push(structuredClone(partial));
    answer.result = await streamed.object;
  },

  async output({ Output, ...ai }, gateway, { schema }, answer) {
    const output = Output.object({ schema: ai.jsonSchema(schema) });
    const asks = { ...asked(ai, gateway, {}), output, experimental_output: output };
    const { output: found, experimental_output } = await ai.generateText(asks);
    answer.result = found ?? experimental_output;
  },

  /** The text that `useCompletion` of @ai-sdk/react reads. */
  async completion({ callCompletionApi }, { baseURL }, { prompt }, answer) {
    const set = (name) => (value) => (answer[name] = value ?? answer[name]);
    const unused = { setLoading() {}, setAbortController() {}, credentials: undefined, headers: {}, body: {} };
    const set_ = { setCompletion: set("result"), setError: set("thrown") };
    await callCompletionApi({ api: `${baseURL}/completion`, prompt, ...unused, ...set_ });
  },

  /** Whether a chat that resumes its stream is ready again, without a message. */
  async resume({ AbstractChat, DefaultChatTransport }, { baseURL }, { id }, answer) {
    const transport = new DefaultChatTransport({ api: `${baseURL}/chat` });
    const chat = new AbstractChat({ id, transport, state: new Messages() });
    await chat.resumeStream();
    answer.result = { status: chat.status, messages: chat.messages };
    if (chat.error) throw chat.error;
  },

  async models(_, gateway, __, answer) {
    answer.result = await gateway.getAvailableModels();
  },

  async credits(_, gateway, __, answer) {
    answer.result = await gateway.getCredits();
  },
};

/** The state of a chat, which @ai-sdk/react keeps for React in the same way. */
class Messages {
  status = "ready";
  error = undefined;
  messages = [];
  snapshot = structuredClone;
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (n, message) => (this.messages = this.messages.with(n, structuredClone(message)));
}

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
