import * as z from "zod/mini";
import type { JsonObject } from "../json.ts";
import type { AbortSignal } from "../platform.ts";
import type { Principal } from "../principal.ts";

/** Asked of an agent's run: the first may change the question, and both may deny. */
export const promptEvents = ["UserPromptSubmit", "BeforeModel"] as const;
export type PromptEvent = (typeof promptEvents)[number];

export const hookEvents = [
  ...(["PermissionRequest", "PreToolUse", "PostToolUse", "SessionStart", "SessionEnd"] as const),
  ...promptEvents,
] as const;
/** The moments at which hooks are asked. */
export type HookEvent = (typeof hookEvents)[number];

export const defaultHookTimeoutMs = 2_000;
export const anyToolMatcher = "*";

/** A failed guard stops the call. */
export const defaultOnError = {
  PermissionRequest: "deny",
  PreToolUse: "deny",
  PostToolUse: "allow",
  SessionStart: "allow",
  SessionEnd: "allow",
  UserPromptSubmit: "deny",
  BeforeModel: "deny",
} as const satisfies Record<HookEvent, "deny" | "allow">;

/** No shell is involved. */
export const CommandHook = z.strictObject({
  name: z.string().check(z.minLength(1)),
  /** Found anywhere in the tool's name; a linear-time pattern. */
  matcher: z._default(z.string(), anyToolMatcher),
  command: z.array(z.string()).check(z.minLength(1)),
  timeout_ms: z._default(z.int().check(z.positive(), z.maximum(600_000)), defaultHookTimeoutMs),
  on_error: z.optional(z.enum(["deny", "allow"])),
});
export type CommandHook = z.infer<typeof CommandHook>;

const commands = z._default(z.array(CommandHook), []);

export const HookSettings = z.strictObject({
  PermissionRequest: commands,
  PreToolUse: commands,
  PostToolUse: commands,
  SessionStart: commands,
  SessionEnd: commands,
  UserPromptSubmit: commands,
  BeforeModel: commands,
} satisfies Record<HookEvent, typeof commands>);
export type HookSettings = z.infer<typeof HookSettings>;

/** What a hook reads: a command on standard input, a function as its argument. */
export type HookCall = {
  hook_event_name: HookEvent;
  /** The call where there is no conversation. */
  session_id: string;
  user_email: string | null;
  compliance_level: string | null;
  payload: JsonObject;
};

/** The later, the stricter. */
export const hookDecisions = ["continue", "modify", "require_approval", "deny"] as const;
export type HookDecision = (typeof hookDecisions)[number];

/** Nothing is a `continue`. */
export type HookAnswer = { decision?: HookDecision; reason?: string; payload?: JsonObject };

type HookFunction = (
  call: HookCall,
  signal: AbortSignal,
) => HookAnswer | undefined | Promise<HookAnswer | undefined>;

/** A hook of the program that made the plane. */
export type LibraryHook =
  | HookFunction
  | (Partial<Pick<CommandHook, "name" | "matcher" | "timeout_ms" | "on_error">> & {
      run: HookFunction;
    });
/** Functions that are asked about calls, by event. */
export type LibraryHooks = { readonly [event in HookEvent]?: readonly LibraryHook[] };

/** Who submits a prompt to which model, in which run. */
export type PromptFacts = {
  principal: Principal;
  session: string;
  run: string;
  model: string;
  signal?: AbortSignal;
};
/** The payload as hooks leave it; rejects with the reason of a hook that denies it. */
export type GuardPrompt = (
  event: PromptEvent,
  payload: JsonObject,
  facts: PromptFacts,
) => Promise<JsonObject>;
