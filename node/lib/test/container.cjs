"use strict";

const { execFile } = require("node:child_process");
const { randomUUID } = require("node:crypto");
const path = require("node:path");
const { promisify } = require("node:util");

const { Connection } = require("./connection.cjs");

const ENGINES = ["docker", "podman"];
const PORT = 4100;
// The image may have to be pulled first.
const MILLISECONDS = 300_000;
const POLL_MILLISECONDS = 200;

/** The ways to start a server in a container: one for each engine. */
function containers(image, folders) {
  return ENGINES.map((engine) => contained(engine, image, folders));
}

/**
 * A container of an image whose entry point is `streamproof`. The engine publishes its port at a
 * free one of loopback. It ends with its standard input, and is removed then.
 */
function contained(engine, image, folders) {
  const name = `streamproof-${randomUUID()}`;
  const places = folders.map((folder, n) => [path.resolve(folder), `/scenarios/${n}`]);
  const volumes = places.flatMap(([own, there]) => ["--volume", `${own}:${there}:ro`]);
  const run = ["run", "--rm", "--interactive", "--name", name, "--publish", `127.0.0.1::${PORT}`];
  const serve = ["serve", "--host", "0.0.0.0", "--port", String(PORT), "--until-stdin-ends"];
  const scenarios = places.flatMap(([, there]) => ["--scenarios", there]);
  return {
    name: `${engine} run ${image}`,
    command: () => [engine, ...run, ...volumes, image, ...serve, ...scenarios],
    address: () => published(engine, name),
    patience: MILLISECONDS,
    pause: POLL_MILLISECONDS,
  };
}

/** The URL at which a container answers; empty if it does not yet. */
async function published(engine, name) {
  try {
    const { stdout } = await promisify(execFile)(engine, ["port", name, `${PORT}/tcp`]);
    const url = `http://${stdout.split("\n")[0].trim()}`;
    const connection = new Connection(url);
    await connection.ask("GET", "/_mock/health");
    connection.close();
    return url;
  } catch {
    return "";
  }
}

module.exports = { containers };
