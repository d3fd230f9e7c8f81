/**
 * @ai-sdk/openai-compatible, its model of anybody's chat completions: the parts of its `doStream()`.
 *
 * It is asked for the usage, as its documentation has it. It reads reasoning from
 * `reasoning_content` and `reasoning`, which this upstream does not send.
 */

import { createOpenAICompatible, VERSION as version } from "@ai-sdk/openai-compatible";

import { bind } from "../language-model.mjs";

bind(
  { name: "@ai-sdk/openai-compatible", version },
  ({ baseUrl: baseURL, apiKey, model }) =>
    createOpenAICompatible({ name: "upstream", baseURL, apiKey, includeUsage: true })(model),
  ["copilot"],
);
