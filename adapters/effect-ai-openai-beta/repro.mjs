/** Prints the parts that Effect's LanguageModel.streamText() emits: `node repro.mjs BASE_URL`. */
import { readFileSync } from "node:fs";
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai";
import { Effect, Layer, Redacted, Schema, Stream } from "effect";
import { LanguageModel, Tool, Toolkit } from "effect/unstable/ai";
import { FetchHttpClient } from "effect/unstable/http";

const client = OpenAiClient.layer({ apiUrl: process.argv[2], apiKey: Redacted.make("none") });
const config = { strictJsonSchema: false };
const model = OpenAiLanguageModel.layer({ model: "mock", config }).pipe(
  Layer.provide(client),
  Layer.provide(FetchHttpClient.layer),
);
const [{ body }] = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf-8"));
const names = (body.tools ?? []).filter(({ type }) => type === "function").map(({ name }) => name);
const object = { toJsonSchema: () => ({ type: "object" }) };
const parameters = Schema.Any.check(Schema.makeFilter(() => true, object));
const kit = Toolkit.make(...names.map((name) => Tool.make(name, { parameters })));
const handlers = kit.toLayer(Object.fromEntries(names.map((name) => [name, () => Effect.void])));
const toolkit = await Effect.runPromise(Effect.provide(kit, handlers));
const asked = { prompt: "Hello", toolkit, disableToolCallResolution: true };
const print = ({ request, response, ...part }) => console.log(JSON.stringify(part));
const parts = Stream.runForEach(LanguageModel.streamText(asked), (part) => Effect.sync(() => print(part)));
console.log(JSON.stringify(await Effect.runPromiseExit(Effect.provide(parts, model))));
