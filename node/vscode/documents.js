/** Text documents: files, texts that extensions provide for a scheme, and new ones. */

import { readFile } from "node:fs/promises";

import { Disposable } from "./events.js";
import { EndOfLine } from "./enums.js";
import { uriOf } from "./filesystem.js";
import { Position, Range } from "./positions.js";
import { session } from "./session.js";
import { Uri } from "./uri.js";

const WORD = /(-?\d*\.\d\w*)|([^\s`~!@#%^&*()=+[{\]}\\|;:'",.<>/?-]+)/g;

/** A document that is read and never changed. */
class TextDocument {
  version = 1;
  isClosed = false;
  isDirty = false;
  encoding = "utf8";
  #text;
  #lines;

  constructor(uri, text, languageId) {
    this.uri = uri;
    this.languageId = languageId;
    this.#text = text;
    this.#lines = text.split(/\r\n|\n/);
    this.eol = text.includes("\r\n") ? EndOfLine.CRLF : EndOfLine.LF;
  }

  get fileName() {
    return this.uri.fsPath;
  }

  get isUntitled() {
    return this.uri.scheme === "untitled";
  }

  get lineCount() {
    return this.#lines.length;
  }

  save() {
    return Promise.resolve(false);
  }

  /** Takes a number or a position. */
  lineAt(place) {
    const lineNumber = typeof place === "number" ? place : place.line;
    const text = this.#lines[lineNumber];
    if (text === undefined) throw new Error(`illegal value for line: ${lineNumber}`);
    const last = lineNumber + 1 === this.lineCount;
    const first = text.search(/\S|$/);
    return Object.freeze({
      lineNumber,
      text,
      range: new Range(lineNumber, 0, lineNumber, text.length),
      rangeIncludingLineBreak: last
        ? new Range(lineNumber, 0, lineNumber, text.length)
        : new Range(lineNumber, 0, lineNumber + 1, 0),
      firstNonWhitespaceCharacterIndex: first,
      isEmptyOrWhitespace: first === text.length,
    });
  }

  getText(range) {
    if (!range) return this.#text;
    const { start, end } = this.validateRange(range);
    return this.#text.slice(this.offsetAt(start), this.offsetAt(end));
  }

  offsetAt(position) {
    const { line, character } = this.validatePosition(position);
    const before = this.#lines.slice(0, line).reduce((sum, { length }) => sum + length, 0);
    return before + line * (this.eol === EndOfLine.CRLF ? 2 : 1) + character;
  }

  positionAt(offset) {
    const before = this.#text.slice(0, Math.max(0, offset)).split(/\r\n|\n/);
    return this.validatePosition(new Position(before.length - 1, before.at(-1).length));
  }

  validatePosition(position) {
    const line = Math.min(position.line, this.lineCount - 1);
    if (line < position.line) return new Position(line, this.#lines[line].length);
    return new Position(line, Math.min(position.character, this.#lines[line].length));
  }

  validateRange({ start, end }) {
    return new Range(this.validatePosition(start), this.validatePosition(end));
  }

  getWordRangeAtPosition(position, word = WORD) {
    const { line, character } = this.validatePosition(position);
    const every = new RegExp(word.source, word.flags.replace("g", "") + "g");
    for (const { index, 0: found } of this.#lines[line].matchAll(every)) {
      if (found && index <= character && character <= index + found.length)
        return new Range(line, index, line, index + found.length);
    }
    return undefined;
  }
}

let untitled = 0;

/** Opens a path, a URI, or a new document with `content` and `language`. */
export async function openTextDocument(place = {}) {
  const { documents } = session();
  const document = await opened(place);
  const key = String(document.uri);
  if (documents.open.has(key)) return documents.open.get(key);
  documents.open.set(key, document);
  documents.opened.fire(document);
  return document;
}

async function opened(place) {
  if (typeof place !== "string" && !(place instanceof Uri)) {
    const { content = "", language = "plaintext" } = place;
    untitled += 1;
    return new TextDocument(Uri.parse(`untitled:Untitled-${untitled}`), content, language);
  }
  const uri = uriOf(place);
  return new TextDocument(uri, await textOf(uri), "plaintext");
}

async function textOf(uri) {
  const provider = session().documents.providers.get(uri.scheme);
  if (provider) return (await provider.provideTextDocumentContent(uri)) ?? "";
  if (uri.scheme === "file") return readFile(uri.fsPath, "utf8");
  throw new Error(`cannot open ${uri}: no provider is registered for the scheme ${uri.scheme}`);
}

export function registerTextDocumentContentProvider(scheme, provider) {
  const { providers } = session().documents;
  providers.set(scheme, provider);
  return new Disposable(() => providers.delete(scheme));
}

/** Sets the language of a document, and returns it. */
export async function setTextDocumentLanguage(document, languageId) {
  return Object.assign(document, { languageId });
}
