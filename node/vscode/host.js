/** The extension host: activates an extension for each run or count, and calls its provider. */

import { Unsupported } from "../lib/ending.js";
import { isInternal } from "../lib/internal.js";
import { extensionContext } from "./context.js";
import { messagesOf, optionsOf, progressOf } from "./conversion.js";
import { isCancellation, LanguageModelError } from "./errors.js";
import { CancellationTokenSource, Disposable } from "./events.js";
import { Session, within } from "./session.js";

/** Returns a function that plays a run with a provider of the extension. */
export function answer(extension, place, choose) {
  return (run, emit) =>
    activated(extension, place, run, (provider) => respond(provider, choose, run, emit));
}

/** Returns a function that counts with a provider: each message by itself, as the editor does. */
export function counter(extension, place, choose) {
  return (asked) =>
    activated(extension, place, asked, (provider) => count(provider, choose, asked));
}

/** Activates the extension in a new session, and calls `work` with its provider. */
function activated(extension, place, asked, work) {
  const { defaults, vendors, start } = extension;
  const context = extensionContext(extension, asked.storage);
  const own = { defaults, vendors, extension: context.extension };
  return within(new Session({ ...place(asked), ...own }), async () => {
    try {
      return await work(await start(context));
    } finally {
      Disposable.from(...context.subscriptions).dispose();
    }
  });
}

async function count(provider, choose, asked) {
  if (typeof provider.provideTokenCount !== "function")
    throw new Unsupported("the provider has no provideTokenCount");
  const model = await modelFor(provider, choose, asked);
  const { token } = new CancellationTokenSource();
  const counts = [];
  for (const message of messagesOf(asked.messages))
    counts.push(await provider.provideTokenCount(model, message, token));
  return { counts, limits: { input: model.maxInputTokens, output: model.maxOutputTokens } };
}

async function respond(provider, choose, run, emit) {
  const model = await modelFor(provider, choose, run);
  const token = tokenFor(run.signal);
  const { progress, late } = progressOf(run, emit, token);
  try {
    const { messages } = run;
    await provider.provideLanguageModelChatResponse(
      model,
      messagesOf(messages),
      optionsOf(run),
      progress,
      token,
    );
    return { outcome: token.isCancellationRequested ? "cancelled" : "completed" };
  } catch (error) {
    return rejected(error, run);
  } finally {
    if (late()) {
      const parts = late() === 1 ? "1 part" : `${late()} parts`;
      console.error(
        `streamproof: run ${run.id} reported ${parts} after the cancellation; VS Code drops them`,
      );
    }
  }
}

/** The model named in the run, else the first: the mock accepts any model. */
async function modelFor(provider, choose, run) {
  const { token } = new CancellationTokenSource();
  const models =
    (await provider.provideLanguageModelChatInformation({ silent: true }, token)) ?? [];
  const model = choose
    ? choose(models, run)
    : (models.find(({ id }) => id === run.model) ?? models[0]);
  if (model) return model;
  throw new Error(
    "the provider offers no model: does it find its base URL and its key? " +
      "provideInVscode({settings, secrets}) says where they go",
  );
}

function tokenFor(signal) {
  const source = new CancellationTokenSource();
  if (signal.aborted) source.cancel();
  else signal.addEventListener("abort", () => source.cancel(), { once: true });
  return source.token;
}

/**
 * The ending for a rejected request. Only LanguageModelError keeps its code, and only the editor's
 * own error of a cancellation is one: to the editor, an AbortError is a failure like any other. An
 * internal error is thrown again, as the adapter's own.
 */
function rejected(error, { id, signal }) {
  if (signal.aborted && isCancellation(error)) return { outcome: "cancelled" };
  if (isInternal(error)) throw error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof LanguageModelError) {
    const code = error.code ? { code: String(error.code) } : {};
    return { outcome: "failed", error: { kind: "upstream", message, ...code } };
  }
  console.error(`streamproof: run ${id} was rejected:`, error);
  return { outcome: "failed", error: { kind: "unknown", message, thrown: classOf(error) } };
}

/** The class of what was thrown, by its name: that of an AbortError is DOMException in Node. */
function classOf(error) {
  if (!(error instanceof Error)) return typeof error;
  return error.name === "Error" ? error.constructor.name || "Error" : error.name;
}
