/** Binds the chat completions model of @ai-sdk/openai: emits the parts of its `doStream()`. */

import { createOpenAI, VERSION as version } from "@ai-sdk/openai";

import { bind } from "../language-model.mjs";

bind(
  { name: "@ai-sdk/openai", version },
  ({ baseUrl: baseURL, apiKey, model }) => createOpenAI({ baseURL, apiKey }).chat(model),
  ["chat"],
);
