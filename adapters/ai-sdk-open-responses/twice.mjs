/** Asks the model of @ai-sdk/open-responses by `streamText()` and by `generateText()`. */

import { createOpenResponses } from "@ai-sdk/open-responses";
import * as ai from "ai";

import { askTwice } from "../full-stream.mjs";

await askTwice(ai, ({ baseUrl }) => createOpenResponses({ name: "upstream", url: `${baseUrl}/responses` })("mock"));
