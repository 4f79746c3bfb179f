import type { Plane } from "./plane.ts";

type TopVerb =
  | "config"
  | "reload"
  | "doctor"
  | "readiness"
  | "start"
  | "call"
  | "toolset"
  | "search"
  | "recommend"
  | "stats"
  | "on"
  | "drain"
  | "stop";

type Noun = Exclude<keyof Plane, TopVerb | "isRemote" | "isBackground" | typeof Symbol.asyncDispose>;

/** What the rooms call each verb of a noun. */
const roomNames = {
  toolsets: { register: "registerToolset", select: "toolsetSelection" },
  tools: {
    list: "tools",
    page: "queryTools",
    get: "tool",
    set: "setTool",
    delete: "deleteTool",
    register: "register",
    unregister: "unregister",
    overlay: "overlay",
    previewOverlay: "previewOverlay",
    weigh: "weigh",
    quality: "quality",
    isLazy: "isLazy",
    countTokens: "countTokens",
    registerProvider: "registerProvider",
  },
  servers: {
    list: "servers",
    get: "server",
    locked: "lockedServers",
    ping: "ping",
    connect: "connect",
    disconnect: "disconnect",
    refresh: "refresh",
    logs: "logs",
    followLogs: "followLogs",
    poolInfo: "poolInfo",
    clearCaches: "clearCaches",
    sees: "seesServer",
    instructions: "serverInstructions",
    forward: "forward",
    wantLogs: "wantLogs",
    onMessage: "onSaid",
  },
  prompts: { list: "prompts", get: "prompt" },
  resources: {
    list: "resources",
    templates: "resourceTemplates",
    read: "resource",
    watch: "watchResource",
  },
  approvals: {
    list: "approvals",
    page: "approvalPage",
    get: "approval",
    answer: "answerApproval",
    remembered: "remembered",
    forget: "forgetRemembered",
  },
  policy: { test: "testPolicy" },
  plans: {
    list: "plans",
    get: "plan",
    approve: "approvePlan",
    reject: "rejectPlan",
    check: "checkPlan",
  },
  deadLetters: {
    page: "deadLetters",
    get: "deadLetter",
    retry: "retryDeadLetter",
    resolve: "resolveDeadLetter",
    abandon: "abandonDeadLetter",
    delete: "deleteDeadLetter",
  },
  jobs: {
    list: "jobs",
    page: "queryJobs",
    get: "job",
    run: "runJob",
    rerun: "rerunJob",
    pause: "pauseJob",
    resume: "resumeJob",
    cancel: "cancelJobRun",
    status: "jobRun",
    history: "jobRuns",
  },
  tasks: { list: "tasks", page: "queryTasks", get: "task" },
  skills: { page: "skills", get: "skill", run: "runSkill" },
  registry: {
    summary: "registrySummary",
    delete: "deleteEntry",
    changes: "changes",
    export: "exportBundle",
    import: "importBundle",
  },
  pins: { list: "pins", get: "pin", accept: "acceptPin", reject: "rejectPin" },
  keys: { list: "keys", create: "createKey", revoke: "revokeKey" },
  identity: { usualCaller: "usualCaller", identify: "identify", needsCredentials: "needsCredentials" },
  tokens: {
    set: "setToken",
    list: "tokens",
    forget: "forgetToken",
    beginSignIn: "beginSignIn",
    signIn: "signIn",
    finishSignIn: "finishSignIn",
  },
  calls: {
    list: "calls",
    get: "callRecord",
    series: "callSeries",
    verify: "verifyCalls",
    activity: "activity",
  },
  results: { get: "result", page: "results" },
  events: { list: "events", page: "eventPage", lastId: "lastEventId", onStored: "onStored" },
  runs: { page: "runs", get: "run", render: "renderRun" },
  agent: { run: "runAgent", generate: "generate", generateAll: "generateAll" },
  conversations: { budget: "budget", end: "endConversation" },
  questions: { list: "questions", answer: "answer" },
  clients: { watch: "watchClient", sessions: "keptSessions" },
} as const satisfies { [N in Noun]: { [V in keyof Plane[N]]: string } };

type Named = {
  [N in Noun]: {
    [V in keyof Plane[N]]: [name: (typeof roomNames)[N][V & keyof (typeof roomNames)[N]], verb: Plane[N][V]];
  }[keyof Plane[N]];
}[Noun];

/** What the rooms make, by their names. */
export type Verbs = { [Pair in Named as Pair[0] & string]: Pair[1] };

/** Puts each verb under its noun. */
export function groupVerbs(verbs: Verbs & Pick<Plane, TopVerb>): Plane {
  const { config, reload, doctor, readiness, start, call, toolset, search, recommend, stats, on, drain, stop } = verbs;
  const byName: Readonly<Record<string, unknown>> = verbs;
  const nouns = Object.entries(roomNames).map(([noun, names]) => {
    const named = Object.entries<string>(names).map(([verb, name]) => [verb, byName[name]]);
    return [noun, Object.fromEntries(named)];
  });
  const top = { config, reload, doctor, readiness, start, call, toolset, search, recommend, stats, on, drain, stop };
  return { ...top, ...(Object.fromEntries(nouns) as Pick<Plane, Noun>), [Symbol.asyncDispose]: stop };
}

export type ApprovalVerbs = Pick<
  Verbs,
  | "testPolicy"
  | "approvals"
  | "approvalPage"
  | "approval"
  | "answerApproval"
  | "plans"
  | "plan"
  | "approvePlan"
  | "rejectPlan"
  | "remembered"
  | "forgetRemembered"
>;

export type IdentityVerbs = Pick<
  Verbs,
  "usualCaller" | "identify" | "needsCredentials" | "keys" | "createKey" | "revokeKey"
>;

export type AgentVerbs = Pick<Verbs, "registerToolset" | "toolsetSelection" | "runAgent" | "generate" | "generateAll"> &
  Pick<Plane, "toolset">;

export type OverlayVerbs = Pick<Verbs, "overlay" | "previewOverlay">;

export type ClientVerbs = Pick<Verbs, "watchClient" | "countTokens">;

export type QualityVerbs = Pick<Verbs, "quality" | "weigh" | "isLazy" | "pins" | "pin" | "acceptPin" | "rejectPin"> &
  Pick<Plane, "stats">;

export type ServerVerbs = Pick<
  Verbs,
  | "servers"
  | "server"
  | "ping"
  | "connect"
  | "disconnect"
  | "refresh"
  | "logs"
  | "followLogs"
  | "poolInfo"
  | "clearCaches"
  | "prompts"
  | "prompt"
  | "resources"
  | "resourceTemplates"
  | "resource"
>;

export type DeadLetterVerbs = Pick<
  Verbs,
  "deadLetters" | "deadLetter" | "retryDeadLetter" | "resolveDeadLetter" | "abandonDeadLetter" | "deleteDeadLetter"
>;

export type JobVerbs = Pick<
  Verbs,
  "job" | "runJob" | "rerunJob" | "pauseJob" | "resumeJob" | "cancelJobRun" | "jobRun" | "jobRuns"
>;

export type SkillVerbs = Pick<Verbs, "runSkill">;

export type ToolPlanVerbs = Pick<Verbs, "checkPlan">;
