/**
 * stdout belongs to the protocol. Whatever else writes to it, an adapter's console.log or a
 * library's, is sent to stderr instead; also what has kept a reference to the console.
 */

/** Takes stdout; returns what writes a message, and what is called once all of it has gone out. */
export function takeStdout() {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // The kit has gone: nobody is left to tell.
  stdout.on("error", () => process.exit(0));
  return {
    say: (message) => void write(`${JSON.stringify(message)}\n`),
    flushed: (then) => void write("", then),
  };
}
