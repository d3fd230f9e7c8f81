/**
 * @effect/ai-openai, its language model's `streamText()`: the response parts, with Effect's names.
 *
 * Calls are not resolved, so that each is emitted as the model makes it. A failure of the stream is a
 * failed run; a defect is the adapter's error. The library describes tools by its own schemas: here one
 * that takes any value and sends the run's JSON Schema to the upstream, since a tool made from a JSON
 * Schema (`Tool.dynamic`) is refused when it is called. Tools that the upstream runs are offered under
 * the library's names; it has no custom tools and no computer. The next turn of a conversation goes on
 * with the prompt that the library makes of the parts (`Prompt.fromResponseParts`), as its chat does.
 * Retries are left to its users. A cancelled run is an interrupted fibre, and takes no further part:
 * Effect interrupts a fibre only where it yields.
 */

import { createRequire } from "node:module";

import { OpenAiClient, OpenAiLanguageModel, OpenAiTool } from "@effect/ai-openai";
import { Cause, Effect, Exit, Layer, Redacted, Schema, Stream } from "effect";
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/unstable/ai";
import { FetchHttpClient } from "effect/unstable/http";

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

const { prompt, remember } = conversation(Prompt, Prompt.concat);

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
  if (Cause.hasDies(exit.cause)) throw error;
  return failed(error);
});

/** A failure, with all that the library's error has: its message, the upstream's body and code. */
function failed({ message, reason: { http, metadata } = {} }) {
  const code = metadata?.errorCode ?? metadata?.openai?.errorCode ?? undefined;
  const said = [message, http?.body].filter(Boolean).join("\n");
  return { outcome: "failed", error: { kind: http ? "http" : "upstream", message: said, code } };
}

function model({ model: id, baseUrl: apiUrl, apiKey, options: { max_retries: _, ...options } }) {
  const client = OpenAiClient.layer({ apiUrl, apiKey: Redacted.make(apiKey) });
  const config = { strictJsonSchema: false, ...options };
  return OpenAiLanguageModel.layer({ model: id, config }).pipe(
    Layer.provide(client),
    Layer.provide(FetchHttpClient.layer),
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

/** The tools as a toolkit of the library; handlers are for those that its user runs, and never called. */
function kit(tools) {
  const known = tools.map(tool).filter((each) => each !== undefined);
  const all = Toolkit.make(...known);
  const own = known.filter((each) => Tool.isUserDefined(each) || each.requiresHandler);
  const handlers = own.map((each) => [each.name, () => Effect.die("not resolved")]);
  return Effect.provide(all, all.toLayer(Object.fromEntries(handlers)));
}

function tool({ type = "function", name, description, inputSchema, options }) {
  if (type !== "function") return HOSTED[type]?.(options);
  const told = { toJsonSchema: () => inputSchema };
  const parameters = Schema.Any.check(Schema.makeFilter((value) => value !== null, told));
  return Tool.make(name, { description, parameters });
}
