/** Edits of documents and notebooks. They can be made and read; the host applies none. */

import { EndOfLine } from "./enums.js";
import { Range } from "./positions.js";

export class TextEdit {
  constructor(range, newText) {
    this.range = range;
    this.newText = newText;
  }

  static replace(range, newText) {
    return new TextEdit(range, newText);
  }

  static insert(position, newText) {
    return new TextEdit(new Range(position, position), newText);
  }

  static delete(range) {
    return new TextEdit(range, "");
  }

  static setEndOfLine(eol) {
    const nowhere = new Range(0, 0, 0, 0);
    return Object.assign(new TextEdit(nowhere, ""), { newEol: eol ?? EndOfLine.LF });
  }
}

export class SnippetTextEdit {
  constructor(range, snippet) {
    this.range = range;
    this.snippet = snippet;
  }

  static replace(range, snippet) {
    return new SnippetTextEdit(range, snippet);
  }

  static insert(position, snippet) {
    return new SnippetTextEdit(new Range(position, position), snippet);
  }
}

export class NotebookRange {
  constructor(start, end) {
    this.start = Math.min(start, end);
    this.end = Math.max(start, end);
  }

  get isEmpty() {
    return this.start === this.end;
  }

  with({ start = this.start, end = this.end }) {
    return new NotebookRange(start, end);
  }
}

export class NotebookEdit {
  constructor(range, newCells) {
    this.range = range;
    this.newCells = newCells;
  }

  static replaceCells(range, newCells) {
    return new NotebookEdit(range, newCells);
  }

  static insertCells(index, newCells) {
    return new NotebookEdit(new NotebookRange(index, index), newCells);
  }

  static deleteCells(range) {
    return new NotebookEdit(range, []);
  }

  static updateCellMetadata(index, newCellMetadata) {
    const cell = new NotebookEdit(new NotebookRange(index, index), []);
    return Object.assign(cell, { newCellMetadata });
  }

  static updateNotebookMetadata(newNotebookMetadata) {
    const notebook = new NotebookEdit(new NotebookRange(0, 0), []);
    return Object.assign(notebook, { newNotebookMetadata });
  }
}

export class SnippetString {
  #places = 0;

  constructor(value = "") {
    this.value = value;
  }

  appendText(text) {
    return this.#append(escaped(text));
  }

  appendTabstop(number = ++this.#places) {
    return this.#append(`$${number}`);
  }

  /** Takes a text, or a function that fills the snippet of the placeholder. */
  appendPlaceholder(value, number = ++this.#places) {
    return this.#append(`\${${number}:${this.#nested(value)}}`);
  }

  appendChoice(values, number = ++this.#places) {
    const choices = values.map((each) => each.replace(/[\\|,]/g, "\\$&")).join(",");
    return this.#append(`\${${number}|${choices}|}`);
  }

  appendVariable(name, otherwise) {
    const value = otherwise === undefined ? "" : `:${this.#nested(otherwise)}`;
    return this.#append(`\${${name}${value}}`);
  }

  #nested(value) {
    if (typeof value !== "function") return escaped(value);
    const inner = new SnippetString();
    inner.#places = this.#places;
    value(inner);
    this.#places = inner.#places;
    return inner.value;
  }

  #append(text) {
    this.value += text;
    return this;
  }
}

/** Edits of several resources, in the order in which they were added. */
export class WorkspaceEdit {
  #texts = new Map();
  #files = [];

  replace(uri, range, newText) {
    this.#of(uri).push(TextEdit.replace(range, newText));
  }

  insert(uri, position, newText) {
    this.#of(uri).push(TextEdit.insert(position, newText));
  }

  delete(uri, range) {
    this.#of(uri).push(TextEdit.delete(range));
  }

  has(uri) {
    return this.#texts.has(String(uri));
  }

  /** Replaces the edits of a resource; entries may be pairs of an edit and its metadata. */
  set(uri, edits) {
    this.#texts.delete(String(uri));
    if (edits) this.#of(uri).push(...edits.map((each) => (Array.isArray(each) ? each[0] : each)));
  }

  get(uri) {
    return [...(this.#texts.get(String(uri))?.edits ?? [])];
  }

  createFile(uri, options) {
    this.#files.push({ create: uri, options });
  }

  deleteFile(uri, options) {
    this.#files.push({ delete: uri, options });
  }

  renameFile(from, to, options) {
    this.#files.push({ rename: from, to, options });
  }

  entries() {
    return [...this.#texts.values()].map(({ uri, edits }) => [uri, [...edits]]);
  }

  get size() {
    return this.#texts.size + this.#files.length;
  }

  #of(uri) {
    const key = String(uri);
    if (!this.#texts.has(key)) this.#texts.set(key, { uri, edits: [] });
    return this.#texts.get(key).edits;
  }
}

function escaped(text) {
  return text.replace(/[$}\\]/g, "\\$&");
}
