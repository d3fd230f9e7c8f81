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

/** `code` is the name of the factory that made the error. */
export class FileSystemError extends Error {
  name = "FileSystemError";
  code = "Unknown";

  constructor(messageOrUri = "") {
    super(String(messageOrUri));
  }

  static FileNotFound(messageOrUri) {
    return coded("FileNotFound", messageOrUri);
  }

  static FileExists(messageOrUri) {
    return coded("FileExists", messageOrUri);
  }

  static FileNotADirectory(messageOrUri) {
    return coded("FileNotADirectory", messageOrUri);
  }

  static FileIsADirectory(messageOrUri) {
    return coded("FileIsADirectory", messageOrUri);
  }

  static NoPermissions(messageOrUri) {
    return coded("NoPermissions", messageOrUri);
  }

  static Unavailable(messageOrUri) {
    return coded("Unavailable", messageOrUri);
  }
}

function coded(code, messageOrUri) {
  return Object.assign(new FileSystemError(messageOrUri), { code });
}
