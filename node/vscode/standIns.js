/**
 * The classes of editing, notebooks, tasks, debuggers, tests and views, and the namespaces of those,
 * which no provider of models needs. Each is a stand-in that does nothing, and is named on stderr when
 * it is used: it can be called, made and extended, and so can every member that is read of it or of its
 * objects.
 */

import { NOT_OF_THE_API, tell } from "./missing.js";

export const {
  comments, debug, notebooks, scm, tasks, tests,
  BranchCoverage, Breakpoint, CallHierarchyIncomingCall, CallHierarchyItem,
  CallHierarchyOutgoingCall, ChatRequestTurn, ChatResponseAnchorPart, ChatResponseCommandButtonPart,
  ChatResponseFileTreePart, ChatResponseMarkdownPart, ChatResponseProgressPart,
  ChatResponseReferencePart, ChatResponseTurn, CodeAction, CodeActionKind, CodeLens, Color,
  ColorInformation, ColorPresentation, CompletionItem, CompletionList, CustomExecution,
  DataTransfer, DataTransferItem, DebugAdapterExecutable, DebugAdapterInlineImplementation,
  DebugAdapterNamedPipeServer, DebugAdapterServer, DebugStackFrame, DebugThread,
  DeclarationCoverage, DiagnosticRelatedInformation, DocumentDropEdit, DocumentDropOrPasteEditKind,
  DocumentHighlight, DocumentLink, DocumentPasteEdit, DocumentSymbol, EvaluatableExpression,
  FileCoverage, FileDecoration, FoldingRange, FunctionBreakpoint, Hover, InlayHint,
  InlayHintLabelPart, InlineCompletionItem, InlineCompletionList, InlineValueEvaluatableExpression,
  InlineValueText, InlineValueVariableLookup, LinkedEditingRanges, McpHttpServerDefinition,
  McpStdioServerDefinition, NotebookCellData, NotebookCellOutput, NotebookCellOutputItem,
  NotebookCellStatusBarItem, NotebookData, NotebookEdit, NotebookRange, ParameterInformation,
  ProcessExecution, QuickInputButtons, SelectionRange, SemanticTokens, SemanticTokensBuilder,
  SemanticTokensEdit, SemanticTokensEdits, SemanticTokensLegend, ShellExecution, SignatureHelp,
  SignatureInformation, SnippetString, SnippetTextEdit, SourceBreakpoint, StatementCoverage,
  SymbolInformation, TabInputCustom, TabInputNotebook, TabInputNotebookDiff, TabInputTerminal,
  TabInputText, TabInputTextDiff, TabInputWebview, Task, TaskGroup, TelemetryTrustedValue,
  TerminalLink, TerminalProfile, TestCoverageCount, TestMessage, TestMessageStackFrame,
  TestRunRequest, TestTag, TextEdit, TypeHierarchyItem, WorkspaceEdit,
} = new Proxy({}, { get: (_, name) => standIn(name) });

function standIn(name) {
  const Named = { [name]: function () {} }[name];
  const own = { toString: () => name, *[Symbol.iterator]() {} };
  Named.prototype = new Proxy({ constructor: Named, ...own }, membersOf(name));
  Object.assign(Named, own);
  const used = () => tell(`vscode.${name} is a stand-in in this host: it does nothing`);
  return new Proxy(Named, {
    ...membersOf(name, used),
    apply(target) {
      used();
      return new target();
    },
    construct(target, values, derived) {
      used();
      return Reflect.construct(target, values, derived);
    },
  });
}

/** Traps for which every member is there: a stand-in, unless the target has it. */
function membersOf(name, used = () => {}) {
  const isOpen = (target, key) =>
    !(key in target) && typeof key === "string" && !NOT_OF_THE_API.has(key);
  return {
    has: (target, key) => key in target || isOpen(target, key),
    get(target, key, receiver) {
      if (!isOpen(target, key)) return Reflect.get(target, key, receiver);
      used();
      return standIn(`${name}.${key}`);
    },
  };
}
