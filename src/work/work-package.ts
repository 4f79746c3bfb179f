import type { CheckArguments, Lookup } from "../calls/calls.ts";
import type { PlaneQuality } from "../catalogue/catalogue.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Outcome, Requested } from "../model/calls/call.ts";
import type { CallRecord } from "../model/calls/call-schema.ts";
import type { JobListing } from "../model/catalogue/registry-summary.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { Config, Manifests } from "../model/config/config.ts";
import type { PlaneError } from "../model/errors.ts";
import type { ErrorReport } from "../model/errors-schema.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { Plane } from "../model/plane.ts";
import type { PlanePlans, PlanePolicy } from "../model/plane-access.ts";
import type { PlaneDeadLetters, PlaneJobs, PlaneSkills } from "../model/plane-work.ts";
import type { Inside, Principal } from "../model/principal.ts";
import type { DueHandler, Store } from "../model/store.ts";
import type { FailedCall, KeptDeadLetter } from "../model/work/dead-letter.ts";
import type { JobManifest } from "../model/work/job.ts";
import type { JobStore, KeptJobRun } from "../model/work/job-run.ts";
import type { Recorder } from "../store/store.ts";

/** Each part is loaded when it is made. */
export type WorkPackage = {
  createDeadLetters(parts: DeadLetterParts): Promise<DeadLetters>;
  createJobs(parts: JobParts): Promise<Jobs>;
  createPlanner(parts: PlannerParts): Promise<ToolPlanVerbs>;
  /** When each of them is due. */
  showSchedules(
    jobs: readonly JobManifest[],
    store: Pick<JobStore, "jobSchedule" | "jobSchedules">,
  ): Promise<JobListing["schedule"][]>;
};

export type DeadLetterVerbs = Inside<PlaneDeadLetters>;
/** The catalogue lists them. */
export type JobVerbs = Omit<Inside<PlaneJobs>, "list" | "page">;
export type SkillVerbs = Pick<Inside<PlaneSkills>, "run">;
export type ToolPlanVerbs = Pick<Inside<PlanePlans>, "check">;

export type DeadLetterParts = {
  store(): Promise<Store>;
  /** One call along the whole path. */
  run(call: Requested, signal: AbortSignal): Promise<Outcome>;
  emit(event: PlaneEvent): void;
  /** Planes may share a store and not their configuration: each retries only what it knows. */
  knows(letter: Pick<KeptDeadLetter, "server" | "tool" | "files">): boolean;
  /** A new entry has a retry time. */
  onDue(): void;
};

/** Calls that failed permanently. */
export type DeadLetters = {
  verbs: DeadLetterVerbs;
  /** Takes on a call that could not be sent. Resolves when it is durable, with what its caller gets. */
  accept(call: FailedCall, error: PlaneError): Promise<PlaneError>;
  /** Accepted calls of this server need wait no longer. */
  serverIsBack(server: string): Promise<void>;
  /** Resolves when it is durable. `told` is what the caller read; the record has no words of a provider. */
  keep(call: FailedCall, record: CallRecord, told?: ErrorReport | null): Promise<void>;
  handler: DueHandler;
  stop(): Promise<void>;
};

export type JobParts = {
  config(): Config;
  recorder: Pick<Recorder, "emit" | "onNews" | "tells" | "recordSamples"> & {
    store(): Promise<Store>;
  };
  /** Runs of another configuration may be of a job of the same name. */
  isOurs(run: Pick<KeptJobRun, "files">): boolean;
  /** The loop over due work, where this plane has one. */
  loop: { isRunning(): boolean; wake(): void; changed(): void };
  defaultPrincipal: Principal;
  /** Resolves once overlays are applied. */
  manifests(): Promise<Manifests>;
  /** A caller with its current rights. */
  currentPrincipal(principal: Principal): Promise<Principal>;
  serverNames(): readonly string[];
  tools(): readonly Tool[];
  grants: Pick<Grants, "grantToSee" | "maySeeServer">;
  /** Why a model cannot be asked, the default one without a name. */
  modelTrouble(name?: string): PlaneError | null;
  plane(): Pick<Plane, "call" | "tools" | "policy" | "conversations" | "agent" | "jobs">;
};

/** Skills and jobs. */
export type Jobs = {
  verbs: JobVerbs;
  skills: SkillVerbs;
  handler: DueHandler;
  /** Writes schedules as the manifests have them now. */
  synchronize(): Promise<void>;
  stop(): Promise<void>;
};

export type PlannerParts = {
  find: Pick<Lookup, "visibleTool">;
  grants: Pick<Grants, "grantFor">;
  quality: Pick<PlaneQuality, "requireTrusted">;
  checkArguments: CheckArguments;
  testPolicy: Inside<PlanePolicy>["test"];
};
