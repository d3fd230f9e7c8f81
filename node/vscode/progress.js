/**
 * The host's side of `Progress`: converts parts by their class, checked in the editor's order.
 *
 * The editor drops parts that come after the cancellation, and with a warning those of unknown
 * classes. Here both go to the kit, the latter as parts of no vocabulary, so that the kit judges what
 * the editor hides.
 */

import { inspect } from "node:util";

import { base64 } from "../lib/base64.js";
import {
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from "./parts.js";

/** `progress`, to which the provider reports, and `late`, the number of parts that came too late. */
export function progressOf(run, emit, token) {
  let late = 0;
  return {
    progress: {
      report(part) {
        if (token.isCancellationRequested) late += 1;
        emit(known(part) ?? unknown(part, run));
      },
    },
    late: () => late,
  };
}

function known(part) {
  if (part instanceof LanguageModelToolCallPart) {
    return { type: "toolCall", callId: part.callId, name: part.name, input: part.input };
  }
  if (part instanceof LanguageModelTextPart) return { type: "text", value: part.value };
  if (part instanceof LanguageModelDataPart) {
    return { type: "data", mimeType: part.mimeType, data: bytes(part.data) };
  }
  if (LanguageModelThinkingPart && part instanceof LanguageModelThinkingPart) {
    return { type: "thinking", value: part.value, id: part.id, metadata: part.metadata };
  }
  return undefined;
}

function bytes(data) {
  return data instanceof Uint8Array ? base64(data) : inspect(data);
}

function unknown(part, { id }) {
  const name = part?.constructor?.name ?? inspect(part);
  console.error(`streamproof: run ${id} reported an UNKNOWN part, which VS Code drops: ${name}`);
  return part instanceof LanguageModelToolResultPart
    ? { type: "toolResult", callId: part.callId, content: part.content }
    : { type: "unknown", is: inspect(part, { depth: 1 }).slice(0, 200) };
}
