/** `vscode.authentication`: the sessions of the providers that the extension itself registers. */

import { Disposable } from "./events.js";
import { open } from "./missing.js";
import { session } from "./session.js";

function registerAuthenticationProvider(id, label, provider) {
  const { authentication } = session();
  if (authentication.providers.has(id)) {
    throw new Error(`the authentication provider '${id}' is already registered`);
  }
  authentication.providers.set(id, provider);
  const listening = provider.onDidChangeSessions?.(() =>
    authentication.changed.fire({ provider: { id, label } }),
  );
  return new Disposable(() => {
    authentication.providers.delete(id);
    listening?.dispose();
  });
}

/**
 * The first session that a registered provider has. Nobody can sign in: without a session, or
 * without such a provider, it is undefined, or an error if one was to be created.
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
