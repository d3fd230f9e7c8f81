/** Asks the chat model of @ai-sdk/openai by `streamText()` and by `generateText()`. */

import { createOpenAI } from "@ai-sdk/openai";
import * as ai from "ai";

import { askTwice } from "../full-stream.mjs";

await askTwice(ai, ({ baseUrl: baseURL }) => createOpenAI({ baseURL, apiKey: "none" }).chat("mock"));
