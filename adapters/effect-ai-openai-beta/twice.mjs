/** Asks Effect's language model by `streamText()` and by `generateText()`: the parts of both. */

import { OpenAiClient, OpenAiLanguageModel, OpenAiTool } from "@effect/ai-openai";
import { Effect, Layer, Redacted, Schema, Stream } from "effect";
import { LanguageModel, Tool, Toolkit } from "effect/unstable/ai";
import { FetchHttpClient } from "effect/unstable/http";

import { askParts } from "../effect-twice.mjs";

const object = { toJsonSchema: () => ({ type: "object" }) };
const parameters = Schema.Any.check(Schema.makeFilter(() => true, object));

await askParts({
  model({ baseUrl: apiUrl, options: { max_retries: _, ...options } }) {
    const client = Layer.provide(OpenAiClient.layer({ apiUrl, apiKey: Redacted.make("none") }), FetchHttpClient.layer);
    const config = { strictJsonSchema: false, ...options };
    return Layer.provide(OpenAiLanguageModel.layer({ model: "mock", config }), client);
  },
  tool: (name, description) => Tool.make(name, { description, parameters }),
  own: (tool) => Tool.isUserDefined(tool) || tool.requiresHandler,
  Effect,
  LanguageModel,
  OpenAiTool,
  Stream,
  Toolkit,
});
