/**
 * Binds the browser's side of the AI SDK: `DefaultChatTransport`, and `readUIMessageStream()` behind it.
 *
 * The library hands on the whole message each time that it has grown; the parts are what each of them has
 * and the one before had not. A tool's part is the call once its input is there. The message does not say
 * why it ended, so that is taken from the chunks between transport and reader.
 */

import { serve } from "../node/index.js";
import { json } from "./json.mjs";
import { told } from "./ui-parts.mjs";
import { uiMessages } from "./ui-prompt.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

/** `ai` is the module of that name. */
export function bind(version, ai) {
  const implementation = { name: "ai", version };
  const adapter = { name: "streamproof binding", version: "1", implementation, dialects: ["vercel-ui"] };
  serve(adapter, async (run, emit) => {
    const say = (part) => run.signal.aborted || emit(json(part));
    const finishes = [];
    try {
      const chunks = await asked(ai, run);
      const stream = chunks.pipeThrough(new TransformStream({ transform: watching(finishes) }));
      const onError = (error) => say({ type: "error", error });
      const parts = told();
      for await (const message of ai.readUIMessageStream({ stream, onError })) {
        for (const part of parts(message)) say(part);
      }
      for (const { finishReason } of finishes) say({ type: "finish", finishReason });
    } catch (error) {
      if (run.signal.aborted) throw error;
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
