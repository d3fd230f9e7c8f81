/**
 * Binds the browser's side of the AI SDK: `DefaultChatTransport` and `readUIMessageStream()`.
 *
 * The library yields the complete message each time it has grown; the parts emitted are the difference
 * to the message before. A tool's part is a call once its input is complete. The message does not have
 * its finish reason, so that is taken from the chunks between transport and reader.
 */

import { createRequire } from "node:module";

import { serve } from "../node/index.js";
import { internalErrors, isInternal } from "./failures.mjs";
import { json } from "./json.mjs";
import { told } from "./ui-parts.mjs";
import { uiMessages } from "./ui-prompt.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

/** Serves the binding in the module `url`, of the version of `ai` that is installed beside it. */
export function bind(url, ai) {
  const { version } = createRequire(url)("ai/package.json");
  const implementation = { name: "ai", version };
  const adapter = { name: "streamproof binding", version: "1", implementation, dialects: ["vercel-ui"] };
  serve(adapter, async (run, emit) => {
    const say = (part) => run.signal.aborted || emit(json(part));
    const finishes = [];
    const internal = internalErrors();
    try {
      const chunks = await asked(ai, run);
      const stream = chunks.pipeThrough(new TransformStream({ transform: watching(finishes) }));
      const onError = (error) => {
        internal.watch({ error });
        say({ type: "error", error });
      };
      const parts = told();
      for await (const message of ai.readUIMessageStream({ stream, onError })) {
        for (const part of parts(message)) say(part);
      }
      for (const { finishReason } of finishes) say({ type: "finish", finishReason });
      internal.done();
    } catch (error) {
      if (run.signal.aborted || isInternal(error)) throw error;
      return { outcome: "failed", error: { kind: "unknown", message: error.message } };
    }
  });
}

function asked({ DefaultChatTransport }, { baseUrl, id: chatId, messages, options, signal }) {
  const { max_retries: _, ...body } = options;
  const transport = new DefaultChatTransport({ api: `${baseUrl}/chat`, body });
  return transport.sendMessages({
    trigger: "submit-message",
    chatId,
    messageId: undefined,
    messages: uiMessages(messages),
    abortSignal: signal,
  });
}

const watching = (finishes) => (chunk, controller) => {
  if (chunk.type === "finish" && chunk.finishReason) finishes.push(chunk);
  controller.enqueue(chunk);
};
