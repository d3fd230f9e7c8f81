/** Binds the Responses API model of @ai-sdk/openai as users call it, by `streamText().stream`. */

import { createOpenAI, openai, VERSION as version } from "@ai-sdk/openai";
import * as ai from "ai";

import { bind } from "../full-stream.mjs";

bind(
  { name: "@ai-sdk/openai", version },
  ai,
  ({ baseUrl: baseURL, apiKey, model }) => createOpenAI({ baseURL, apiKey }).responses(model),
  ["openresponses"],
  openai.tools,
);
