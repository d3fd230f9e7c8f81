/** The module that `import * as vscode from "vscode"` and `require("vscode")` load. */

export * from "./enums.js";
export { env, extensions, l10n } from "./env.js";
export { CancellationError, FileSystemError, LanguageModelError } from "./errors.js";
export { CancellationTokenSource, Disposable, EventEmitter } from "./events.js";
export { languages } from "./languages.js";
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
export * from "./positions.js";
export { authentication, chat, commands, lm } from "./registries.js";
export * from "./standIns.js";
export { Uri } from "./uri.js";
export * from "./values.js";
export { window } from "./window.js";
export { workspace } from "./workspace.js";

/** The version of the API whose types this follows. */
export const version = "1.140.0";
