// Generated from the declared operations by npm run docs. Change the operation instead.
import type { ActivityEntry, CallRecord, CallUsage, PageOrigin, RunningCall } from "../src/model/calls/call-schema.ts";
import type { AgentRun, ConversationRuns, RunningRun, StoppedRun } from "../src/model/agent/run-schema.ts";
import type { ApiKey, TokenStatus } from "../src/model/access/credentials-schema.ts";
import type { AuditCheck, AuditRecord, CallProof } from "../src/model/audit-schema.ts";
import type { BundleImport, EntryChange, EntryView, PinDiff, PinView } from "../src/model/catalogue/change-schema.ts";
import type { Caller } from "../src/model/principal.ts";
import type { ChangedDefault, ChangedDefaults } from "../src/model/config/changed-defaults-schema.ts";
import type { CodeSearch, GeneratedFile } from "../src/model/agent/code-schema.ts";
import type { DeadLetter } from "../src/model/work/dead-letter-schema.ts";
import type { DoctorReport } from "../src/model/config/doctor-schema.ts";
import type { ExtensionPanel, ExtensionState, ExtensionVerb } from "../src/model/extensions/extension-schema.ts";
import type { GrantView, PersonView } from "../src/model/access/sign-in-schema.ts";
import type { HeldView, Plan, RememberedApproval } from "../src/model/calls/held-schema.ts";
import type { JobRun } from "../src/model/work/run-schema.ts";
import type { JobRunPage, JobStatus } from "../src/model/plane-work.ts";
import type { Json } from "../src/model/json.ts";
import type { Outcome } from "../src/model/calls/call.ts";
import type { OverlayView } from "../src/model/catalogue/tool.ts";
import type { Question } from "../src/model/calls/question-schema.ts";
import type { RecordedMessages, ServerStatus } from "../src/model/servers/server-schema.ts";
import type { ResultPage } from "../src/model/calls/result-schema.ts";

export interface ApprovalsMethods {
  /** Remembered answers, which cover more than one call. The caller's own. */
  remembered(caller?: Caller): Promise<RememberedApproval[]>;
  /**
   * Forget a remembered answer. True when there was one.
   * @param id The id of the remembered answer.
   */
  forget(id: string, caller?: Caller): Promise<boolean>;
  /**
   * One approval: what would run and why it waits, or how it was decided.
   * @param id The approval's id.
   */
  get(id: string, caller?: Caller): Promise<HeldView>;
}

export interface AuditMethods {
  /** Check the hash chains of changes and calls. Reads every record of that time, and the roots over all chains. For admins. */
  verify(options?: { head?: string; root?: string; key?: string; since?: string; until?: string; keepDays?: number }, caller?: Caller): Promise<AuditCheck>;
  /**
   * One change. For admins.
   * @param id The id of the record.
   */
  get(id: string, caller?: Caller): Promise<AuditRecord>;
}

export interface CallsMethods {
  /** Summaries of the last hundred calls, newest first. Your own; those of all callers with the scope `admin`. Kept in memory only; what looks secret is hidden. */
  activity(caller?: Caller): Promise<ActivityEntry[]>;
  /** Calls that have not ended, oldest first. Your own; those of all callers with the scope `admin`. Of this plane alone, where several share a store. */
  running(caller?: Caller): Promise<RunningCall[]>;
  /** When each tool was last called, and when the records begin. For admins. */
  usage(caller?: Caller): Promise<CallUsage>;
  /**
   * One call: its verdict, attempts and timing.
   * @param id The call's id.
   */
  get(id: string, caller?: Caller): Promise<CallRecord>;
  /**
   * Prove that a call is under a root. Has no other record in it. A root is made where none covers the call yet. For admins.
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
   * Delete a dead letter. True when there was one.
   * @param id The entry's id.
   */
  delete(id: string, caller?: Caller): Promise<boolean>;
  /**
   * Undo the deletion of a dead letter. The plane that deleted it can, until it ends.
   * @param id The entry's id.
   */
  restore(id: string, caller?: Caller): Promise<DeadLetter>;
}

export interface DefaultsMethods {
  /**
   * Defaults that changed since the version that made the store. A default that allows more than before is in force once an admin has accepted it; any other, at once.
   * @example
   * const { changes } = await plane.defaults.list();
   * for (const { id, loosens } of changes) if (!loosens) await plane.defaults.accept(id);
   */
  list(caller?: Caller): Promise<ChangedDefaults>;
  /**
   * Accept a default that changed. It is in force at once. For admins.
   * @param id The changed default, as `defaults.list` names it.
   */
  accept(id: string, caller?: Caller): Promise<ChangedDefault>;
  /**
   * Keep the default of the version that made the store. Refused where the old default is gone. For admins.
   * @param id The changed default, as `defaults.list` names it.
   */
  keep(id: string, caller?: Caller): Promise<ChangedDefault>;
}

export interface ExtensionsMethods {
  /**
   * The extensions of this plane: what each has added, since when, and what its start costs. In the order in which they were set up. For admins.
   * @example
   * const failed = (await plane.extensions.list()).filter(({ state }) => state === "failed");
   */
  list(): Promise<ExtensionState[]>;
  /** The operations that extensions have added. */
  operations(): Promise<ExtensionVerb[]>;
  /** Facts of the extensions, for people. */
  panels(): Promise<ExtensionPanel[]>;
  /**
   * One extension. For admins.
   * @param name Its name.
   */
  get(name: string): Promise<ExtensionState>;
}

export interface GrantsMethods {
  /**
   * What clients may do for you, and when they last did. Administrators see those of all people.
   * @example
   * const unused = (await plane.grants.list()).filter(({ lastUsedAt }) => lastUsedAt === null);
   */
  list(caller?: Caller): Promise<GrantView[]>;
  /**
   * Take back what a client may do. Its tokens stop to count at once. True when it was there.
   * @param id The grant's id.
   */
  revoke(id: string, caller?: Caller): Promise<boolean>;
}

export interface JobsMethods {
  /**
   * One job: its tasks, schedule and health.
   * @param name The job's name.
   */
  get(name: string, caller?: Caller): Promise<JobStatus>;
  /**
   * Stop starting it on its schedule. Active runs continue. For admins.
   * @param name The job's name.
   */
  pause(name: string, caller?: Caller): Promise<JobStatus>;
  /**
   * Start it on its schedule again; missed times are not made up for. Active runs continue. For admins.
   * @param name The job's name.
   */
  resume(name: string, caller?: Caller): Promise<JobStatus>;
  /**
   * Its runs, newest first. Your own and those by the clock; those of all callers with the scope `admin`.
   * @param name The job's name.
   */
  history(name: string, options?: { state?: "draft" | "scheduled" | "running" | "succeeded" | "failed" | "cancelled"; limit?: number; cursor?: string }, caller?: Caller): Promise<JobRunPage>;
  /**
   * One run: its tasks, their steps and outcomes.
   * @param id The run's id.
   */
  status(id: string, caller?: Caller): Promise<JobRun>;
  /**
   * Cancel a run, started or not.
   * @param id The run's id.
   */
  cancel(id: string, caller?: Caller): Promise<JobRun>;
}

export interface KeysMethods {
  /** The API keys, without their secrets. Also those that are revoked or expired. For admins. */
  list(caller?: Caller): Promise<ApiKey[]>;
}

export interface PeopleMethods {
  /** The people who can sign in here. For admins. */
  list(caller?: Caller): Promise<PersonView[]>;
  /**
   * Remove a person, with all that clients may do for them. True when there was one. For admins.
   * @param user The name of the person.
   */
  remove(user: string, caller?: Caller): Promise<boolean>;
}

export interface PinsMethods {
  /**
   * How the current definition differs from the pinned one.
   * @param name The tool's name, in any spelling.
   */
  get(name: string, caller?: Caller): Promise<PinDiff>;
  /**
   * Trust the definition of today. For admins.
   * @param name The tool's name, in any spelling.
   */
  accept(name: string, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
  /**
   * Quarantine the tool until its definition is the pinned one again, or accepted. For admins.
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
  /** Diagnose a server, or all of them, with the first thing to try. Really starts and asks them, which takes as long as it takes. For admins. */
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
  get(id: string, caller?: Caller): Promise<Plan>;
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

export interface QuestionsMethods {
  /**
   * Questions that servers ask the caller during calls.
   * @example
   * for (const { id } of await plane.questions.list()) await plane.questions.answer(id, { action: "decline" });
   */
  list(caller?: Caller): Promise<Question[]>;
  /**
   * Answer a question. The call that asked continues.
   * @param id The question's id.
   */
  answer(id: string, options: { action: "accept" | "decline" | "cancel"; content?: unknown }, caller?: Caller): Promise<void>;
}

export interface RegistryMethods {
  /** What is written by hand, and where it comes from. Tools, overlays, skills, tasks and jobs of files, and those that people set. What is set belongs to the configuration it was set in. For admins. */
  entries(options?: { everywhere?: boolean }, caller?: Caller): Promise<{
      entries: EntryView[];
  }>;
  /**
   * Take over what was set for a configuration whose files are gone. For admins.
   * @param file A file of that configuration, as `registry entries --everywhere` shows it.
   */
  adopt(file: string, options?: { reason?: string }, caller?: Caller): Promise<{
      entries: EntryChange[];
  }>;
  /** Import what another plane exported: all of it or nothing. For admins. */
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
  /** Runs of agents that have not ended, oldest first. Your own; those of all callers with the scope `admin`. Of this plane alone, where several share a store. */
  running(options?: { id?: string }, caller?: Caller): Promise<RunningRun[]>;
  /**
   * One run: messages, calls and timing.
   * @param id The run's id.
   */
  get(id: string, caller?: Caller): Promise<AgentRun>;
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
   * Connect a server and keep it connected. For admins.
   * @param name The server's name in the configuration.
   * @example
   * await plane.servers.connect("files");
   */
  connect(name: string, caller?: Caller): Promise<void>;
  /**
   * End a server's sessions; it stays disconnected until you connect it. For admins.
   * @param name The server's name in the configuration.
   * @example
   * await plane.servers.disconnect("files");
   */
  disconnect(name: string, caller?: Caller): Promise<void>;
  /**
   * Record the JSON-RPC messages of a server, or stop recording. They are kept in memory, the last 1000 and at most 4 MiB. Recording ends by itself when they are not read for 5 minutes, or when the server is changed. For admins.
   * @param name The server's name in the configuration.
   * @example
   * await plane.servers.record("files");
   */
  record(name: string, options?: Caller & { on?: boolean }): Promise<RecordedMessages>;
}

export interface TokensMethods {
  /**
   * The caller's stored tokens, without their values.
   * @example
   * const servers = (await plane.tokens.list()).map(({ server }) => server);
   */
  list(caller?: Caller): Promise<TokenStatus[]>;
  /**
   * Forget your token for a server. True when there was one.
   * @param name The server's name in the configuration.
   */
  forget(name: string, caller?: Caller): Promise<boolean>;
}

export interface ToolsMethods {
  /**
   * Enable tools of servers, all of them or none. Models see and call them again. It is kept in the overlay of each tool; the rest of the overlay stays. For admins.
   * @param names Names of tools, with their server.
   */
  enable(names: string[], options?: { reason?: string }, caller?: Caller): Promise<{
      /** Their names; the others were so already. */
      changed: string[];
  }>;
  /**
   * Disable tools of servers, all of them or none. They stay listed; models neither see nor call them. It is kept in the overlay of each tool; the rest of the overlay stays. For admins.
   * @param names Names of tools, with their server.
   */
  disable(names: string[], options?: { reason?: string }, caller?: Caller): Promise<{
      /** Their names; the others were so already. */
      changed: string[];
  }>;
  /**
   * Delete a tool that was set by hand. True when there was one; the file's tool of that name is back. For admins.
   * @param name The tool's name.
   */
  delete(name: string, options?: { persona?: string; reason?: string }, caller?: Caller): Promise<boolean>;
  /**
   * The overlay of a server's tool, and what a model sees of it. For admins.
   * @param name The tool's name, with its server.
   */
  overlay(name: string, caller?: Caller): Promise<OverlayView>;
  /**
   * What a model would see of a tool under another overlay; nothing is changed. For admins.
   * @param name The tool's name, with its server.
   */
  previewOverlay(name: string, overlay: Record<string, Json>, caller?: Caller): Promise<OverlayView>;
}
