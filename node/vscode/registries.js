/**
 * `vscode.authentication`, `chat`, `commands` and `lm`: what the extension itself registers for the
 * current run. Participants are never asked, commands of the editor do nothing, and nobody can sign in.
 */

import { CancellationTokenSource, Disposable, inert, never, nothing } from "./events.js";
import { open } from "./missing.js";
import { session } from "./session.js";

/** Keeps a value in a map of the session until the disposable is disposed of. */
function register(map, name, value) {
  map.set(name, value);
  return new Disposable(() => map.delete(name));
}

function registerAuthenticationProvider(id, label, provider) {
  const { authentication } = session();
  if (authentication.providers.has(id)) {
    throw new Error(`the authentication provider '${id}' is already registered`);
  }
  const listening = provider.onDidChangeSessions?.(() =>
    authentication.changed.fire({ provider: { id, label } }),
  );
  return Disposable.from(register(authentication.providers, id, provider), listening);
}

/**
 * The first session that a registered provider has. Without a session, or without such a provider, it
 * is undefined, or an error if one was to be created.
 */
async function getSession(id, scopes, options = {}) {
  const [first] = options.forceNewSession ? [] : await sessionsOf(id, scopes, options);
  if (first) return first;
  if (!options.createIfNone && !options.forceNewSession) return undefined;
  throw new Error(`User did not consent to login: nobody can sign in to '${id}' in this host`);
}

async function getAccounts(id) {
  return (await sessionsOf(id, undefined, {})).map(({ account }) => account);
}

async function sessionsOf(id, request, { account }) {
  const scopes = Array.isArray(request) ? request : request?.scopes;
  const provider = session().authentication.providers.get(id);
  return (await provider?.getSessions(scopes, { account })) ?? [];
}

export const authentication = open("authentication", {
  getAccounts,
  getSession,
  onDidChangeSessions: (...listening) => session().authentication.changed.event(...listening),
  registerAuthenticationProvider,
});

export const chat = open("chat", {
  createChatParticipant: (id, requestHandler) =>
    inert("iconPath followupProvider onDidReceiveFeedback", { id, requestHandler, dispose: nothing }),
});

export const commands = open("commands", {
  registerCommand: (name, run, thisArg) =>
    register(session().commands, name, (...values) => run.apply(thisArg, values)),
  registerTextEditorCommand: never,
  executeCommand: async (name, ...values) => session().commands.get(name)?.(...values),
  getCommands: async () => [...session().commands.keys()],
});

/** Registers a provider for the current run. Throws Error if the manifest lacks the vendor. */
function registerLanguageModelChatProvider(vendor, provider) {
  const { providers, vendors } = session();
  if (vendors && !vendors.includes(vendor)) {
    throw new Error(
      `the vendor '${vendor}' is not in the manifest: contributes.languageModelChatProviders has ` +
        `${vendors.join(", ") || "none"}`,
    );
  }
  return register(providers, vendor, provider);
}

/** Invokes a tool that the extension registered. */
async function invokeTool(name, options, token = new CancellationTokenSource().token) {
  const tool = session().tools.get(name);
  if (!tool) throw new Error(`vscode.lm.invokeTool: no tool '${name}' is registered in this host`);
  return tool.invoke(options, token);
}

export const lm = open("lm", {
  invokeTool,
  onDidChangeChatModels: never,
  registerLanguageModelChatProvider,
  registerMcpServerDefinitionProvider: never,
  registerTool: (name, tool) => register(session().tools, name, tool),
  selectChatModels: async () => [],
  get tools() {
    return [...session().tools.keys()].map((name) => ({ name, description: "", tags: [] }));
  },
});
