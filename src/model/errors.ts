import type { ErrorReport } from "./errors-schema.ts";
import type { JsonObject } from "./json.ts";

type ErrorRow = {
  http: number;
  rpc: number;
  exit: 1 | 2 | 3 | 4;
  /** May the same call succeed later, unchanged? */
  retryable: boolean;
  category: ErrorCategory;
  means: string;
};

export type ErrorCategory =
  | "validation"
  | "configuration"
  | "policy"
  | "tool"
  | "transient"
  | "dependency"
  | "cancelled"
  | "internal";

/** The only place where a code meets a status; docs/errors is compared with it. */
export const errorTable = {
  USAGE: row(400, -32600, 2, false, "validation", "Unknown or invalid command, flag or request."),
  NOT_FOUND: row(
    404,
    -32601,
    1,
    false,
    "validation",
    "The route or the named item does not exist.",
  ),
  TOOL_NOT_FOUND: row(
    404,
    -32602,
    2,
    false,
    "validation",
    "The catalogue has no tool of that name.",
  ),
  TOOL_AMBIGUOUS: row(409, -32602, 2, false, "validation", "Several tools match that name."),
  SERVER_NOT_FOUND: row(
    404,
    -32602,
    2,
    false,
    "validation",
    "No server of that name is configured.",
  ),
  INVALID_ARGUMENTS: row(
    400,
    -32602,
    2,
    false,
    "validation",
    "Invalid arguments for the tool's schema.",
  ),
  NOT_RECORDED: row(
    404,
    -32602,
    1,
    false,
    "validation",
    "The recording that is replayed has no answer to this call.",
  ),
  PAYLOAD_TOO_LARGE: row(
    413,
    -32600,
    2,
    false,
    "validation",
    "The request body is larger than we accept.",
  ),
  CONFLICT: row(409, -32600, 1, false, "validation", "The current state does not allow this."),
  ENTRY_INVALID: row(400, -32602, 2, false, "validation", "Not a valid catalogue entry."),
  CONFIG_INVALID: row(
    500,
    -32603,
    2,
    false,
    "configuration",
    "A configuration file is missing or broken.",
  ),
  FORBIDDEN: refusal(403, -32003, "This principal is not allowed to do this."),
  ORIGIN_REFUSED: refusal(
    403,
    -32003,
    "The request came by a host or from a web page that is not served here.",
  ),
  BUNDLE_REFUSED: refusal(403, -32003, "The bundle is damaged, or its signing key is not trusted."),
  TOOL_QUARANTINED: refusal(
    403,
    -32003,
    "The tool's definition changed or looks poisoned, and was not accepted.",
  ),
  UNAUTHENTICATED: refusal(401, -32007, "The caller has no valid credentials."),
  AUTH_REQUIRED: refusal(401, -32006, "The server needs a sign-in or a token first."),
  APPROVAL_REQUIRED: refusal(202, -32004, "The call needs a person's approval."),
  PLAN_QUEUED: refusal(202, -32004, "The call was queued in a plan and runs once it is approved."),
  CALL_QUEUED: refusal(
    202,
    -32004,
    "The call could not be sent, was accepted, and runs once its server is available.",
  ),
  APPROVAL_DENIED: refusal(403, -32003, "A rule, a hook or a person denied the call."),
  TOOL_ERROR: row(200, -32000, 1, false, "tool", "The tool ran and reported an error."),
  PROGRAM_FAILED: row(
    200,
    -32000,
    1,
    false,
    "tool",
    "The program threw an error, or could not be read.",
  ),
  PROVIDER_FAILED: row(
    502,
    -32000,
    1,
    false,
    "tool",
    "The provider answered with a protocol error.",
  ),
  NO_PROVIDER: row(503, -32000, 4, true, "dependency", "No provider of the tool is available."),
  NOT_READY: row(
    409,
    -32000,
    4,
    true,
    "dependency",
    "A skill or job lacks a requirement and did not start.",
  ),
  SERVER_UNAVAILABLE: row(
    503,
    -32000,
    4,
    true,
    "dependency",
    "The server could not be started or reached.",
  ),
  BUSY: row(
    429,
    -32000,
    4,
    true,
    "transient",
    "The server's concurrency limit and queue are full.",
  ),
  RATE_LIMITED: row(
    429,
    -32000,
    4,
    true,
    "transient",
    "The rate limit of the server or tool is reached.",
  ),
  BUDGET_EXCEEDED: refusal(429, -32003, "The time or cost budget is used up."),
  SHUTTING_DOWN: row(
    503,
    -32000,
    4,
    true,
    "transient",
    "The plane was shut down before the call was answered.",
  ),
  OUTCOME_UNKNOWN: row(
    502,
    -32000,
    4,
    false,
    "dependency",
    "The answer was lost; the tool may have run.",
  ),
  TIMEOUT: row(504, -32001, 4, true, "transient", "No answer arrived within the timeout."),
  CANCELLED: row(
    499,
    -32800,
    4,
    true,
    "cancelled",
    "The call was cancelled before the answer arrived.",
  ),
  RECORD_FAILED: row(
    503,
    -32603,
    4,
    false,
    "internal",
    "The record could not be taken, and 'audit.required' is set.",
  ),
  STORE_FAILED: row(503, -32603, 4, true, "internal", "The state could not be read or written."),
  INTERNAL: row(500, -32603, 1, false, "internal", "A defect of ours; please report it."),
} as const satisfies Record<string, ErrorRow>;

/** The codes that all faces show; docs/errors has a page for each. */
export type ErrorCode = keyof typeof errorTable;

function row(
  http: number,
  rpc: number,
  exit: ErrorRow["exit"],
  retryable: boolean,
  category: ErrorCategory,
  means: string,
): ErrorRow {
  return { http, rpc, exit, retryable, category, means };
}

function refusal(http: number, rpc: number, means: string): ErrorRow {
  return row(http, rpc, 3, false, "policy", means);
}

export type ErrorData = {
  server?: string;
  tool?: string;
  attempts?: number;
  /** The end of the message that says what to do. */
  hint?: string;
  /** Parts of the message that tell a person what to type. */
  personHints?: readonly string[];
  /** The files can be read, and what they say does not fit the tools there are: a check, not a broken file. */
  failedCheck?: boolean;
  [key: string]: unknown;
};

/**
 * What the library throws: a code, a sentence with the remedy, and data. A call returns it as `outcome.error`.
 * @example
 * try {
 *   await createPlane({ config: "missing.json" });
 * } catch (thrown) {
 *   if (thrown instanceof PlaneError) console.error(thrown.code, thrown.message);
 * }
 */
export class PlaneError extends Error {
  override readonly name = "PlaneError";
  /** Decide on this, never on the message. */
  readonly code: ErrorCode;
  /** The server, the tool and more, by code. */
  readonly data: ErrorData;

  constructor(
    code: ErrorCode,
    message: string,
    options: { data?: ErrorData; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
  }
}

/** Why running work is ended when its plane is stopped. */
export function shuttingDown(): PlaneError {
  return new PlaneError(
    "SHUTTING_DOWN",
    "This plane is shutting down. Ask again in a moment, or ask another one.",
  );
}

export function isShutdown(reason: unknown): boolean {
  return reason instanceof PlaneError && reason.code === "SHUTTING_DOWN";
}

/** The one funnel for whatever was thrown. */
export function toPlaneError(thrown: unknown): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  const short = shortages.get(codeOf(thrown));
  if (short !== undefined)
    return new PlaneError(short.code, short.text, {
      ...(short === noSpace && { data: { full: true } }),
      cause: thrown,
    });
  return new PlaneError("INTERNAL", `Unexpected: ${textOf(thrown)}`, { cause: thrown });
}

const noDescriptors = {
  code: "BUSY",
  text: "This machine gives the plane no more file descriptors. It goes on as soon as some are free; raise the limit with 'ulimit -n'.",
} as const;
const noSpace = {
  code: "STORE_FAILED",
  text: "There is no space left on the device that holds the data directory. Free some, then try again.",
} as const;
/** What the system lacks is no defect of ours. */
const shortages: ReadonlyMap<unknown, { code: ErrorCode; text: string }> = new Map<
  unknown,
  typeof noDescriptors | typeof noSpace
>([
  ["EMFILE", noDescriptors],
  ["ENFILE", noDescriptors],
  ["ENOSPC", noSpace],
  ["EDQUOT", noSpace],
]);

/** Of the system, also where it was wrapped once. */
function codeOf(thrown: unknown): unknown {
  const { code, cause } = (thrown ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return code ?? cause?.code;
}

function textOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return "a value that cannot be shown";
  }
}

export function reportError(error: PlaneError): ErrorReport {
  const { server, tool, attempts, ...data } = error.data;
  return {
    code: error.code,
    category: errorTable[error.code].category,
    message: error.message,
    recoverable: errorTable[error.code].retryable,
    server: server ?? null,
    tool: tool ?? null,
    attempts: attempts ?? 0,
    cause: error.cause instanceof Error ? error.cause.message : null,
    data,
  };
}

/** As JSON: what the message says already is not said again. */
export function withoutHints<Report extends ErrorReport>(report: Report): Report {
  const { hint, personHints: _, ...data } = report.data;
  const isSaid = hint === undefined || report.message.includes(hint);
  return { ...report, data: isSaid ? data : { ...data, hint } };
}

/** A check that failed ends with 1, whatever its code. */
export function exitCodeFor({ code, data }: Pick<ErrorReport, "code" | "data">): number {
  return data.failedCheck === true ? 1 : errorTable[code].exit;
}

/** A model cannot type the commands in `data.personHints`: `instead` replaces them. */
export function messageForModel(
  { message, data }: Pick<ErrorReport, "message" | "data">,
  instead = "A person has to look into it.",
): string {
  const hints = data.personHints?.filter((hint) => message.includes(hint)) ?? [];
  if (hints.length === 0) return message;
  return `${hints.reduce(withoutSentence, message)} ${instead}`;
}

function withoutSentence(message: string, sentence: string): string {
  const start = message.indexOf(sentence);
  const remainder = message.slice(start + sentence.length).replace(/^\./, "");
  return `${message.slice(0, start).trimEnd().replace(/[;.]$/, "")}.${remainder}`;
}

export const personHints = {
  doctor: "'toolplane doctor' says what to try",
  serverLogs: (server: string) => `'toolplane servers logs ${server}' shows what it wrote.`,
  pinRejected: (tool: string) => `'toolplane pins diff ${tool}' shows the change`,
  pinChanged: (tool: string) =>
    `see 'toolplane pins diff ${tool}', then 'toolplane pins accept ${tool}'`,
  toolNew: (tool: string) => `see '${lookAt(tool)}', then 'toolplane pins accept ${tool}'`,
  toolDisabled: (tool: string) => `'toolplane tools enable ${tool}' enables it`,
  toolSuspect: (tool: string) =>
    `see '${lookAt(tool)}', then 'toolplane pins accept ${tool}' if it is harmless`,
} as const;

/** Longest first, since one may begin another. */
/** Prompts, resources and instructions are no tools. */
const lookAt = (name: string) =>
  /^(prompt|resource|template|instructions):/.test(name)
    ? `toolplane pins diff ${name}`
    : `toolplane tools show ${name}`;

export function quarantineHints(tool: string): string[] {
  const { toolSuspect, toolNew, pinChanged, pinRejected, toolDisabled } = personHints;
  return [toolSuspect, toolNew, pinChanged, pinRejected, toolDisabled].map((hint) => hint(tool));
}

/** Their messages name our files. */
const ourOwnTrouble: readonly ErrorCode[] = [
  "INTERNAL",
  "STORE_FAILED",
  "CONFIG_INVALID",
  "RECORD_FAILED",
];

const away =
  "The plane cannot reach its store right now. It is tried again all the time; ask again in a moment.";
const busy = "The store of the plane is overloaded. Ask again in a moment.";
const noModel =
  "No model is configured here. The operator of this plane can add one under 'models'; tools can be called without it.";

/** What callers other than the operator read; null where they may read the message. */
export function publicMessage(
  code: ErrorCode,
  data: Readonly<Record<string, unknown>>,
): { message: string; data: JsonObject } | null {
  if (!ourOwnTrouble.includes(code)) return null;
  if (code === "STORE_FAILED" && data.lost === true) return { message: away, data: { lost: true } };
  if (code === "STORE_FAILED" && data.busy === true) return { message: busy, data: { busy: true } };
  if (code === "CONFIG_INVALID" && data.noModel === true)
    return { message: noModel, data: { noModel: true } };
  if (code === "STORE_FAILED" && data.full === true) return { message: noSpace.text, data: {} };
  if (code === "STORE_FAILED" && typeof data.why === "string")
    return {
      message: `${errorTable[code].means.slice(0, -1)}: ${data.why}.`,
      data: { why: data.why },
    };
  // Its caller has to know whether to ask again.
  if (code === "RECORD_FAILED" && typeof data.done === "boolean")
    return {
      message: `${errorTable[code].means} ${data.done ? "It was done anyway." : "It was not done."}`,
      data: { done: data.done },
    };
  return { message: errorTable[code].means, data: {} };
}
