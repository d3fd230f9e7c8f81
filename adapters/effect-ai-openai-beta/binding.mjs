/**
 * @effect/ai-openai, a streamed text of its language model: the response parts, in Effect's names.
 *
 * Nothing is resolved, so that a call comes out as the model makes it. A failure of the stream is a
 * failed run; a defect is the adapter's. The library offers tools by schemas of its own: here one
 * that takes anything and says to the upstream what the run's JSON Schema says, since a tool made of
 * a JSON Schema (`Tool.dynamic`) is refused when it is called. The upstream's own tools are offered
 * under the library's names; it has no custom tools, and no computer. Retries are left to its users. A
 * cancelled run is an interrupted fibre. An event that the library cannot decode, and `[DONE]` is
 * one to it, takes along all that came in the same read; so that a run does not depend on which
 * events shared one, each has a read of its own.
 */

import { createRequire } from "node:module";

import { OpenAiClient, OpenAiLanguageModel, OpenAiTool } from "@effect/ai-openai";
import { Cause, Effect, Exit, Layer, Redacted, Schema, Stream } from "effect";
import { LanguageModel, Tool, Toolkit } from "effect/unstable/ai";
import { FetchHttpClient } from "effect/unstable/http";

import { serve } from "../../node/index.js";
import { fetchByEvent } from "../events.mjs";
import { json } from "../json.mjs";

const { name, version } = createRequire(import.meta.url)("@effect/ai-openai/package.json");
const ME = {
  name: "streamproof binding",
  version: "1",
  implementation: { name, version },
  dialects: ["openresponses"],
};

serve(ME, async (run, emit) => {
  const toolkit = await Effect.runPromise(kit(run.tools));
  const asked = { prompt: run.messages, toolkit, disableToolCallResolution: true };
  const emitted = LanguageModel.streamText(asked).pipe(
    Stream.runForEach((part) => Effect.sync(() => emit(json(part)))),
    Effect.provide(model(run)),
  );
  const exit = await Effect.runPromiseExit(emitted, { signal: run.signal });
  if (run.signal.aborted || Exit.isSuccess(exit)) return;
  const error = Cause.squash(exit.cause);
  if (Cause.hasDies(exit.cause)) throw error;
  return { outcome: "failed", error: { kind: "upstream", message: error.message } };
});

function model({ model: id, baseUrl: apiUrl, apiKey }) {
  const client = OpenAiClient.layer({ apiUrl, apiKey: Redacted.make(apiKey) });
  return OpenAiLanguageModel.layer({ model: id, config: { strictJsonSchema: false } }).pipe(
    Layer.provide(client),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetchByEvent)),
  );
}

const HOSTED = {
  apply_patch: OpenAiTool.ApplyPatch,
  code_interpreter: OpenAiTool.CodeInterpreter,
  file_search: OpenAiTool.FileSearch,
  image_generation: OpenAiTool.ImageGeneration,
  local_shell: OpenAiTool.LocalShell,
  mcp: OpenAiTool.Mcp,
  shell: OpenAiTool.Shell,
  web_search: OpenAiTool.WebSearch,
};

/** The tools as the library takes them; no handler is ever called. */
function kit(tools) {
  const known = tools.map(tool).filter((each) => each !== undefined);
  const all = Toolkit.make(...known);
  const handlers = known.map((each) => [each.name, () => Effect.die("not resolved")]);
  return Effect.provide(all, all.toLayer(Object.fromEntries(handlers)));
}

function tool({ type = "function", name, description, inputSchema, options }) {
  if (type !== "function") return HOSTED[type]?.(options);
  const told = { toJsonSchema: () => inputSchema };
  const parameters = Schema.Any.check(Schema.makeFilter((value) => value !== null, told));
  return Tool.make(name, { description, parameters });
}
