/** Asks the Responses API by the `stream` helper of openai (Node) and by `create`. */

import OpenAI from "openai";

import { items } from "../conversation.mjs";
import { twice } from "../twice.mjs";

await twice(({ baseUrl: baseURL, messages, tools }) => {
  const { responses } = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  const asked = { model: "mock", input: items(messages), tools: tools.map(tool) };
  return {
    stream: async () => result(await responses.stream(asked).finalResponse()),
    plain: async () => result(await responses.create(asked)),
  };
});

/** The items of a response, as they came, and how it ended. */
function result({ status, incomplete_details, output, usage, error }) {
  return { status, incomplete_details, output, usage, error };
}

function tool({ type = "function", name, description, inputSchema: parameters, options }) {
  if (type === "function") return { type, name, description, parameters, strict: false };
  return { type, ...(type === "custom" && { name, description }), ...options };
}
