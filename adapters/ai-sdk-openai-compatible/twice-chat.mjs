/** Asks the model of @ai-sdk/openai-compatible by `streamText()` and by `generateText()`. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai from "ai";

import { askTwice } from "../full-stream.mjs";

const upstream = (baseURL) => createOpenAICompatible({ name: "upstream", baseURL, includeUsage: true });
await askTwice(ai, ({ baseUrl }) => upstream(baseUrl)("mock"));
