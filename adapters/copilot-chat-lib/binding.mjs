/**
 * @vscode/chat-lib, the SSEProcessor of Copilot Chat: chunks in, parts of the vocabulary `copilot` out.
 *
 * The library has no public interface for chat, so its compiled files are loaded by their paths; they
 * are private, and the version is pinned. A delta part is the argument of its callback, a completion
 * part is what it yields, both unchanged. One choice is requested, as Copilot Chat does, so that it
 * yields one completion. The library writes the messages of a request too; HTTP errors are handled by
 * the binding itself.
 *
 * These files only load @vscode/prompt-tsx. The other dependencies, 200 MB of editor and telemetry, are
 * overridden in package.json: each name is installed as that same small package. The postinstall script
 * copies parts of them and is not run. The package requires Node 22 and runs on Node 20.
 */

import { serve } from "../../node/index.js";
import { isInternal } from "../failures.mjs";
import { Response, SSEProcessor, version } from "./internal.mjs";
import { messagesOf } from "./messages.mjs";

const ME = {
  name: "streamproof binding",
  version: "1",
  implementation: { name: "@vscode/chat-lib", version },
  dialects: ["chat"],
};
const CHOICES = 1;

const ignored = () => {};
// A logger and telemetry that do nothing: the library only logs and counts what it cannot read.
const quiet = new Proxy({}, { get: () => ignored });

serve(ME, async (run, emit) => {
  const response = await asked(run);
  if (!response.ok) return failed("http", await refused(response));
  try {
    await read(response, run.signal, emit);
  } catch (error) {
    if (run.signal.aborted || isInternal(error)) throw error;
    return failed(error.cause ? "transport" : "decode", error);
  }
});

function asked({ baseUrl, apiKey, model, messages, tools, signal }) {
  const body = { model, messages: messagesOf(messages), stream: true };
  body.stream_options = { include_usage: true };
  if (tools.length > 0) body.tools = tools.map(tool);
  return fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

const tool = ({ name, description, inputSchema: parameters }) => ({
  type: "function",
  function: { name, description, parameters },
});

async function read({ status, statusText, headers, body }, signal, emit) {
  const response = new Response(status, statusText, headers, body, "node-fetch", ignored, "", "");
  const token = { get isCancellationRequested() { return signal.aborted; } };
  const processor = await SSEProcessor.create(quiet, quiet, CHOICES, response, token);
  const hear = async (_text, index, delta) => emit({ type: "delta", index, delta });
  for await (const { index, reason, usage, error, filterReason } of processor.processSSE(hear)) {
    emit({ type: "completion", index, reason, usage, error, filterReason });
  }
}

async function refused(response) {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    return { message: error.message, code: error.code };
  } catch {
    return { message: text };
  }
}

function failed(kind, { message, code }) {
  return { outcome: "failed", error: { kind, message: message ?? "", code } };
}
