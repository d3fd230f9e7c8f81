/** Positions, ranges and selections in documents. They are values: nothing changes them. */

export class Position {
  constructor(line, character) {
    if (!(line >= 0 && character >= 0)) throw new Error("illegal argument: a Position is not < 0");
    this.line = line;
    this.character = character;
    Object.freeze(this);
  }

  compareTo({ line, character }) {
    return Math.sign(this.line - line || this.character - character);
  }

  isBefore(other) {
    return this.compareTo(other) < 0;
  }

  isBeforeOrEqual(other) {
    return this.compareTo(other) <= 0;
  }

  isAfter(other) {
    return this.compareTo(other) > 0;
  }

  isAfterOrEqual(other) {
    return this.compareTo(other) >= 0;
  }

  isEqual(other) {
    return this.compareTo(other) === 0;
  }

  /** Takes two numbers or an object with `lineDelta` and `characterDelta`. */
  translate(change = 0, characterDelta = 0) {
    const by = typeof change === "object" ? change : { lineDelta: change, characterDelta };
    return new Position(
      this.line + (by.lineDelta ?? 0),
      this.character + (by.characterDelta ?? 0),
    );
  }

  /** Takes two numbers or an object with `line` and `character`. */
  with(change, character = this.character) {
    const to = typeof change === "object" ? change : { line: change, character };
    return new Position(to.line ?? this.line, to.character ?? this.character);
  }
}

export class Range {
  /** Takes two positions or four numbers; the earlier position becomes the start. */
  constructor(...ends) {
    const [one, other] = positions(ends);
    const forward = one.isBeforeOrEqual(other);
    this.start = forward ? one : other;
    this.end = forward ? other : one;
  }

  get isEmpty() {
    return this.start.isEqual(this.end);
  }

  get isSingleLine() {
    return this.start.line === this.end.line;
  }

  /** Takes a position or a range. */
  contains(inside) {
    const { start, end } = inside instanceof Range ? inside : { start: inside, end: inside };
    return this.start.isBeforeOrEqual(start) && this.end.isAfterOrEqual(end);
  }

  isEqual({ start, end }) {
    return this.start.isEqual(start) && this.end.isEqual(end);
  }

  /** The common part; undefined if there is none. */
  intersection({ start, end }) {
    const first = later(this.start, start);
    const last = later(this.end, end) === this.end ? end : this.end;
    return first.isAfter(last) ? undefined : new Range(first, last);
  }

  union({ start, end }) {
    const first = later(this.start, start) === this.start ? start : this.start;
    return new Range(first, later(this.end, end));
  }

  /** Takes two positions or an object with `start` and `end`. */
  with(change, end = this.end) {
    const to = change instanceof Position || !change ? { start: change, end } : change;
    return new Range(to.start ?? this.start, to.end ?? this.end);
  }
}

export class Selection extends Range {
  /** Takes two positions or four numbers: where it was begun, and where the cursor is. */
  constructor(...ends) {
    const [anchor, active] = positions(ends);
    super(anchor, active);
    this.anchor = anchor;
    this.active = active;
  }

  get isReversed() {
    return this.active.isBefore(this.anchor);
  }
}

export class Location {
  /** Takes a range or a position. */
  constructor(uri, place) {
    this.uri = uri;
    this.range = place instanceof Position ? new Range(place, place) : place;
  }
}

function positions([a, b, c, d]) {
  return typeof a === "number" ? [new Position(a, b), new Position(c, d)] : [a, b];
}

function later(one, other) {
  return one.isAfter(other) ? one : other;
}
