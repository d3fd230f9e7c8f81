/** The parts of messages and answers (`vscode.d.ts`, "Language models"). */

import { counted } from "./enumeration.js";

export class LanguageModelTextPart {
  constructor(value) {
    this.value = value;
  }
}

export class LanguageModelToolCallPart {
  constructor(callId, name, input) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}

export class LanguageModelToolResultPart {
  constructor(callId, content) {
    this.callId = callId;
    this.content = content;
  }
}

export class LanguageModelDataPart {
  constructor(data, mimeType) {
    this.data = data;
    this.mimeType = mimeType;
  }

  static image(data, mime) {
    return new LanguageModelDataPart(data, mime);
  }

  static json(value, mime = "application/json") {
    const json = JSON.stringify(value);
    if (json === undefined)
      throw new TypeError("LanguageModelDataPart.json takes what JSON can say");
    return LanguageModelDataPart.text(json, mime);
  }

  static text(value, mime = "text/plain") {
    return new LanguageModelDataPart(new TextEncoder().encode(value), mime);
  }
}

export class LanguageModelPromptTsxPart {
  constructor(value) {
    this.value = value;
  }
}

export class LanguageModelToolResult {
  constructor(content) {
    this.content = content;
  }
}

class ThinkingPart {
  static {
    Object.defineProperty(this, "name", { value: "LanguageModelThinkingPart" });
  }

  constructor(value, id, metadata) {
    this.value = value;
    this.id = id;
    this.metadata = metadata;
  }
}

/** Proposed API `languageModelThinkingPart`; undefined if the host does not have it. */
export let LanguageModelThinkingPart = ThinkingPart;

/** Sets whether the host has thinking parts. */
export function haveThinking(has) {
  LanguageModelThinkingPart = has ? ThinkingPart : undefined;
}

// Proposals renamed these; the classes are the same.
export const LanguageModelToolResultPart2 = LanguageModelToolResultPart;
export const LanguageModelDataPart2 = LanguageModelDataPart;
export const LanguageModelToolResult2 = LanguageModelToolResult;

/** `System` belongs to the proposed API `languageModelSystem`. */
export const LanguageModelChatMessageRole = counted(1, "User Assistant System");

export const LanguageModelChatToolMode = counted(1, "Auto Required");

export class LanguageModelChatMessage {
  constructor(role, content, name) {
    this.role = role;
    this.content = typeof content === "string" ? [new LanguageModelTextPart(content)] : content;
    this.name = name;
  }

  static User(content, name) {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.User, content, name);
  }

  static Assistant(content, name) {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.Assistant, content, name);
  }
}

export const LanguageModelChatMessage2 = LanguageModelChatMessage;
