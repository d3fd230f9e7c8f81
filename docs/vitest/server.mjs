/** One mock server for all test files: vitest runs each of them in a process of its own. */
import { mock } from "streamproof/test";

export default async function () {
  const server = await mock();
  process.env.STREAMPROOF_URL = server.url;
  return () => server.stop();
}
