import type { ErrorCode, ErrorData } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";

/** What can be asked of a plane in another process, and which argument says who asks. */
export const remoteMethods = {
  call: 2,
  tools: 0,
  tool: 1,
  queryTools: 1,
  search: 1,
  recommend: 1,
  registrySummary: 0,
  skills: 1,
  skill: 1,
  jobs: 0,
  tasks: 0,
  setTool: 2,
  deleteTool: 2,
  changes: 1,
  exportBundle: 1,
  importBundle: 2,
  quality: 1,
  stats: 1,
  isLazy: 0,
  pins: 1,
  pin: 1,
  acceptPin: 2,
  rejectPin: 2,
  activity: 0,
  servers: 0,
  lockedServers: 0,
  server: 1,
  ping: null,
  connect: null,
  disconnect: null,
  refresh: null,
  logs: 1,
  clearCaches: null,
  endConversation: 1,
  budget: 1,
  prompts: 1,
  prompt: null,
  resources: 1,
  resourceTemplates: 1,
  resource: null,
  questions: 0,
  answer: 2,
  tokens: 0,
  setToken: 2,
  forgetToken: 1,
  keys: 0,
  createKey: 1,
  revokeKey: 1,
  needsCredentials: null,
  calls: 1,
  callRecord: 1,
  verifyCalls: 1,
  result: 2,
  results: 1,
  deadLetters: 1,
  deadLetter: 1,
  retryDeadLetter: 1,
  resolveDeadLetter: 2,
  abandonDeadLetter: 2,
  deleteDeadLetter: 1,
  testPolicy: 2,
  approvals: 0,
  approval: 1,
  answerApproval: 2,
  plans: 0,
  plan: 1,
  approvePlan: 2,
  rejectPlan: 2,
  remembered: 0,
  forgetRemembered: 1,
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
