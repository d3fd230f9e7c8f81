/** The errors of the API. Each factory makes an error whose `code` is the factory's name. */

export class LanguageModelError extends Error {
  name = "LanguageModelError";

  constructor(message, code = "", cause = undefined) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
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
  code = "Unknown";

  constructor(messageOrUri = "") {
    super(String(messageOrUri));
  }
}

const CODES = new Map([
  [LanguageModelError, ["NotFound", "NoPermissions", "Blocked"]],
  [
    FileSystemError,
    [
      ...["FileNotFound", "FileExists", "FileNotADirectory", "FileIsADirectory"],
      ...["NoPermissions", "Unavailable"],
    ],
  ],
]);

for (const [Made, codes] of CODES)
  for (const code of codes)
    Made[code] = (messageOrUri) => Object.assign(new Made(messageOrUri), { code });
