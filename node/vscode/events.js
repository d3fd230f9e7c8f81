/** Disposables, events and cancellation tokens of the API. */

export class Disposable {
  #dispose;

  constructor(dispose) {
    this.#dispose = dispose;
  }

  static from(...disposables) {
    return new Disposable(() => disposables.forEach((each) => each?.dispose?.()));
  }

  dispose() {
    const dispose = this.#dispose;
    this.#dispose = undefined;
    return dispose?.();
  }
}

export class EventEmitter {
  #listeners = new Set();

  event = (listener, thisArg, disposables) => {
    const heard = (value) => listener.call(thisArg, value);
    this.#listeners.add(heard);
    const disposable = new Disposable(() => this.#listeners.delete(heard));
    disposables?.push(disposable);
    return disposable;
  };

  /** Calls all listeners, even if one of them throws. */
  fire(value) {
    for (const heard of [...this.#listeners]) {
      try {
        heard(value);
      } catch (error) {
        console.error(error);
      }
    }
  }

  dispose() {
    this.#listeners.clear();
  }
}

/** Does nothing. */
export const nothing = () => undefined;

/** An event that never happens, or a registration that is never used. */
export const never = () => new Disposable(nothing);

/**
 * An object for which nothing happens: the named members are events that never happen (`on…`) or
 * undefined, and `members` are the others.
 */
export function inert(names, members) {
  const named = names.split(" ").map((name) => [name, name.startsWith("on") ? never : undefined]);
  return { ...Object.fromEntries(named), ...members };
}

class CancellationToken {
  #cancelled = new EventEmitter();
  isCancellationRequested = false;

  onCancellationRequested = (listener, thisArg, disposables) => {
    if (!this.isCancellationRequested) return this.#cancelled.event(listener, thisArg, disposables);
    const late = setTimeout(() => listener.call(thisArg), 0);
    const disposable = new Disposable(() => clearTimeout(late));
    disposables?.push(disposable);
    return disposable;
  };

  /** Cancels the token; only its source calls this. */
  static cancel(token) {
    if (token.isCancellationRequested) return;
    token.isCancellationRequested = true;
    token.#cancelled.fire(undefined);
  }
}

export class CancellationTokenSource {
  token = new CancellationToken();

  cancel() {
    CancellationToken.cancel(this.token);
  }

  dispose() {}
}
