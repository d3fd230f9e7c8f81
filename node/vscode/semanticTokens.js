/** Builds semantic tokens, which are encoded as differences to the token before. */

import { SemanticTokens } from "./records.js";

export class SemanticTokensBuilder {
  #data = [];
  #last = { line: 0, character: 0 };

  constructor(legend) {
    this.legend = legend;
  }

  /** Takes a range, a type and modifiers by name, or five numbers. */
  push(place, ...rest) {
    if (typeof place === "number") {
      const [character, length, type, modifiers = 0] = rest;
      this.#encode(place, character, length, type, modifiers);
      return;
    }
    const { start, end } = place;
    const [type, modifiers = []] = rest;
    const { tokenTypes, tokenModifiers } = this.legend;
    const bits = modifiers.reduce((sum, each) => sum | (1 << tokenModifiers.indexOf(each)), 0);
    const length = end.character - start.character;
    this.#encode(start.line, start.character, length, tokenTypes.indexOf(type), bits);
  }

  build(resultId) {
    return new SemanticTokens(new Uint32Array(this.#data), resultId);
  }

  #encode(line, character, length, type, modifiers) {
    const lines = line - this.#last.line;
    const characters = lines ? character : character - this.#last.character;
    this.#data.push(lines, characters, length, type, modifiers);
    this.#last = { line, character };
  }
}
