/** Splits bytes that come in pieces into lines of a limited length. */

const NEWLINE = 0x0a;

export class Lines {
  #most;
  #held = [];
  #length = 0;
  #skips = false;

  /**
   * Calls `line` for each line. A line of more than `most` bytes is discarded, and `overlong` is
   * called once for it.
   */
  constructor(most, line, overlong) {
    this.#most = most;
    this.line = line;
    this.overlong = overlong;
  }

  /** Calls `line` with each line that these bytes complete. Blank lines are skipped. */
  feed(bytes) {
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      this.#grow(bytes.subarray(from, to));
      this.#end();
      from = to + 1;
    }
    this.#grow(bytes.subarray(from));
  }

  #grow(piece) {
    if (this.#skips || piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#most) {
      this.#forget();
      this.#skips = true;
      this.overlong(this.#most);
    } else {
      this.#held.push(piece);
    }
  }

  #end() {
    const line = Buffer.concat(this.#held).toString("utf8").trim();
    this.#forget();
    this.#skips = false;
    if (line) this.line(line);
  }

  #forget() {
    this.#held = [];
    this.#length = 0;
  }
}
