/**
 * Binds the chat model of @ai-sdk/openai-compatible: emits the parts of its `doStream()`.
 *
 * Usage is requested, as its documentation shows.
 */

import { createOpenAICompatible, VERSION as version } from "@ai-sdk/openai-compatible";

import { bind } from "../language-model.mjs";

bind(
  { name: "@ai-sdk/openai-compatible", version },
  ({ baseUrl: baseURL, apiKey, model }) =>
    createOpenAICompatible({ name: "upstream", baseURL, apiKey, includeUsage: true })(model),
  ["chat"],
);
