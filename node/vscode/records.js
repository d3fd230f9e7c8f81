/** The classes that extensions fill and give to the editor. The host reads none of them. */

import { record } from "./record.js";
import { MarkdownString } from "./theming.js";
import { Uri } from "./uri.js";

// Language features
export const CodeAction = record("CodeAction", "title kind");
export const CodeLens = record("CodeLens", "range command");
export const Color = record("Color", "red green blue alpha");
export const ColorInformation = record("ColorInformation", "range color");
export const ColorPresentation = record("ColorPresentation", "label");
export const CompletionItem = record("CompletionItem", "label kind");
export const CompletionList = record("CompletionList", "items= isIncomplete");
export const Diagnostic = record("Diagnostic", "range message severity");
export const DiagnosticRelatedInformation = record(
  "DiagnosticRelatedInformation",
  "location message",
);
export const DocumentDropEdit = record("DocumentDropEdit", "insertText title kind");
export const DocumentHighlight = record("DocumentHighlight", "range kind");
export const DocumentLink = record("DocumentLink", "range target");
export const DocumentPasteEdit = record("DocumentPasteEdit", "insertText title kind");
export const DocumentSymbol = record(
  "DocumentSymbol",
  "name detail kind range selectionRange children=",
);
export const EvaluatableExpression = record("EvaluatableExpression", "range expression");
export const FoldingRange = record("FoldingRange", "start end kind");
export const InlayHint = record("InlayHint", "position label kind");
export const InlayHintLabelPart = record("InlayHintLabelPart", "value");
export const InlineCompletionItem = record("InlineCompletionItem", "insertText range command");
export const InlineCompletionList = record("InlineCompletionList", "items");
export const InlineValueEvaluatableExpression = record(
  "InlineValueEvaluatableExpression",
  "range expression",
);
export const InlineValueText = record("InlineValueText", "range text");
export const LinkedEditingRanges = record("LinkedEditingRanges", "ranges wordPattern");
export const ParameterInformation = record("ParameterInformation", "label documentation");
export const SelectionRange = record("SelectionRange", "range parent");
export const SemanticTokens = record("SemanticTokens", "data resultId");
export const SemanticTokensEdit = record("SemanticTokensEdit", "start deleteCount data");
export const SemanticTokensEdits = record("SemanticTokensEdits", "edits resultId");
export const SemanticTokensLegend = record("SemanticTokensLegend", "tokenTypes tokenModifiers=");
export const SignatureInformation = record(
  "SignatureInformation",
  "label documentation parameters=",
);

export class Hover {
  constructor(contents, range) {
    this.contents = [contents].flat();
    this.range = range;
  }
}

export class InlineValueVariableLookup {
  constructor(range, variableName, caseSensitiveLookup = true) {
    Object.assign(this, { range, variableName, caseSensitiveLookup });
  }
}

export class SignatureHelp {
  signatures = [];
  activeSignature = 0;
  activeParameter = 0;
}

export class SymbolInformation {
  /** Takes a container's name and a location, or a range, its document and a container's name. */
  constructor(name, kind, container, place, containerName) {
    const inRange = typeof container === "object" && container !== null;
    const location = inRange ? { uri: place, range: container } : place;
    this.name = name;
    this.kind = kind;
    this.containerName = (inRange ? containerName : container) ?? "";
    this.location = location;
  }
}

const ITEM = "kind name detail uri range selectionRange";
export const CallHierarchyItem = record("CallHierarchyItem", ITEM);
export const CallHierarchyIncomingCall = record("CallHierarchyIncomingCall", "from fromRanges");
export const CallHierarchyOutgoingCall = record("CallHierarchyOutgoingCall", "to fromRanges");
export const TypeHierarchyItem = record("TypeHierarchyItem", ITEM);

// Trees, tabs, decorations
export class TreeItem {
  /** Takes a label or the URI of a resource. */
  constructor(what, collapsibleState = 0) {
    this[what instanceof Uri ? "resourceUri" : "label"] = what;
    this.collapsibleState = collapsibleState;
  }
}

export const FileDecoration = record("FileDecoration", "badge tooltip color");
export const QuickInputButtons = Object.assign(record("QuickInputButtons"), {
  Back: Object.freeze({ iconPath: undefined }),
});
export const TabInputCustom = record("TabInputCustom", "uri viewType");
export const TabInputNotebook = record("TabInputNotebook", "uri notebookType");
export const TabInputNotebookDiff = record(
  "TabInputNotebookDiff",
  "original modified notebookType",
);
export const TabInputTerminal = record("TabInputTerminal");
export const TabInputText = record("TabInputText", "uri");
export const TabInputTextDiff = record("TabInputTextDiff", "original modified");
export const TabInputWebview = record("TabInputWebview", "viewType");
export const TerminalLink = record("TerminalLink", "startIndex length tooltip");
export const TerminalProfile = record("TerminalProfile", "options");

// Chat and tools
export const ChatRequestTurn = record(
  "ChatRequestTurn",
  "prompt command references participant toolReferences",
);
export const ChatResponseAnchorPart = record("ChatResponseAnchorPart", "value title");
export const ChatResponseCommandButtonPart = record("ChatResponseCommandButtonPart", "value");
export const ChatResponseFileTreePart = record("ChatResponseFileTreePart", "value baseUri");
export class ChatResponseMarkdownPart {
  constructor(value) {
    this.value = typeof value === "string" ? new MarkdownString(value) : value;
  }
}
export const ChatResponseProgressPart = record("ChatResponseProgressPart", "value");
export const ChatResponseReferencePart = record("ChatResponseReferencePart", "value iconPath");
export const ChatResponseTurn = record("ChatResponseTurn", "response result participant command");
export const McpHttpServerDefinition = record(
  "McpHttpServerDefinition",
  "label uri headers version",
);
export const McpStdioServerDefinition = record(
  "McpStdioServerDefinition",
  "label command args= env version",
);
export const TelemetryTrustedValue = record("TelemetryTrustedValue", "value");
