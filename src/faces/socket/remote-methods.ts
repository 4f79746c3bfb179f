import type { ErrorCode, ErrorData } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";

type Place = number | null;
type Places<T> = { [Name in keyof T]?: T[Name] extends (...args: never[]) => unknown ? Place : Places<T[Name]> };

/**
 * What can be asked of a plane in another process, and which argument says who asks. A test compares it with the
 * operations, whose schemas the command line does not load.
 */
const places = {
  call: 2,
  search: 1,
  recommend: 1,
  evaluateSearch: 1,
  forgetSearches: 0,
  stats: 1,
  doctor: null,
  readiness: null,
  reload: 0,
  config: null,
  tools: { list: 0, get: 1, page: 1, set: 2, delete: 2, overlay: 1, previewOverlay: 2, quality: 1, isLazy: 0 },
  registry: { summary: 0, delete: 3, changes: 1, export: 1, import: 2 },
  pins: { list: 1, get: 1, accept: 2, reject: 2 },
  servers: {
    list: 0,
    locked: 0,
    get: 1,
    logs: 1,
    record: 1,
    messages: 1,
    ping: null,
    connect: 1,
    disconnect: 1,
    refresh: 1,
    clearCaches: 1,
  },
  prompts: { list: 1, get: 3 },
  resources: { list: 1, templates: 1, read: 2 },
  skills: { page: 1, get: 1, run: 2 },
  tasks: { list: 0, page: 1, get: 1 },
  jobs: { list: 0, page: 1, get: 1, run: 1, rerun: 1, pause: 1, resume: 1, cancel: 1, status: 1, history: 2 },
  deadLetters: { page: 1, get: 1, retry: 1, resolve: 2, abandon: 2, delete: 1, restore: 1 },
  approvals: { list: 0, page: 1, get: 1, answer: 2, remembered: 0, forget: 1 },
  plans: { check: 1, list: 0, get: 1, approve: 2, reject: 2 },
  policy: { test: 2, preview: 1 },
  questions: { list: 0, answer: 2 },
  tokens: { list: 0, set: 2, forget: 1 },
  keys: { list: 0, create: 1, revoke: 1 },
  identity: { needsCredentials: null },
  calls: { activity: 0, list: 1, get: 1, payloads: 1, series: 1, verify: 1 },
  audit: { list: 1, get: 1, verify: 1 },
  results: { get: 2, page: 1 },
  runs: { page: 1, get: 1, render: 2, rename: 2, delete: 1 },
  agent: { run: 1, generate: 0 },
  code: { run: 1, search: 1 },
  codegen: { generate: 2 },
  conversations: { end: 1, budget: 1 },
} as const satisfies Places<Plane>;

/** `jobs.run` and its place. */
export const remoteMethods: ReadonlyMap<string, Place> = new Map(
  Object.entries(places).flatMap(([name, place]): [string, Place][] =>
    typeof place === "object" && place !== null
      ? Object.entries(place).map(([verb, inner]: [string, Place]) => [`${name}.${verb}`, inner])
      : [[name, place]],
  ),
);

/** The answer to `{ method, args, hears? }`, each a line of JSON (`callbacks.ts`); hanging up cancels. */
export type RemoteAnswer = { value?: unknown } | { error: { code: ErrorCode; message: string; data: ErrorData } };
