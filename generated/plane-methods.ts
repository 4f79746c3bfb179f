// Generated from the declared operations by npm run docs. Change the operation instead.
import type { AgentCounters, AgentOutcome, AgentStep, ConversationRuns, MissingServer, StoppedRun, TokenUsage, WaitingCall } from "../src/model/agent/run-schema.ts";
import type { AuditCheck, AuditRecord, CallProof } from "../src/model/audit-schema.ts";
import type { BundleImport, EntryChange, EntryView, PinDiff, PinView } from "../src/model/catalogue/change-schema.ts";
import type { CallUsage, PageOrigin } from "../src/model/calls/call-schema.ts";
import type { Caller } from "../src/model/principal.ts";
import type { ChangedDefault, ChangedDefaults } from "../src/model/config/changed-defaults-schema.ts";
import type { ChatMessage } from "../src/model/agent/chat.ts";
import type { CodeSearch, GeneratedFile } from "../src/model/agent/code-schema.ts";
import type { DeadLetter } from "../src/model/work/dead-letter-schema.ts";
import type { DoctorReport } from "../src/model/config/doctor-schema.ts";
import type { ErrorReport } from "../src/model/errors-schema.ts";
import type { ExtensionState } from "../src/model/extensions/extension-schema.ts";
import type { HeldView } from "../src/model/calls/held-schema.ts";
import type { Json } from "../src/model/json.ts";
import type { Outcome } from "../src/model/calls/call.ts";
import type { OverlayView } from "../src/model/catalogue/tool.ts";
import type { RecordedMessages, ServerStatus } from "../src/model/servers/server-schema.ts";
import type { ResultPage } from "../src/model/calls/result-schema.ts";

export interface ApprovalsMethods {
  /**
   * One approval: what would run and why it waits, or how it was decided.
   * @param id The approval's id.
   */
  get(id: string, caller?: Caller): Promise<HeldView>;
}

export interface AuditMethods {
  /** Check the hash chains of changes and calls. Reads every record of that time, and the roots over all chains. */
  verify(options?: { head?: string; root?: string; key?: string; since?: string; until?: string; keepDays?: number }, caller?: Caller): Promise<AuditCheck>;
  /**
   * One change.
   * @param id The id of the record.
   */
  get(id: string, caller?: Caller): Promise<AuditRecord>;
}

export interface CallsMethods {
  /** When each tool was last called, and when the records begin. */
  usage(caller?: Caller): Promise<CallUsage>;
  /**
   * Prove that a call is under a root. Has no other record in it. A root is made where none covers the call yet.
   * @param id The call's id.
   */
  prove(id: string, caller?: Caller): Promise<CallProof>;
}

export interface CodeMethods {
  /**
   * Matching tools, as TypeScript for a program.
   * @param query What the tools should do.
   */
  search(query: string, options?: Caller & { limit?: number }): Promise<CodeSearch>;
}

export interface CodegenMethods {
  /**
   * TypeScript for tools: types, a client, or the command line of one server. The same catalogue gives the same text.
   * @example
   * const { files } = await plane.codegen.generate("client", { server: "files" });
   */
  generate(kind: "types" | "client" | "cli", options?: { server?: string; toolset?: string }, caller?: Caller): Promise<{
      files: GeneratedFile[];
  }>;
}

export interface DeadLettersMethods {
  /**
   * One dead letter.
   * @param id The entry's id.
   */
  get(id: string, caller?: Caller): Promise<DeadLetter>;
  /**
   * Make the call again, along the whole path.
   * @param id The entry's id.
   */
  retry(id: string, caller?: Caller): Promise<Outcome>;
  /**
   * Mark it resolved.
   * @param id The entry's id.
   */
  resolve(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /**
   * Do not retry it.
   * @param id The entry's id.
   */
  abandon(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /**
   * Undo the deletion of a dead letter. The plane that deleted it can, until it ends.
   * @param id The entry's id.
   */
  restore(id: string, caller?: Caller): Promise<DeadLetter>;
}

export interface DefaultsMethods {
  /** Defaults that changed since the version that made the store. A default that allows more than before is in force once an admin has accepted it; any other, at once. */
  list(caller?: Caller): Promise<ChangedDefaults>;
  /**
   * Accept a default that changed.
   * @param id The changed default, as `defaults.list` names it.
   */
  accept(id: string, caller?: Caller): Promise<ChangedDefault>;
  /**
   * Keep the default of the version that made the store.
   * @param id The changed default, as `defaults.list` names it.
   */
  keep(id: string, caller?: Caller): Promise<ChangedDefault>;
}

export interface ExtensionsMethods {
  /**
   * One extension.
   * @param name Its name.
   */
  get(name: string): Promise<ExtensionState>;
}

export interface PinsMethods {
  /**
   * How the current definition differs from the pinned one.
   * @param name The tool's name, in any spelling.
   */
  get(name: string, caller?: Caller): Promise<PinDiff>;
  /**
   * Trust the definition of today.
   * @param name The tool's name, in any spelling.
   */
  accept(name: string, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
  /**
   * Quarantine the tool until its definition is the pinned one again, or accepted.
   * @param name The tool's name, in any spelling.
   */
  reject(name: string, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
}

export interface PlaneMethods {
  /**
   * Call a tool. When the client goes away, the call is cancelled. With `Accept: text/event-stream` the answer is a stream: `progress` and `log` as the server tells of them, then `outcome`, which is what the answer is otherwise.
   * @param name The tool's name, in any spelling.
   * @param args What the tool is called with.
   */
  call(name: string, args?: unknown, options?: Caller & { timeoutMs?: number; conversation?: string; idempotencyKey?: string; onUnavailable?: "fail" | "queue"; files?: Record<string, string>; page?: PageOrigin; toolGroups?: "*" | string[]; state?: string; compliance?: string; mcp?: boolean | string[]; dryRun?: boolean; maxResultBytes?: number; mode?: "build" | "plan" | "review" | "debug"; approvalWaitMs?: number }): Promise<Outcome>;
  /** Forget what the search has learned from the caller's use. */
  forgetSearches(caller?: Caller): Promise<{
      forgotten: number;
  }>;
  /** Diagnose a server, or all of them, with the first thing to try. Really starts and asks them, which takes as long as it takes. */
  doctor(server?: string): Promise<DoctorReport>;
  /** Is the plane ready to take requests? */
  readiness(): Promise<{
      ready: boolean;
  }>;
}

export interface PlansMethods {
  /**
   * One plan with its changes.
   * @param id The plan's id.
   */
  get(id: string, caller?: Caller): Promise<{
      id: string;
      user: string | null;
      conversation: string | null;
      createdAt: string;
      status: "pending" | "partly" | "done" | "rejected";
      /** In the order in which they run. */
      changes: HeldView[];
  }>;
  /**
   * Reject the waiting changes, or only these.
   * @param id The plan's id.
   */
  reject(id: string, options?: { ids?: string[]; first?: number; reason?: string }, caller?: Caller): Promise<{
      id: string;
      user: string | null;
      conversation: string | null;
      createdAt: string;
      status: "pending" | "partly" | "done" | "rejected";
      /** In the order in which they run. */
      changes: HeldView[];
  }>;
}

export interface RegistryMethods {
  /** What is written by hand, and where it comes from. Tools, overlays, skills, tasks and jobs of files, and those that people set. What is set belongs to the configuration it was set in. */
  entries(options?: { everywhere?: boolean }, caller?: Caller): Promise<{
      entries: EntryView[];
  }>;
  /**
   * Take over what was set for a configuration whose files are gone.
   * @param file A file of that configuration, as `registry entries --everywhere` shows it.
   */
  adopt(file: string, options?: { reason?: string }, caller?: Caller): Promise<{
      entries: EntryChange[];
  }>;
  /** Import what another plane exported: all of it or nothing. */
  import(bundle: string, options?: { reason?: string; dryRun?: boolean }, caller?: Caller): Promise<BundleImport>;
}

export interface ResultsMethods {
  /**
   * A part of a large result.
   * @param id The handle that was returned instead of the result.
   */
  get(id: string, options?: { offset?: number; limit?: number; path?: string; grep?: string; lines?: boolean }, caller?: Caller): Promise<ResultPage>;
}

export interface RunsMethods {
  /**
   * One run: messages, calls and timing.
   * @param id The run's id.
   */
  get(id: string, caller?: Caller): Promise<{
      id: string;
      at: string;
      durationMs: number;
      user: string | null;
      question: string;
      /** What a person called the conversation. */
      title?: string;
      style: "tools" | "react" | "plan-then-execute" | "supervisor" | "auto" | "code";
      model: string;
      toolset: string | null;
      conversation: string;
      outcome: AgentOutcome;
      error: ErrorReport | null;
      answer: string | null;
      /** The answer ends where the model had no room left. */
      truncated?: true;
      /** The answer ends where the model refused, or where a content filter stopped it. */
      refused?: true;
      /** Calls that wait for a person, by the id of their approval. */
      waiting?: WaitingCall[];
      /** Servers of the toolset that had nothing to offer. */
      missing?: MissingServer[];
      /** What the model thought last; null where that is blank. */
      reasoning: string | null;
      /** Times that the model asked for tools and got them. */
      turns: number;
      usage: TokenUsage;
      counters: AgentCounters;
      steps: AgentStep[];
      /** How much of the conversation is kept. */
      trace: "none" | "last_message" | "all_messages";
      messages: ChatMessage[];
  }>;
  /**
   * Stop a run of an agent that has not ended. It is kept as `cancelled`.
   * @param id The run's id, as `runs.running` names it.
   */
  stop(id: string, caller?: Caller): Promise<StoppedRun>;
  /**
   * Give a conversation with an agent a title. Yours only. It is kept with the runs of the conversation.
   * @param conversation The conversation's id, as its runs and calls name it.
   * @param title At most 200 characters; an empty one removes the title.
   */
  rename(conversation: string, title: string, caller?: Caller): Promise<ConversationRuns>;
  /**
   * Delete a conversation with an agent. Yours only: its runs with their messages, and arguments and results of its calls where they are kept. The records of its calls stay, because their hash chain must hold.
   * @param conversation The conversation's id, as its runs and calls name it.
   */
  delete(conversation: string, caller?: Caller): Promise<ConversationRuns>;
}

export interface ServersMethods {
  /**
   * One server.
   * @param name The server's name in the configuration.
   */
  get(name: string, caller?: Caller): Promise<ServerStatus>;
  /**
   * Record the JSON-RPC messages of a server, or stop recording. They are kept in memory, the last 1000 and at most 4 MiB. Recording ends by itself when they are not read for 5 minutes, or when the server is changed.
   * @param name The server's name in the configuration.
   * @example
   * await plane.servers.record("files");
   */
  record(name: string, options?: Caller & { on?: boolean }): Promise<RecordedMessages>;
}

export interface ToolsMethods {
  /**
   * Enable tools of servers, all of them or none. Models see and call them again. It is kept in the overlay of each tool; the rest of the overlay stays.
   * @param names Names of tools, with their server.
   */
  enable(names: string[], options?: { reason?: string }, caller?: Caller): Promise<{
      /** Their names; the others were so already. */
      changed: string[];
  }>;
  /**
   * Disable tools of servers, all of them or none. They stay listed; models neither see nor call them. It is kept in the overlay of each tool; the rest of the overlay stays.
   * @param names Names of tools, with their server.
   */
  disable(names: string[], options?: { reason?: string }, caller?: Caller): Promise<{
      /** Their names; the others were so already. */
      changed: string[];
  }>;
  /**
   * The overlay of a server's tool, and what a model sees of it.
   * @param name The tool's name, with its server.
   */
  overlay(name: string, caller?: Caller): Promise<OverlayView>;
  /**
   * What a model would see of a tool under another overlay; nothing is changed.
   * @param name The tool's name, with its server.
   */
  previewOverlay(name: string, overlay: Record<string, Json>, caller?: Caller): Promise<OverlayView>;
}
