/** Settings: the defaults of the manifest, overridden by those of the run. */

import { session } from "./session.js";

/** The configuration of a section; settings without a value are undefined. */
export function getConfiguration(section = "") {
  const full = (key) => [section, key].filter(Boolean).join(".");
  const methods = {
    get: (key, otherwise) => valueOf(full(key)) ?? otherwise,
    has: (key) => valueOf(full(key)) !== undefined,
    inspect: (key) => inspected(full(key)),
    update: async (key, value) => update(full(key), value),
  };
  return Object.assign(Object.create(methods), structuredClone(valueOf(section) ?? {}));
}

function valueOf(name) {
  const { defaults, settings } = session();
  const all = { ...defaults, ...Object.fromEntries(settings) };
  if (name && Object.hasOwn(all, name)) return all[name];
  const inside = Object.entries(all).filter(([key]) => key.startsWith(name && `${name}.`));
  if (inside.length === 0) return undefined;
  const value = {};
  for (const [key, each] of inside) place(value, key.slice(name ? name.length + 1 : 0), each);
  return value;
}

function place(object, key, value) {
  const [first, ...rest] = key.split(".");
  if (rest.length === 0) object[first] = value;
  else place((object[first] ??= {}), rest.join("."), value);
}

function inspected(name) {
  const { defaults, settings } = session();
  return { key: name, defaultValue: defaults[name], globalValue: settings.get(name) };
}

function update(name, value) {
  const { settings, settingsChanged } = session();
  if (value === undefined) settings.delete(name);
  else settings.set(name, value);
  settingsChanged.fire({ affectsConfiguration: (section) => `${name}.`.startsWith(`${section}.`) });
}
