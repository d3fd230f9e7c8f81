/** `vscode.languages`: registered features are never asked for; diagnostics are kept. */

import { setTextDocumentLanguage } from "./documents.js";
import { LanguageStatusSeverity } from "./enums.js";
import { inert, never, nothing } from "./events.js";
import { open } from "./missing.js";
import { session } from "./session.js";

const FEATURES =
  "CallHierarchy CodeActions CodeLens Color CompletionItem Declaration Definition " +
  "DocumentDropEdit DocumentFormattingEdit DocumentHighlight DocumentLink DocumentPasteEdit " +
  "DocumentRangeFormattingEdit DocumentRangeSemanticTokens DocumentSemanticTokens DocumentSymbol " +
  "EvaluatableExpression FoldingRange Hover Implementation InlayHints InlineCompletionItem " +
  "InlineValues LinkedEditingRange OnTypeFormattingEdit Reference Rename SelectionRange " +
  "SignatureHelp TypeDefinition TypeHierarchy WorkspaceSymbol";

/** The diagnostics of one collection, by resource. */
class DiagnosticCollection {
  #lists = new Map();

  constructor(name) {
    this.name = name;
  }

  /** Takes a resource and its diagnostics, or pairs of them. */
  set(place, diagnostics) {
    const pairs = Array.isArray(place) ? place : [[place, diagnostics]];
    for (const [uri, list] of pairs) {
      if (list) this.#lists.set(String(uri), [uri, [...list]]);
      else this.delete(uri);
    }
  }

  get(uri) {
    return this.#lists.get(String(uri))?.[1];
  }

  has(uri) {
    return this.#lists.has(String(uri));
  }

  delete(uri) {
    this.#lists.delete(String(uri));
  }

  clear() {
    this.#lists.clear();
  }

  forEach(call, thisArg) {
    for (const [uri, list] of this) call.call(thisArg, uri, list, this);
  }

  dispose() {
    this.clear();
    session().diagnostics.delete(this);
  }

  [Symbol.iterator]() {
    return this.#lists.values();
  }
}

function createDiagnosticCollection(name = "") {
  const collection = new DiagnosticCollection(name);
  session().diagnostics.add(collection);
  return collection;
}

/** The diagnostics of a resource, or pairs of each resource and its diagnostics. */
function getDiagnostics(resource) {
  const collections = [...session().diagnostics];
  if (resource) return collections.flatMap((each) => each.get(resource) ?? []);
  return collections.flatMap((each) => [...each]);
}

/** How well a selector fits a document: 0, 5 or 10. A filter with a pattern never fits. */
function match(selector, document) {
  return Math.max(0, ...[selector].flat().map((filter) => fit(filter, document)));
}

function fit(filter, { languageId, uri }) {
  const { language, scheme, pattern } = typeof filter === "string" ? { language: filter } : filter;
  if (pattern || (!language && !scheme)) return 0;
  const scores = [score(language, languageId), score(scheme, uri.scheme)];
  return scores.includes(0) ? 0 : Math.max(...scores.filter(Boolean));
}

/** Undefined if nothing is asked for. */
function score(wanted, is) {
  if (wanted === undefined) return undefined;
  if (wanted === is) return 10;
  return wanted === "*" ? 5 : 0;
}

function createLanguageStatusItem(id, selector) {
  const severity = LanguageStatusSeverity.Information;
  const given = { id, selector, severity, busy: false, text: "", dispose: nothing };
  return inert("accessibilityInformation command detail name", given);
}

export const languages = open("languages", {
  ...Object.fromEntries(FEATURES.split(" ").map((name) => [`register${name}Provider`, never])),
  createDiagnosticCollection,
  createLanguageStatusItem,
  getDiagnostics,
  getLanguages: async () => ["plaintext"],
  match,
  onDidChangeDiagnostics: never,
  setLanguageConfiguration: never,
  setTextDocumentLanguage,
});
