/** `vscode.chat`: participants can be created, and are never asked. */

import { never, nothing } from "./events.js";
import { open } from "./missing.js";

function createChatParticipant(id, requestHandler) {
  return {
    id,
    requestHandler,
    iconPath: undefined,
    followupProvider: undefined,
    onDidReceiveFeedback: never,
    dispose: nothing,
  };
}

export const chat = open("chat", { createChatParticipant });
