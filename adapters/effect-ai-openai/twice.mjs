/** Asks Effect's language model by `streamText()` and by `generateText()`: the parts of both. */

import { LanguageModel, Tool, Toolkit } from "@effect/ai";
import { OpenAiClient, OpenAiLanguageModel, OpenAiTool } from "@effect/ai-openai";
import { FetchHttpClient } from "@effect/platform";
import { Effect, Layer, Redacted, Schema, Stream } from "effect";

import { askParts } from "../effect-twice.mjs";

const any = Schema.Record({ key: Schema.String, value: Schema.Unknown });

await askParts({
  model({ baseUrl: apiUrl, options: { max_retries: _, ...options } }) {
    const client = Layer.provide(OpenAiClient.layer({ apiUrl, apiKey: Redacted.make("none") }), FetchHttpClient.layer);
    const config = { strict: false, ...options };
    return Layer.provide(OpenAiLanguageModel.layer({ model: "mock", config }), client);
  },
  tool: (name, description) => Tool.make(name, { description }).setParameters(any),
  own: Tool.isUserDefined,
  Effect,
  LanguageModel,
  OpenAiTool,
  Stream,
  Toolkit,
});
