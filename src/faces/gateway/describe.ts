import { version } from "../../lib/version.ts";

export const serverInfo = { name: "toolplane", title: "Toolplane", version } as const;

/** The same whatever is behind us: servers come and go while a client is connected. */
export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;
