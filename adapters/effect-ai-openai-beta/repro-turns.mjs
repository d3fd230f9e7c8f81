/** Holds the host's conversation with a Chat of Effect: `node repro-turns.mjs BASE_URL`. */
import { readFileSync } from "node:fs";
import { OpenAiClient, OpenAiLanguageModel, OpenAiTool } from "@effect/ai-openai";
import { Effect, Layer, Redacted, Stream } from "effect";
import { Chat, Toolkit } from "effect/unstable/ai";
import { FetchHttpClient } from "effect/unstable/http";

const { user, tools = [], options: config, turns } = JSON.parse(readFileSync(new URL("host.json", import.meta.url), "utf-8"));
const options = { apiUrl: process.argv[2], apiKey: Redacted.make("none") };
const client = Layer.provide(OpenAiClient.layer(options), FetchHttpClient.layer);
const model = Layer.provide(OpenAiLanguageModel.layer({ model: "mock", config }), client);
const hosted = (type) => OpenAiTool[`_${type}`.replace(/_(.)/g, (_, letter) => letter.toUpperCase())];
const kit = Toolkit.make(...tools.map(({ type, ...args }) => hosted(type)(args)));
const [{ type, ...result } = {}] = turns.flatMap((turn) => Object.values(turn.outputs ?? {}));
const local = Object.values(kit.tools).filter((tool) => tool.requiresHandler);
const handlers = kit.toLayer(Object.fromEntries(local.map(({ name }) => [name, () => Effect.succeed(result)])));
const [chat, toolkit] = await Effect.runPromise(Effect.all([Chat.empty, Effect.provide(kit, handlers)]));
let prompt = user;
for (const { approvals = {}, reason, user: question } of turns) {
  const print = ({ request, ...part }) => Effect.sync(() => console.log(JSON.stringify(part)));
  const parts = Stream.runForEach(chat.streamText({ prompt, toolkit }), print);
  console.log(String(await Effect.runPromiseExit(Effect.provide(parts, model))));
  const answer = ([approvalId, approved]) => ({ type: "tool-approval-response", approvalId, approved, reason });
  prompt = question ?? [{ role: "tool", content: Object.entries(approvals).map(answer) }];
}
