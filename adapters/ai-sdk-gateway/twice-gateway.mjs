/** Asks Vercel's gateway by `streamText()` and by `generateText()`. */

import { createGateway } from "@ai-sdk/gateway";
import * as ai from "ai";

import { askTwice } from "../full-stream.mjs";

await askTwice(ai, ({ baseUrl: baseURL }) => createGateway({ baseURL, apiKey: "none" })("mock"));
