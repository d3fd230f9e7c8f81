/** The enumerations of the API, except those of language models. */

import { counted, valued } from "./enumeration.js";

export const ChatResultFeedbackKind = counted(0, "Unhelpful Helpful");
export const CodeActionTriggerKind = counted(1, "Invoke Automatic");
export const ColorThemeKind = counted(1, "Light Dark HighContrast HighContrastLight");
export const CommentMode = counted(0, "Editing Preview");
export const CommentThreadCollapsibleState = counted(0, "Collapsed Expanded");
export const CommentThreadState = counted(0, "Unresolved Resolved");
export const CompletionItemKind = counted(
  0,
  "Text Method Function Constructor Field Variable Class Interface Module Property Unit Value " +
    "Enum Keyword Snippet Color File Reference Folder EnumMember Constant Struct Event Operator " +
    "TypeParameter User Issue",
);
export const CompletionItemTag = counted(1, "Deprecated");
export const CompletionTriggerKind = counted(
  0,
  "Invoke TriggerCharacter TriggerForIncompleteCompletions",
);
export const ConfigurationTarget = counted(1, "Global Workspace WorkspaceFolder");
export const DebugConfigurationProviderTriggerKind = counted(1, "Initial Dynamic");
export const DebugConsoleMode = counted(0, "Separate MergeWithParent");
export const DecorationRangeBehavior = counted(0, "OpenOpen ClosedClosed OpenClosed ClosedOpen");
export const DiagnosticSeverity = counted(0, "Error Warning Information Hint");
export const DiagnosticTag = counted(1, "Unnecessary Deprecated");
export const DocumentHighlightKind = counted(0, "Text Read Write");
export const DocumentPasteTriggerKind = counted(0, "Automatic PasteAs");
export const EndOfLine = counted(1, "LF CRLF");
export const EnvironmentVariableMutatorType = counted(1, "Replace Append Prepend");
export const ExtensionKind = counted(1, "UI Workspace");
export const ExtensionMode = counted(1, "Production Development Test");
export const FileChangeType = counted(1, "Changed Created Deleted");
export const FilePermission = counted(1, "Readonly");
export const FileType = valued({ Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 });
export const FoldingRangeKind = counted(1, "Comment Imports Region");
export const IndentAction = counted(0, "None Indent IndentOutdent Outdent");
export const InlayHintKind = counted(1, "Type Parameter");
export const InlineCompletionTriggerKind = counted(0, "Invoke Automatic");
export const InputBoxValidationSeverity = counted(1, "Info Warning Error");
export const LanguageStatusSeverity = counted(0, "Information Warning Error");
export const LogLevel = counted(0, "Off Trace Debug Info Warning Error");
export const NotebookCellKind = counted(1, "Markup Code");
export const NotebookCellStatusBarAlignment = counted(1, "Left Right");
export const NotebookControllerAffinity = counted(1, "Default Preferred");
export const NotebookEditorRevealType = counted(
  0,
  "Default InCenter InCenterIfOutsideViewport AtTop",
);
export const OverviewRulerLane = valued({ Left: 1, Center: 2, Right: 4, Full: 7 });
export const ProgressLocation = valued({ SourceControl: 1, Window: 10, Notification: 15 });
export const QuickInputButtonLocation = counted(1, "Title Inline Input");
export const QuickPickItemKind = counted(-1, "Separator Default");
export const ShellQuoting = counted(1, "Escape Strong Weak");
export const SignatureHelpTriggerKind = counted(1, "Invoke TriggerCharacter ContentChange");
export const StatusBarAlignment = counted(1, "Left Right");
export const SymbolKind = counted(
  0,
  "File Module Namespace Package Class Method Property Field Constructor Enum Interface " +
    "Function Variable Constant String Number Boolean Array Object Key Null EnumMember Struct " +
    "Event Operator TypeParameter",
);
export const SymbolTag = counted(1, "Deprecated");
export const SyntaxTokenType = counted(0, "Other Comment String RegEx");
export const TaskPanelKind = counted(1, "Shared Dedicated New");
export const TaskRevealKind = counted(1, "Always Silent Never");
export const TaskScope = counted(1, "Global Workspace");
export const TerminalExitReason = counted(0, "Unknown Shutdown Process User Extension");
export const TerminalLocation = counted(1, "Panel Editor");
export const TerminalShellExecutionCommandLineConfidence = counted(0, "Low Medium High");
export const TestRunProfileKind = counted(1, "Run Debug Coverage");
export const TextDocumentChangeReason = counted(1, "Undo Redo");
export const TextDocumentSaveReason = counted(1, "Manual AfterDelay FocusOut");
export const TextEditorCursorStyle = counted(
  1,
  "Line Block Underline LineThin BlockOutline UnderlineThin",
);
export const TextEditorLineNumbersStyle = counted(0, "Off On Relative Interval");
export const TextEditorRevealType = counted(0, "Default InCenter InCenterIfOutsideViewport AtTop");
export const TextEditorSelectionChangeKind = counted(1, "Keyboard Mouse Command");
export const TreeItemCheckboxState = counted(0, "Unchecked Checked");
export const TreeItemCollapsibleState = counted(0, "None Collapsed Expanded");
export const UIKind = counted(1, "Desktop Web");
export const ViewColumn = valued({
  Active: -1,
  Beside: -2,
  One: 1,
  Two: 2,
  Three: 3,
  Four: 4,
  Five: 5,
  Six: 6,
  Seven: 7,
  Eight: 8,
  Nine: 9,
});
