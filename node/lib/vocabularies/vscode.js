/** Reads the parts that a VS Code language model provider reports. */

import { citedBy } from "../citations.js";
import { addCall, addData, addText, isText } from "./collected.js";

const THINKING_PREFIX = "[Thinking] ";

export const vscode = (traits) => ({
  takes: {
    text: (found, { value }) => {
      if (!isText(value)) return;
      if (traits.reasoning === "prefixed" && value.startsWith(THINKING_PREFIX)) {
        found.thinking += value.slice(THINKING_PREFIX.length);
      } else addText(found, value);
    },
    thinking: (found, { value }) => {
      if (isText(value)) found.thinking += value;
      else if (Array.isArray(value)) found.thinking += value.map(String).join("");
    },
    toolCall: (found, { callId, name, input }) =>
      input !== undefined && addCall(found, callId, name, input),
    data: (found, { mimeType, data }) => {
      if (!isText(mimeType) || !isText(data)) return;
      const citation = citedBy(mimeType, data);
      if (citation) found.citations.push(citation);
      else addData(found, mimeType, data);
    },
  },

  ended: (_parts, end) => end,
});
