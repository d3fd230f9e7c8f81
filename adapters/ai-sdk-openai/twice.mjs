/** Asks the Responses model of @ai-sdk/openai by `streamText()` and by `generateText()`. */

import { createOpenAI, openai } from "@ai-sdk/openai";
import * as ai from "ai";

import { askTwice } from "../full-stream.mjs";

await askTwice(ai, ({ baseUrl: baseURL }) => createOpenAI({ baseURL, apiKey: "none" }).responses("mock"), openai.tools);
