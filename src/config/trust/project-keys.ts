import type { ConfigValues } from "../../model/config/config.ts";
import { isObject, type Path, type UnknownObject } from "../../model/json.ts";

/** The stricter of two values; what is not understood is passed on, so that the check of the values refuses it. */
export type Stricter = (mine: unknown, theirs: unknown, own: (key: string) => unknown) => unknown;

/**
 * What a file of a project may say about a key:
 * - a comparison: it may only tighten, trusted or not;
 * - `rules`: rules that hold calls back, trusted or not;
 * - `launch`: a line of its own, in force once a person trusts it;
 * - `trust`: in force once trusted, and never over what the user's own file says;
 * - `add`: the same, beside what the user's own file says;
 * - `replace`: the same, over what the user's own file says: a matter of taste that guards nothing;
 * - `own`: nothing.
 */
export type ProjectKey = Stricter | "rules" | "launch" | "trust" | "add" | "replace" | "own";

const theirsIf =
  (isStricter: (...values: Parameters<Stricter>) => boolean): Stricter =>
  (mine, theirs, own) =>
    isStricter(mine, theirs, own) ? theirs : mine;

/** The later, the stricter. */
const rank = (...order: readonly unknown[]) =>
  theirsIf((mine, theirs) => {
    // A mistake in the user's own file is reported, not covered.
    if (!order.includes(mine)) return false;
    return !order.includes(theirs) || order.indexOf(theirs) > order.indexOf(mine);
  });
const on = rank(false, true);
const off = rank(true, false);
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);
/** 0 is no limit where `noLimit` is 0. */
const lowerCount = (noLimit?: unknown) =>
  theirsIf((mine, theirs) => {
    if (theirs === noLimit || (mine !== noLimit && !isCount(mine))) return false;
    return mine === noLimit || !isCount(theirs) || theirs < Number(mine);
  });
/** Shorter than the user's own, which the key of 0.3 may have set, or than the default. */
const shorterLife = (defaultMs: number) =>
  theirsIf((mine, theirs, own) => {
    if (mine !== undefined && !isCount(mine)) return false;
    const limit = Math.min(...[mine, own("timeoutMs")].filter(isCount), defaultMs);
    return !isCount(theirs) || theirs < limit;
  });
const higherCount = theirsIf(
  (mine, theirs) => isCount(mine) && (!isCount(theirs) || theirs > mine),
);

/** None named is any, unless several people decide: then it is the administrators, and every group that is named would be more. */
const fewerApprovers = theirsIf((mine, theirs, own) => {
  if (!Array.isArray(mine)) return false;
  if (!Array.isArray(theirs)) return true;
  if (own("fourEyes") !== false || own("threshold") !== 1) return false;
  return mine.length === 0 || (theirs.length > 0 && theirs.every((group) => mine.includes(group)));
});

/** A number is for every unit, an object for the units that it names. */
const lowerCost: Stricter = (mine, theirs) => {
  if (mine === null || isUnderstoodCost(theirs) === false) return theirs;
  if (!isUnderstoodCost(mine) || theirs === null) return mine;
  if (isCount(mine)) return isCount(theirs) && theirs < mine ? theirs : mine;
  const ownCosts = mine as Record<string, number>;
  if (isCount(theirs))
    return Object.values(ownCosts).every((cost) => theirs <= cost) ? theirs : mine;
  const costs = Object.entries(theirs as Record<string, number>).map(([unit, cost]) => {
    return [
      unit,
      Object.hasOwn(ownCosts, unit) ? Math.min(cost, ownCosts[unit] ?? cost) : cost,
    ] as const;
  });
  return { ...ownCosts, ...Object.fromEntries(costs) };
};

function isUnderstoodCost(value: unknown): boolean {
  return (
    value === null || isCount(value) || (isObject(value) && Object.values(value).every(isCount))
  );
}

/** The first pattern that matches counts. */
const moreWrites: Stricter = (mine, theirs) => {
  if (!isObject(mine)) return mine;
  if (!isObject(theirs)) return theirs;
  const writes = Object.fromEntries(
    Object.entries(theirs).filter(([, effect]) => effect !== "read"),
  );
  return {
    ...writes,
    ...Object.fromEntries(Object.entries(mine).filter(([name]) => !Object.hasOwn(writes, name))),
  };
};

const claims = {
  user: "trust",
  groups: "trust",
  persona: "trust",
  scopes: "trust",
  workspace: "trust",
  compliance: "trust",
  tool_groups: "trust",
} as const;

/** A line for every key, or for a whole section whose keys are names. A key without a line does not compile. */
type Lines<T> = T extends readonly unknown[] | string | number | boolean
  ? ProjectKey
  : string extends keyof T
    ? ProjectKey | { "*": Lines<NonNullable<T[keyof T]>> }
    : { [Key in keyof T]-?: Lines<NonNullable<T[Key]>> };

export const projectKeys = {
  servers: "launch",
  tools: "trust",
  overlays: "trust",
  env: "trust",
  inheritEnv: "trust",
  inject: "trust",
  inject_options: { exclude_self: "trust", exclude: "trust", max_bytes: "trust" },
  manifests: "trust",
  toolsets: "trust",
  models: "trust",
  sampling: {
    enabled: off,
    verdict: rank("allow", null, "ask", "deny"),
    // Which model answers is no guard.
    model: "trust",
    maxTokens: lowerCount(),
    maxCallsPerToolCall: lowerCount(),
  },
  policy: {
    profile: rank("personal", null, "guarded", "strict"),
    mode: rank("build", "debug", "plan", "review"),
    rules: "rules",
    isolation: rank("off", undefined, "required"),
    askAlways: rank(undefined, false, true),
    askByDefault: rank(undefined, false, true),
    effects: moreWrites,
  },
  hooks: {
    PermissionRequest: "add",
    PreToolUse: "add",
    PostToolUse: "add",
    SessionStart: "add",
    SessionEnd: "add",
    UserPromptSubmit: "add",
    BeforeModel: "add",
  },
  // Code that runs in the plane.
  extensions: "add",
  approvals: {
    holdMs: shorterLife(300_000),
    expireMs: shorterLife(3_600_000),
    timeoutMs: shorterLife(300_000),
    onCallerGone: rank("keep", undefined, "cancel"),
    allowEdit: off,
    approvers: fewerApprovers,
    fourEyes: on,
    threshold: higherCount,
    rememberConsent: off,
  },
  budgets: {
    maxToolDurationMs: lowerCount(0),
    maxCost: lowerCost,
    perPersona: { "*": { maxCost: lowerCost } },
  },
  retry: { attempts: "trust", delayMs: "trust", maxDelayMs: "trust" },
  lazy: {
    mode: "replace",
    thresholdTokens: "replace",
    alwaysLoadTools: "replace",
    summaryDescriptionLimit: "replace",
    maxToolsPerSearch: "replace",
    maxLoadedTokens: "replace",
    callable: rank("all", "found"),
  },
  search: { synonyms: "replace", embeddings: { model: "trust" }, learn: "trust" },
  results: {
    maxInlineBytes: "trust",
    keepMs: "trust",
    maxStoredBytes: "trust",
    store: "own",
    builtinTool: "trust",
    redact: { secrets: on, entropy: on, patterns: "trust" },
  },
  calls: { keepDays: "trust", maxBytes: "trust" },
  quotas: { maxHeldOpen: lowerCount(), maxSessionsPerCaller: lowerCount() },
  audit: { required: on, hmacKey: "own", signingKey: "own", rootFile: "own", rootWebhook: "own" },
  observability: {
    otlp: {
      endpoint: "trust",
      headers: "trust",
      traces: "trust",
      metrics: "trust",
      intervalMs: "trust",
      serviceName: "trust",
    },
    keepPayloads: "trust",
    payloadDays: "trust",
  },
  jobs: { concurrency: "trust", keepDays: "trust" },
  security: {
    pinning: rank("off", "warn", "quarantine"),
    newTools: rank("accept", "quarantine"),
    poisoning: rank("off", "warn", null, "quarantine"),
    allowOrigins: "own",
    egress: { allow: "own" },
  },
  registries: "trust",
  bundles: { trustedKeys: "trust" },
  store: "trust",
  durability: rank("process", "power", "strict"),
  vaultKey: "trust",
  defaultServer: "trust",
  auth: {
    jwt: {
      issuer: "trust",
      audience: "trust",
      jwksUri: "trust",
      claims,
    },
    issuer: "trust",
    claims,
    scopes: "trust",
    publicUrl: "trust",
    server: {
      enabled: "trust",
      registration: "trust",
      clientDocuments: "trust",
      accessMinutes: "trust",
      refreshDays: "trust",
      sessionHours: "trust",
      clients: "trust",
      assertionIssuers: "trust",
    },
    signIn: {
      issuer: "trust",
      clientId: "trust",
      clientSecret: "trust",
      scopes: "trust",
      claims,
    },
  },
  users: "trust",
  personas: "trust",
  compliance: "trust",
} satisfies { [Section in keyof ConfigValues]-?: Lines<NonNullable<ConfigValues[Section]>> };

/** May a project say it only as far as it tightens, or not at all? */
export function isGuard(line: ProjectKey): boolean {
  return typeof line === "function" || line === "rules" || line === "own";
}

/** What is no key beside guards is never taken from a project; elsewhere the check of the values refuses it. */
export function lineOf(path: Path): ProjectKey {
  let line: unknown = projectKeys;
  for (const key of path) {
    if (!isObject(line)) break;
    const lines: UnknownObject = line;
    line = Object.hasOwn(lines, key) ? lines[key] : (lines["*"] ?? unknownBeside(lines));
  }
  return isObject(line) ? "own" : (line as ProjectKey);
}

function unknownBeside(lines: UnknownObject): ProjectKey {
  const isGuarded = Object.values(lines).some(
    (line) => isObject(line) || isGuard(line as ProjectKey),
  );
  return isGuarded ? "own" : "trust";
}
