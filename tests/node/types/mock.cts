import { mock } from "streamproof/test";

export const url: Promise<string> = mock().then(({ baseUrl }) => baseUrl);
