/**
 * @effect/ai-openai, its language model's `streamText()`: the response parts, with Effect's names.
 *
 * Calls are not resolved, so that each is emitted as the model makes it. A failure of the stream is a
 * failed run; a defect is the adapter's error. The library describes tools by its own schemas: here one
 * that takes any object and sends the run's JSON Schema to the upstream. It supports a few of the tools
 * that the upstream runs, which are offered under its names; it has no custom tools, and no approvals.
 * The next turn of a conversation goes on with the prompt that the library makes of the parts
 * (`Prompt.fromResponseParts`), as its chat does. Retries are left to its users. A cancelled run is an
 * interrupted fibre, and takes no further part: Effect interrupts a fibre only where it yields.
 */

import { createRequire } from "node:module";

import { LanguageModel, Prompt, Tool, Toolkit } from "@effect/ai";
import { OpenAiClient, OpenAiLanguageModel, OpenAiTool } from "@effect/ai-openai";
import { FetchHttpClient } from "@effect/platform";
import { Cause, Effect, Exit, Layer, Redacted, Schema, Stream } from "effect";

import { serve } from "../../node/index.js";
import { conversation } from "../effect-prompt.mjs";
import { json } from "../json.mjs";

const { name, version } = createRequire(import.meta.url)("@effect/ai-openai/package.json");
const ME = {
  name: "streamproof binding",
  version: "1",
  implementation: { name, version },
  dialects: ["openresponses"],
};

const { prompt, remember } = conversation(Prompt, Prompt.merge);

serve(ME, async (run, emit) => {
  const toolkit = await Effect.runPromise(kit(run.tools));
  const asked = { prompt: prompt(run.messages), toolkit, disableToolCallResolution: true };
  const parts = [];
  const emitted = LanguageModel.streamText(asked).pipe(
    Stream.takeWhile(() => !run.signal.aborted),
    Stream.runForEach((part) => Effect.sync(() => emit(json(part), parts.push(part)))),
    Effect.provide(model(run)),
  );
  const exit = await Effect.runPromiseExit(emitted, { signal: run.signal });
  if (Exit.isSuccess(exit)) remember(parts);
  if (run.signal.aborted || Exit.isSuccess(exit)) return;
  const error = Cause.squash(exit.cause);
  if (Cause.isDie(exit.cause)) throw error;
  return { outcome: "failed", error: { kind: "upstream", message: error.message } };
});

function model({ model: id, baseUrl: apiUrl, apiKey, options: { max_retries: _, ...options } }) {
  const client = OpenAiClient.layer({ apiUrl, apiKey: Redacted.make(apiKey) });
  return OpenAiLanguageModel.layer({ model: id, config: { strict: false, ...options } }).pipe(
    Layer.provide(client),
    Layer.provide(FetchHttpClient.layer),
  );
}

const HOSTED = {
  code_interpreter: OpenAiTool.CodeInterpreter,
  file_search: OpenAiTool.FileSearch,
  web_search: OpenAiTool.WebSearch,
};

/** The tools as a toolkit of the library; their handlers are never called. */
function kit(tools) {
  const known = tools.map(tool).filter((each) => each !== undefined);
  const all = Toolkit.make(...known);
  const handlers = known.map((each) => [each.name, () => Effect.die("not resolved")]);
  return Effect.provide(all, all.toLayer(Object.fromEntries(handlers)));
}

function tool({ type = "function", name, description, inputSchema: jsonSchema, options }) {
  if (type !== "function") return HOSTED[type]?.(options);
  const any = Schema.Record({ key: Schema.String, value: Schema.Unknown });
  return Tool.make(name, { description }).setParameters(any.annotations({ jsonSchema }));
}
