/**
 * Reserves stdout for the protocol. Everything else written to it, such as console.log of an adapter
 * or a library, goes to stderr, also through references taken before.
 */

/** Returns `say`, which writes a message, and `flushed`, which calls back after all writes. */
export function takeStdout() {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // The kit has closed the pipe, so there is nothing left to do.
  stdout.on("error", () => process.exit(0));
  return {
    say: (message) => void write(`${JSON.stringify(message)}\n`),
    flushed: (then) => void write("", then),
  };
}
