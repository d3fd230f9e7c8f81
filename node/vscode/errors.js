/** `code` is the name of the factory that made the error, or the constructor's argument. */
export class LanguageModelError extends Error {
  name = "LanguageModelError";

  constructor(message, code = "", cause = undefined) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }

  static NotFound(message) {
    return new LanguageModelError(message, "NotFound");
  }

  static NoPermissions(message) {
    return new LanguageModelError(message, "NoPermissions");
  }

  static Blocked(message) {
    return new LanguageModelError(message, "Blocked");
  }
}

export class CancellationError extends Error {
  name = "Canceled";

  constructor() {
    super("Canceled");
  }
}

/** Whether the editor takes an error for a cancellation: by its class, or by its name and message. */
export function isCancellation(error) {
  const named = error instanceof Error && error.name === "Canceled" && error.message === "Canceled";
  return named || error instanceof CancellationError;
}

export class FileSystemError extends Error {
  name = "FileSystemError";
}
