/** Prints the parts that Effect's LanguageModel.streamText() emits: `node repro.mjs BASE_URL`. */

import { readFileSync } from "node:fs";

import { LanguageModel, Tool, Toolkit } from "@effect/ai";
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai";
import { FetchHttpClient } from "@effect/platform";
import { Effect, Layer, Redacted, Schema, Stream } from "effect";

const client = OpenAiClient.layer({ apiUrl: process.argv[2], apiKey: Redacted.make("none") });
const model = OpenAiLanguageModel.layer({ model: "mock", config: { strict: false } }).pipe(
  Layer.provide(client),
  Layer.provide(FetchHttpClient.layer),
);
const [{ body }] = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf-8"));
const names = (body.tools ?? []).filter(({ type }) => type === "function").map(({ name }) => name);
const any = Schema.Record({ key: Schema.String, value: Schema.Unknown });
const kit = Toolkit.make(...names.map((name) => Tool.make(name).setParameters(any)));
const handlers = kit.toLayer(Object.fromEntries(names.map((name) => [name, () => Effect.void])));
const toolkit = await Effect.runPromise(Effect.provide(kit, handlers));
const asked = { prompt: "Hello", toolkit, disableToolCallResolution: true };
const printed = Stream.runForEach(LanguageModel.streamText(asked), (part) =>
  Effect.sync(() => console.log(JSON.stringify(part))),
);
console.log(JSON.stringify(await Effect.runPromiseExit(Effect.provide(printed, model))));
