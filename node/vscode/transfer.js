/** Data that is dragged, or pasted, by its media types. */

export class DataTransferItem {
  constructor(value) {
    this.value = value;
  }

  async asString() {
    return typeof this.value === "string" ? this.value : JSON.stringify(this.value);
  }

  asFile() {
    return undefined;
  }
}

export class DataTransfer {
  #items = new Map();

  get(mimeType) {
    return this.#items.get(mimeType.toLowerCase());
  }

  set(mimeType, item) {
    this.#items.set(mimeType.toLowerCase(), item);
  }

  forEach(call, thisArg) {
    for (const [mimeType, item] of this) call.call(thisArg, item, mimeType, this);
  }

  [Symbol.iterator]() {
    return this.#items[Symbol.iterator]();
  }
}
