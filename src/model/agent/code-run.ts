import type { CallOptions, Outcome } from "../calls/call.ts";
import type { AskHere } from "../calls/held-call.ts";
import type { Relay } from "../calls/provider.ts";
import type { ResultHandle } from "../calls/stored-result.ts";
import type { Tool } from "../catalogue/tool.ts";
import type { ErrorReport } from "../errors-schema.ts";
import type { Json, UnknownObject } from "../json.ts";
import type { AbortSignal } from "../platform.ts";
import type { Caller } from "../principal.ts";
import type { CodeSearch } from "./code-schema.ts";

/** What a program threw, and where. */
export type ProgramError = {
  name: string;
  message: string;
  /** In the program, starting at 1. */
  line?: number;
  /** Of that line. */
  text?: string;
  /** Of a call that failed. */
  code?: string;
  tool?: string;
};

/** What a call gets that lacked an account of its caller's own; null where it is there now, and the call may be made again. */
export type AskForAccount = (failed: Extract<Outcome, { ok: false }>) => Promise<Outcome | null>;

/** Limits and conversation of a program. */
export type RunCodeOptions = Caller &
  Pick<
    CallOptions,
    | "approvalWaitMs"
    | "compliance"
    | "consent"
    | "conversation"
    | "mode"
    | "state"
    | "toolGroups"
    | "typed"
  > & {
    /** For the whole run without the time that people take; 0 is no limit. Default: 60000. */
    timeoutMs?: number;
    /** Refuses whatever may change something. */
    readOnly?: boolean;
    /** The id of a run that waited for an approval: goes on with its program and its recorded calls. */
    resume?: string;
    signal?: AbortSignal;
    askHere?: AskHere;
    askForAccount?: AskForAccount;
    relay?: Relay;
    /** The run of an agent that the program belongs to. */
    run?: string;
    /** The only tools that it has. */
    only?(tool: Tool): boolean;
    /** May it call this tool? The refusal says that it was not shown. */
    isSeen?(tool: Tool): boolean;
  };

/** A call that a program made. */
export type CodeCall = {
  /** Of the call's record. */
  id: string;
  tool: string;
  status: string;
  at: string;
  durationMs: number;
  /** Made by an earlier part of the run. */
  replayed?: true;
};

/** What became of a program. */
export type CodeOutcome = {
  /** It returned. */
  ok: boolean;
  /** Finds the run and its calls. */
  run: string;
  /** What it returned; null without `return`. */
  value: Json;
  /** What it wrote with `console`. */
  logs: string[];
  /** In the order in which they began. */
  calls: CodeCall[];
  /** From the request to the answer. */
  durationMs: number;
  /** Why it ended, with the line of the program. */
  error: (ErrorReport & Pick<ProgramError, "line" | "text">) | null;
  /** What it waits for: approvals or changes of a plan. `resume` goes on once they are answered. */
  waiting?: { id: string; tool: string; plan?: string }[];
  /** As a model reads it. */
  text: string;
  /** Pictures, sounds and files that the value holds, as their tools gave them. */
  blocks?: UnknownObject[];
  /** Of the whole text, where it was shortened. */
  stored?: ResultHandle;
};

/** What a model reads. */
export function renderSearch({ query, declarations, tools, total, note }: CodeSearch): string {
  if (tools.length === 0) return `No tool was found for '${query.slice(0, 100)}'. Try other words.`;
  const more =
    total > tools.length
      ? `\n// ${total - tools.length} more fit; ask in other words for them.`
      : "";
  return `${declarations}${more}${note === undefined ? "" : `\n// ${note}`}`;
}
