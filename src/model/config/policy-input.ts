// Generated from the schema of the configuration by npm run docs. Change the schema instead.

/** What runs, what is asked about, what is refused. */
export interface PolicyInput {
  /** What is asked about where no rule matches; personal as long as no credentials are needed, guarded from then on. */
  profile?: "personal" | "guarded" | "strict" | null | undefined;
  /** build runs writes, plan queues them, debug asks about each, review refuses them; what only reads runs. Default: "build". */
  mode?: "build" | "plan" | "review" | "debug" | undefined;
  /** Rules in order; the first that matches decides. Default: []. */
  rules?: readonly PolicyRuleInput[] | undefined;
  /** required: a tool whose safety_level is high runs only on servers that say 'isolated'. Left out, the strict profile asks for it. */
  isolation?: "off" | "required" | undefined;
  /** By glob of tool names: what they do, read or write, where you know better. */
  effects?: Readonly<Record<string, "read" | "write">> | undefined;
}

/** A rule of the policy; the first that fits decides. */
export interface PolicyRuleInput {
  /** Glob of tool names. */
  tool?: string | undefined;
  /** Glob of server names. */
  server?: string | undefined;
  /** Any of these effects. */
  side_effects?: readonly ("none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database")[] | undefined;
  /** Any of read, write and unknown, as 'policy test' tells for a tool. */
  effects?: readonly ("read" | "write" | "unknown")[] | undefined;
  /** Any of these risks: a tool's safety_level, else high where it destroys, low where it reads. */
  risk?: readonly ("low" | "medium" | "high")[] | undefined;
  /** Any of these callers, by glob. */
  users?: readonly string[] | undefined;
  /** Callers in any of these groups. */
  groups?: readonly string[] | undefined;
  /** Callers that are any of these personas. */
  personas?: readonly string[] | undefined;
  /** Calls that came in by any of these ways. */
  faces?: readonly ("library" | "cli" | "http" | "workbench" | "mcp" | "agent")[] | undefined;
  /** What the named arguments must match, all of them: a glob, or {regex} to look for anywhere in it. */
  arguments?: Readonly<Record<string, string | { regex: string }>> | undefined;
  /** Only then. */
  time?: TimeWindowInput | undefined;
  /** What then. */
  verdict: "allow" | "ask" | "queue" | "deny";
  /** What the caller is told. */
  reason?: string | undefined;
}

/** Only then. */
export interface TimeWindowInput {
  /** From this time of the day, Default: "00:00". */
  from?: string | undefined;
  /** until this one; across midnight where it is earlier. Default: "00:00". */
  to?: string | undefined;
  /** On these days; every day when left out. Counted when the time begins. */
  days?: readonly ("sun" | "mon" | "tue" | "wed" | "thu" | "fri" | "sat")[] | undefined;
  /** By the clock of this time zone. Default: "UTC". */
  timezone?: string | undefined;
}

/** Programs that are asked about calls; hooks.md tells how. */
export interface HooksInput {
  /** Asked whether a person has to be asked; may say no, where only the profile asks. Default: []. */
  PermissionRequest?: readonly HookInput[] | undefined;
  /** Asked before a call runs; may write other arguments. Default: []. */
  PreToolUse?: readonly HookInput[] | undefined;
  /** Asked about a result; may replace it or hold it back. Default: []. */
  PostToolUse?: readonly HookInput[] | undefined;
  /** Asked before the first call of a conversation; may refuse it. Default: []. */
  SessionStart?: readonly HookInput[] | undefined;
  /** Told when a conversation ends. Default: []. */
  SessionEnd?: readonly HookInput[] | undefined;
}

/** A program that is asked about calls. */
export interface HookInput {
  /** What it is called in reasons and records. */
  name: string;
  /** Only for tools whose name this pattern is found in; * for all. Default: "*". */
  matcher?: string | undefined;
  /** The program and its arguments; no shell. It runs where this file is. */
  command: readonly string[];
  /** It is ended after this time, which is a failure. Default: 2000. */
  timeout_ms?: number | undefined;
  /** What a failure counts for; deny when left out. */
  on_error?: "deny" | "allow" | undefined;
}

/** Questions to people. */
export interface ApprovalsInput {
  /** How long a question waits. Default: 300000. */
  timeoutMs?: number | undefined;
  /** May the arguments be changed before saying yes? Default: true. */
  allowEdit?: boolean | undefined;
  /** Groups whose members may answer for others; each caller answers for their own calls. Default: []. */
  approvers?: readonly string[] | undefined;
  /** Is a yes to a tool that only requires consent good for the rest of the conversation? Default: true. */
  rememberConsent?: boolean | undefined;
}

/** What the tools of a conversation may take. */
export interface BudgetsInput {
  /** How long the tools of one conversation may run in all, 0 for no limit. Default: 120000. */
  maxToolDurationMs?: number | undefined;
  /** What the calls of one conversation may cost by their manifests: a number for every unit alike, or numbers by unit. */
  maxCost?: number | Readonly<Record<string, number>> | null | undefined;
  /** What all calls of a persona may cost, by its name, as long as the plane runs. */
  perPersona?: Readonly<Record<string, PersonaBudgetInput>> | undefined;
}

/** What all calls of one persona may cost. */
export interface PersonaBudgetInput {
  /** As above. */
  maxCost?: number | Readonly<Record<string, number>> | null | undefined;
}
