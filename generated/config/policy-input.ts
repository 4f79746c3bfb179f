// Generated from the schema of the configuration by npm run docs. Change the schema instead.

/** What runs, what needs approval, what is refused. */
export interface PolicyInput {
  /** What needs approval if no rule matches; personal while no credentials are required, otherwise guarded. */ profile?: "personal" | "guarded" | "strict" | null | undefined;
  /** build runs writes, plan queues them, debug asks for approval, review refuses them; reads run. Default: "build". */ mode?: "build" | "plan" | "review" | "debug" | undefined;
  /** Rules in order; the first that matches decides. Default: []. */ rules?: readonly PolicyRuleInput[] | undefined;
  /** required: a tool whose safety_level is high runs only on servers that say 'isolated'. By default only the strict profile requires it. */ isolation?: "off" | "required" | undefined;
  /** Every call that is not refused needs a person's yes. The variable FORCE_TOOL_APPROVAL_GLOBALLY=true sets it, whatever files say. */ askAlways?: boolean | undefined;
  /** Every call that no rule decides needs a person's yes. The variable REQUIRE_TOOL_APPROVAL_BY_DEFAULT=true sets it, whatever files say. */ askByDefault?: boolean | undefined;
  /** By glob of tool names: read or write, overriding the tool's own claim. */ effects?: Readonly<Record<string, "read" | "write">> | undefined;
}

/** A rule of the policy; the first that fits decides. */
export interface PolicyRuleInput {
  /** Glob of tool names: * is any run of characters, ? is one; braces have no meaning. */ tool?: string | undefined;
  /** Glob of server names. */ server?: string | undefined;
  /** Any of these effects. */ side_effects?: readonly ("none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database")[] | undefined;
  /** Any of read, write and unknown, as 'policy test' shows for a tool. */ effects?: readonly ("read" | "write" | "unknown")[] | undefined;
  /** Any of these risks: a tool's safety_level, else high if its server declares it destructive, low if it is read-only, otherwise medium. */ risk?: readonly ("low" | "medium" | "high")[] | undefined;
  /** Any of these callers, by glob. */ users?: readonly string[] | undefined;
  /** Callers in any of these groups. */ groups?: readonly string[] | undefined;
  /** Callers that are any of these personas. */ personas?: readonly string[] | undefined;
  /** Calls through any of these faces. */ faces?: readonly ("library" | "cli" | "http" | "workbench" | "mcp" | "agent")[] | undefined;
  /** True: only calls of pages of MCP Apps. False: all other calls. */ pages?: boolean | undefined;
  /** Conditions on arguments, all must match: a glob, or {regex} matched anywhere. */ arguments?: Readonly<Record<string, string | { regex: string }>> | undefined;
  /** Only at these times. */ time?: TimeWindowInput | undefined;
  /** The verdict. */ verdict: "allow" | "ask" | "queue" | "deny";
  /** The reason sent to the caller. */ reason?: string | undefined;
  /** The key that made it, set for rules of a server's 'require_approval'; such a rule has no number. */ from?: string | undefined;
}

/** Only at these times. */
export interface TimeWindowInput {
  /** From this time of day. Default: "00:00". */ from?: string | undefined;
  /** Until this time; past midnight if it is earlier than 'from'. Default: "00:00". */ to?: string | undefined;
  /** On these days, by the start of the period; every day by default. */ days?: readonly ("sun" | "mon" | "tue" | "wed" | "thu" | "fri" | "sat")[] | undefined;
  /** The time zone. Default: "UTC". */ timezone?: string | undefined;
}

/** Programs that decide on calls; see hooks.md. */
export interface HooksInput {
  /** Decides whether approval is needed; may waive it if only the profile requires it. Default: []. */ PermissionRequest?: readonly HookInput[] | undefined;
  /** Runs before a call; may change its arguments. Default: []. */ PreToolUse?: readonly HookInput[] | undefined;
  /** Runs on a result; may replace or withhold it. Default: []. */ PostToolUse?: readonly HookInput[] | undefined;
  /** Runs before the first question or call of a conversation; may refuse it. Default: []. */ SessionStart?: readonly HookInput[] | undefined;
  /** Runs when a conversation ends. Default: []. */ SessionEnd?: readonly HookInput[] | undefined;
  /** Runs on the question of an agent's run, before anything else; may refuse it. Default: []. */ UserPromptSubmit?: readonly HookInput[] | undefined;
  /** Runs before each request to an agent's model; may refuse it. `PreLlmCall` says the same. Default: []. */ BeforeModel?: readonly HookInput[] | undefined;
}

/** A program that is asked about calls. */
export interface HookInput {
  /** Its name in reasons and records. */ name: string;
  /** Pattern for tool names, matched anywhere; * for all. Default: "*". */ matcher?: string | undefined;
  /** The program and its arguments; no shell. It runs in this file's directory. */ command: readonly string[];
  /** Timeout; reaching it is a failure. Default: 2000. */ timeout_ms?: number | undefined;
  /** What a failure means; default deny. */ on_error?: "deny" | "allow" | undefined;
}

/** Approvals by people. */
export interface ApprovalsInput {
  /** How long the call of an MCP client is held open while it waits for a person. Without a progress token it is answered before 55 s. Default: 300000. */ holdMs?: number | undefined;
  /** How long a question lives: a day; an hour in the profile personal. */ expireMs?: number | undefined;
  /** Key of 0.3 for holdMs and expireMs; counts where they are not set. */ timeoutMs?: number | undefined;
  /** Whether a question stays when its caller cancels or leaves. Default: keep for MCP clients that show no forms, cancel for all other callers. */ onCallerGone?: "keep" | "cancel" | undefined;
  /** Whether approvers may edit the arguments. Default: true. */ allowEdit?: boolean | undefined;
  /** Groups whose members answer, and only they. Default: each caller for their own calls. Default: []. */ approvers?: readonly string[] | undefined;
  /** Whether a caller's own yes never counts, with any key that is theirs or that they created. Without approvers, others with the scope admin answer. Default: false. */ fourEyes?: boolean | undefined;
  /** How many different people have to say yes. Above 1, arguments cannot be edited and no yes is remembered. Default: 1. */ threshold?: number | undefined;
  /** Whether consent to a tool covers the rest of the conversation. Default: true. */ rememberConsent?: boolean | undefined;
}

/** Time and cost budgets of conversations. */
export interface BudgetsInput {
  /** Total run time of a conversation's tools, 0 for no limit. Default: 120000. */ maxToolDurationMs?: number | undefined;
  /** Maximum cost of a conversation's calls: a number for every unit, or numbers by unit. */ maxCost?: number | Readonly<Record<string, number>> | null | undefined;
  /** Maximum cost of all calls of a persona, by its name. */ perPersona?: Readonly<Record<string, PersonaBudgetInput>> | undefined;
}

/** What all calls of one persona may cost. */
export interface PersonaBudgetInput {
  /** As above. */ maxCost?: number | Readonly<Record<string, number>> | null | undefined;
}
