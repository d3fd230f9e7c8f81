/**
 * Reads the parts of `streamText().fullStream` of the AI SDK, each as the part of a provider that it
 * was made from: a delta is in `text`, the input of a call is parsed, a file is an object, and
 * `finish` has the usage of all steps. A call that the SDK has found invalid is left out and counts as
 * a decoding error. `abort` makes a completed run a cancelled one.
 */

import { isRecord, isText } from "./collected.js";
import { stream } from "./stream.js";

export const fullstream = {
  takes: Object.fromEntries(
    Object.entries(stream.takes).map(([type, take]) => [
      type,
      (found, part, parts) => isInvalid(part) || take(found, provided(part), parts),
    ]),
  ),

  ended(parts, end) {
    const ended = stream.ended(parts.filter((part) => !isInvalid(part)).map(provided), end);
    if (ended.outcome === null) return ended;
    const invalid = parts.find(isInvalid);
    const was = (outcome) => (ended.outcome === "completed" ? outcome : ended.outcome);
    if (invalid) return { ...ended, outcome: was("failed"), error: ended.error ?? refusal(invalid) };
    const aborted = parts.some((part) => part?.type === "abort");
    return aborted ? { ...ended, outcome: was("cancelled") } : ended;
  },
};

function isInvalid(part) {
  return isRecord(part) && part.type === "tool-call" && part.invalid === true;
}

/** The failure that an invalid call is, with the message of its own error. */
function refusal({ error, toolName }) {
  const message = (isRecord(error) && isText(error.message) && error.message) || error;
  const tool = isText(toolName) ? toolName : "";
  const said = isText(message) && message ? message : `a call of ${tool} is invalid`;
  return { kind: "decode", message: said, code: "" };
}

function provided(part) {
  return isRecord(part) && Object.hasOwn(FORMS, part.type) ? FORMS[part.type](part) : part;
}

const delta = ({ text, ...part }) => ({ ...part, delta: text });

const FORMS = {
  "text-delta": delta,
  "reasoning-delta": delta,
  "tool-call": ({ toolCallId, toolName, input, ...part }) => {
    return { ...part, id: toolCallId, name: toolName, params: input ?? null };
  },
  file: ({ file, ...part }) => {
    const { mediaType, base64 } = isRecord(file) ? file : {};
    return { ...part, mediaType, data: isText(mediaType) ? base64 : undefined };
  },
  finish: ({ totalUsage, ...part }) => ({ ...part, usage: totalUsage }),
};
