/** Binds the Responses API model of @ai-sdk/openai: emits the parts of its `doStream()`. */

import { createOpenAI, openai, VERSION as version } from "@ai-sdk/openai";

import { bind } from "../language-model.mjs";

bind(
  { name: "@ai-sdk/openai", version },
  ({ baseUrl: baseURL, apiKey, model }) => createOpenAI({ baseURL, apiKey }).responses(model),
  ["openresponses"],
  openai.tools,
);
