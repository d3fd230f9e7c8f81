/** What the host refuses, because nothing harmless could be returned: an error names the member. */

class NotInHost extends Error {
  name = "NotInHost";
}

/** A function that throws. */
export function refused(member) {
  return () => {
    throw new NotInHost(message(member));
  };
}

/** A function whose promise is rejected. */
export function rejected(member) {
  return async () => {
    throw new NotInHost(message(member));
  };
}

function message(member) {
  return `vscode.${member} is not in streamproof's host of VS Code extensions`;
}
