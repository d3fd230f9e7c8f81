/**
 * What the API knows while one run goes on. An extension is activated anew for each run, and many
 * runs go on side by side: each sees its own settings, secrets and registered providers.
 */

import { AsyncLocalStorage } from "node:async_hooks";

import { EventEmitter } from "./events.js";

export class Session {
  providers = new Map();
  secretsChanged = new EventEmitter();
  settingsChanged = new EventEmitter();

  /** `settings` by their dotted names; `vendors` that may be registered, or none for any. */
  constructor({ settings = {}, defaults = {}, secrets = {}, vendors } = {}) {
    this.defaults = defaults;
    this.settings = new Map(Object.entries(settings));
    this.secrets = new Map(Object.entries(secrets));
    this.vendors = vendors;
  }
}

const runs = new AsyncLocalStorage();
const outside = new Session();

/** Calls `work` so that it sees no run, only the defaults of the manifest. */
export function outsideOfRuns(defaults, work) {
  outside.defaults = defaults;
  return runs.exit(work);
}

/** The run's, or an empty one for what happens outside of all runs. */
export function session() {
  return runs.getStore() ?? outside;
}

/** Calls `work` so that it and all that it starts see this session. */
export function within(session, work) {
  return runs.run(session, work);
}
