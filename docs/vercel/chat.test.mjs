import { after, test } from "node:test";

import { DefaultChatTransport, readUIMessageStream } from "ai";
import { mock } from "streamproof/test";

const server = await mock();
after(() => server.stop());

/** The code under test: what the page shows of a message, from one step to the next. */
function shown({ parts }, step) {
  const begins = parts.flatMap(({ type }, n) => (type === "step-start" ? [n] : []));
  return parts.slice(begins[step], begins[step + 1]).flatMap(({ type, text, toolCallId, input }) => {
    if (type === "text") return [{ type: "text", value: text }];
    if (!type.startsWith("tool-")) return [];
    return [{ type: "toolCall", callId: toolCallId, name: type.slice("tool-".length), input }];
  });
}

async function answered(api, messages) {
  const transport = new DefaultChatTransport({ api });
  const asked = { trigger: "submit-message", chatId: "1", messages };
  const stream = await transport.sendMessages(asked);
  const last = messages.at(-1);
  let answer = last.role === "assistant" ? last : undefined;
  for await (const message of readUIMessageStream({ message: answer, stream })) answer = message;
  return answer;
}

test("a call, its result, and the answer", async () => {
  const run = await server.run("any/annex");
  const api = `${run.baseUrl}/chat`;
  const question = { id: "1", role: "user", parts: [{ type: "text", text: "How do parsers work?" }] };
  const called = await answered(api, [question]);
  await run.check(shown(called, 0), { turn: 0, finish: "tool-calls" });

  const call = called.parts.find(({ type }) => type === "tool-search");
  Object.assign(call, { state: "output-available", output: { results: [] } });
  const answer = await answered(api, [question, called]);
  await run.check(shown(answer, 1), { turn: 1, finish: "stop" });
});
