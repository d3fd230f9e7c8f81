/** Asks for chat completions by the `stream` helper of openai (Node) and by `create`. */

import OpenAI from "openai";

import { chat } from "../conversation.mjs";
import { twice } from "../twice.mjs";

await twice(({ baseUrl: baseURL, ...run }) => {
  const { completions } = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }).chat;
  const asked = { model: "mock", ...chat(run) };
  return {
    stream: async () => {
      const done = { content: [], refusal: [], calls: [] };
      const stream = completions.stream({ ...asked, stream_options: { include_usage: true } });
      stream.on("content.done", ({ content }) => content && done.content.push(content));
      stream.on("refusal.done", ({ refusal }) => done.refusal.push(refusal));
      const called = ({ name, arguments: input }) => done.calls.push([name, input]);
      stream.on("tool_calls.function.arguments.done", called);
      const { choices, usage } = await stream.finalChatCompletion();
      return { choices, usage, done };
    },
    plain: async () => {
      const { choices, usage } = await completions.create(asked);
      const said = choices.map(({ message }) => message);
      const calls = said.flatMap(({ tool_calls: made }) => made ?? []);
      const done = {
        content: said.map(({ content }) => content).filter(Boolean),
        refusal: said.map(({ refusal }) => refusal).filter(Boolean),
        calls: calls.flatMap(({ function: made }) => (made ? [[made.name, made.arguments]] : [])),
      };
      return { choices, usage, done };
    },
  };
});
