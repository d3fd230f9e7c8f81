/** `vscode.commands`: the commands of the extension itself; those of the editor do nothing. */

import { Disposable, never } from "./events.js";
import { open } from "./missing.js";
import { session } from "./session.js";

function registerCommand(name, run, thisArg) {
  const { commands } = session();
  commands.set(name, (...values) => run.apply(thisArg, values));
  return new Disposable(() => commands.delete(name));
}

export const commands = open("commands", {
  registerCommand,
  registerTextEditorCommand: never,
  executeCommand: async (name, ...values) => session().commands.get(name)?.(...values),
  getCommands: async () => [...session().commands.keys()],
});
