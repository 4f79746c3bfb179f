import type { Spans } from "../calls/calls.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { GuardPrompt } from "../model/access/hook.ts";
import type { AskedCall } from "../model/agent/chat.ts";
import type { AgentRun } from "../model/agent/run-schema.ts";
import type { CallAnswer, ProcessOptions, ToolsetSelection } from "../model/agent.ts";
import type { Config } from "../model/config/config.ts";
import type { Plane } from "../model/plane.ts";
import type { Sampling } from "../model/plane-options.ts";
import type { PlaneAgent, PlaneCodegen, PlaneRuns } from "../model/plane-work.ts";
import type { Inside, Principal } from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import type { Servers } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import type { CodeRunner } from "./code.ts";
import type { GivenModels, Models } from "./models.ts";
import type { NamedTool, ToolsetRef, ToolsetRegistry } from "./toolsets.ts";

export type AgentPackage = {
  createAgentRunner(parts: AgentParts): AgentRunner;
};

/** What agents are made of. */
export type AgentParts = {
  config(): Config;
  defaultPrincipal: Principal;
  models: Models;
  /** Models that the embedding program passes in. */
  givenModels: GivenModels;
  /** The key of a model, read when it is used. */
  keyOfModel(name: string, written: string): Promise<string>;
  plane(): Pick<Plane, "call" | "conversations" | "tools" | "toolsets">;
  ownTool: CodeRunner["ownTool"];
  catalogue(): Pick<Catalogue, "forModel">;
  servers(): Pick<Servers, "names" | "status" | "trouble">;
  maySeeServer(principal: Principal, server: string): boolean;
  /** How much of the plane is shared, when a server asks a model. */
  profile(): Profile | Promise<Profile>;
  recorder: Pick<Recorder, "emit" | "recordRun" | "storeOf"> & { store(): Promise<Store> };
  guardPrompt: GuardPrompt;
  beginRunSpan: Spans["beginRunSpan"];
  registry: ToolsetRegistry;
  selection(toolset: ToolsetRef): ToolsetSelection;
  /** Aborted when the plane goes. */
  stopping: AbortSignal;
};

type Profile = "personal" | "guarded" | "strict";

/** Whose tools, and those of which toolset; null is every tool. */
export type AskedTools = { principal: Principal; toolset: ToolsetRef | null };

/** Models with tools. */
export type AgentRunner = {
  run: PlaneAgent["run"];
  generate: PlaneAgent["generate"];
  codegen: PlaneCodegen;
  runs: Inside<PlaneRuns>;
  /** Resolves when the run is kept. One that cannot be kept is no reason to lose its answer, so this never rejects. */
  keepRun(run: AgentRun): Promise<void>;
  /** Answers a sampling request of a server with one of our models, as far as the configuration allows. */
  sample: Sampling;
  namedTools(asked: AskedTools): Promise<NamedTool[]>;
  /** For programs that run a model themselves. */
  answerCalls(
    calls: readonly AskedCall[],
    asked: AskedTools & { options: ProcessOptions; isCut: boolean },
  ): Promise<CallAnswer[]>;
  /** Resolves when no run is under way any more. */
  settled(): Promise<void>;
};
