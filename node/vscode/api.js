/** The module that `import * as vscode from "vscode"` and `require("vscode")` load. */

export * from "./enums.js";
export * from "./errors.js";
export { CancellationTokenSource, Disposable, EventEmitter } from "./events.js";
export { lm } from "./lm.js";
export {
  LanguageModelChatMessage,
  LanguageModelChatMessage2,
  LanguageModelChatMessageRole,
  LanguageModelChatToolMode,
  LanguageModelDataPart,
  LanguageModelDataPart2,
  LanguageModelPromptTsxPart,
  LanguageModelTextPart,
  LanguageModelThinkingPart,
  LanguageModelToolCallPart,
  LanguageModelToolResult,
  LanguageModelToolResult2,
  LanguageModelToolResultPart,
  LanguageModelToolResultPart2,
} from "./parts.js";
export * from "./theming.js";
export { Uri } from "./uri.js";
export { commands, env, extensions, l10n, window } from "./window.js";
export { workspace } from "./workspace.js";

/** The version of the API whose types this follows. */
export const version = "1.140.0";
