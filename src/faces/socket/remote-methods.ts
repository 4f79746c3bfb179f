import type { ErrorCode, ErrorData } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";

/** What can be asked of a plane in another process, and which argument says who asks. */
export const remoteMethods = {
  call: 2,
  tools: 0,
  tool: 1,
  queryTools: 1,
  registrySummary: 0,
  servers: null,
  server: null,
  ping: null,
  connect: null,
  disconnect: null,
  refresh: null,
  logs: 1,
  clearCaches: null,
  endConversation: 1,
  prompts: null,
  prompt: null,
  resources: null,
  resourceTemplates: null,
  resource: null,
  questions: 0,
  answer: 2,
  tokens: 0,
  setToken: 2,
  forgetToken: 1,
  calls: null,
  reload: null,
  config: null,
} as const satisfies Partial<Record<keyof Plane, number | null>>;

export type RemoteMethod = keyof typeof remoteMethods;

export function isRemoteMethod(method: unknown): method is RemoteMethod {
  return typeof method === "string" && Object.hasOwn(remoteMethods, method);
}

/** The answer to `{ method, args }`, each a line of JSON; whoever hangs up has given up. */
export type RemoteAnswer =
  | { value?: unknown }
  | { error: { code: ErrorCode; message: string; data: ErrorData } };
