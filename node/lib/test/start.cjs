"use strict";

const { execFile } = require("node:child_process");
const { randomUUID } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const { promisify } = require("node:util");

const { Child } = require("./child.cjs");
const { Connection } = require("./connection.cjs");
const { Fault } = require("./fault.cjs");

const MILLISECONDS = 30_000;
// It may have to download the package first.
const DOWNLOAD_MILLISECONDS = 180_000;
const POLL_MILLISECONDS = 20;
const NOT_INSTALLED = /No module named '?streamproof/;

/** The programs that may be there, in the order in which they are tried. */
const PROGRAMS = [
  { program: ["streamproof"], patience: MILLISECONDS },
  { program: ["python3", "-m", "streamproof"], patience: MILLISECONDS },
  { program: ["python", "-m", "streamproof"], patience: MILLISECONDS },
  { program: ["uvx", "streamproof"], patience: DOWNLOAD_MILLISECONDS },
];

/**
 * Starts a server, and returns its URL with `why`, which says how it has ended, and `stop`.
 *
 * It is a container if STREAMPROOF_IMAGE names an image, else the first program that is there.
 * Rejects with a Fault if there is none, or if the first one does not start.
 */
async function started(folders) {
  const image = process.env.STREAMPROOF_IMAGE;
  const programs = () => PROGRAMS.map((each) => installed(each, folders));
  const ways = image ? containers(image, folders) : programs();
  for (const way of ways) {
    const server = await attempted(way);
    if (server) return server;
  }
  const tried = ways.map(({ name }) => name).join(", ");
  const hint = image ? NO_ENGINE : NO_PROGRAM;
  throw new Fault(`there is no mock server to start: not found are ${tried}`, hint);
}

const NO_PROGRAM =
  "'pip install streamproof' brings it; or set STREAMPROOF_URL to the URL of a server that runs, " +
  "or STREAMPROOF_IMAGE to the image of its container";
const NO_ENGINE = "STREAMPROOF_IMAGE names an image, which docker or podman runs";

/** A program as a way to start a server, which writes its URL to a file. */
function installed({ program, patience }, folders) {
  const own = folders.flatMap((folder) => ["--scenarios", folder]);
  const serve = ["serve", "--port", "0", "--until-stdin-ends", ...own];
  return {
    name: program.join(" "),
    command: (folder) => [...program, ...serve, "--ready-file", path.join(folder, "url")],
    address: ({ folder }) => contentOf(path.join(folder, "url")),
    patience,
    pause: POLL_MILLISECONDS,
  };
}

/** The server that a way has started; undefined if its program is not there. */
async function attempted({ name, command, address, patience, pause }) {
  const child = new Child(command);
  const until = Date.now() + patience;
  for (;;) {
    const url = await address(child);
    if (url) {
      child.ready();
      return { url, why: () => child.ending, stop: () => child.stop() };
    }
    const ending = child.ending;
    if (!ending && Date.now() < until) {
      await sleep(pause);
      continue;
    }
    await child.stop();
    if (child.missing || NOT_INSTALLED.test(ending)) return undefined;
    const why = ending || `it did not answer within ${patience / 1000} seconds`;
    throw new Fault(`the mock server '${name}' did not start: ${why}`, HINT);
  }
}

const HINT = "run it by hand to see more; STREAMPROOF_URL names a server that runs already";

/** The text of a file that is replaced as a whole; empty if there is none yet. */
function contentOf(file) {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

const ENGINES = ["docker", "podman"];
const PORT = 4100;
// The image may have to be pulled first.
const PULL_MILLISECONDS = 300_000;

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
    patience: PULL_MILLISECONDS,
    pause: 10 * POLL_MILLISECONDS,
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

module.exports = { started };
