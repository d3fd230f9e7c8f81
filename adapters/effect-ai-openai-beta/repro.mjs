/** Prints the parts of Effect's streamText(), then of its generateText(): `node repro.mjs BASE_URL`. */
import { readFileSync } from "node:fs";
import { OpenAiClient, OpenAiLanguageModel, OpenAiTool } from "@effect/ai-openai";
import { Effect, Layer, Redacted, Schema, Stream } from "effect";
import { LanguageModel, Tool, Toolkit } from "effect/unstable/ai";
import { FetchHttpClient } from "effect/unstable/http";

const options = { apiUrl: process.argv[2], apiKey: Redacted.make("none") };
const client = Layer.provide(OpenAiClient.layer(options), FetchHttpClient.layer);
const layer = OpenAiLanguageModel.layer({ model: "mock", config: { strictJsonSchema: false } });
const run = (effect) => Effect.runPromiseExit(Effect.provide(effect, Layer.provide(layer, client)));
const [{ body }] = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf-8"));
const parameters = Schema.Any.check(Schema.makeFilter(() => true, { toJsonSchema: () => ({ type: "object" }) }));
const hosted = (type) => OpenAiTool[`_${type}`.replace(/_(.)/g, (_, letter) => letter.toUpperCase())];
const tool = ({ type, ...args }) => hosted(type)?.(args) ?? Tool.make(args.name, { parameters });
const kit = Toolkit.make(...(body.tools ?? []).map(tool));
const own = Object.values(kit.tools).filter((each) => Tool.isUserDefined(each) || each.requiresHandler);
const handlers = kit.toLayer(Object.fromEntries(own.map(({ name }) => [name, () => Effect.void])));
const toolkit = await Effect.runPromise(Effect.provide(kit, handlers));
const asked = { prompt: "Hello", toolkit, disableToolCallResolution: true };
const print = ({ request, response, ...part }) => console.log(JSON.stringify(part));
const parts = Stream.runForEach(LanguageModel.streamText(asked), (part) => Effect.sync(() => print(part)));
console.log("streamText:", JSON.stringify(await run(parts)));
const plain = Effect.map(LanguageModel.generateText(asked), ({ content }) => content.forEach(print));
console.log("generateText:", JSON.stringify(await run(plain)));
