/** Reads the parts that a VS Code language model provider reports. */

import { citedBy } from "../citations.js";
import { addCall, addData, addText, isText } from "./collected.js";

export const vscode = {
  takes: {
    text: (found, { value }) => isText(value) && addText(found, value),
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
};
