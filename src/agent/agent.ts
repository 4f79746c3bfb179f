import { type Access, isOffered } from "../access/access.ts";
import type { Calls } from "../calls/calls.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { lazily } from "../lib/async/lazily.ts";
import { once } from "../lib/async/once.ts";
import { inOrder } from "../lib/async/semaphore.ts";
import { eitherSignal } from "../lib/async/signals.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { countOf } from "../lib/text/wording.ts";
import type { GenerateRequest, ToolsetSelection } from "../model/agent.ts";
import type { Outcome } from "../model/calls/call.ts";
import { type Config, renderConfigProblem } from "../model/config/config.ts";
import type { DoctorReport } from "../model/config/doctor-schema.ts";
import { PlaneError, reportError, shuttingDown, toPlaneError } from "../model/errors.ts";
import { renderPath, stringOrNull } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import type { PlaneOptions, Sampling } from "../model/plane-options.ts";
import type { PlaneAgent, PlaneCode, PlaneRuns } from "../model/plane-work.ts";
import type { Inside, Principal } from "../model/principal.ts";
import type { Servers } from "../servers/servers.ts";
import type { AgentPackage, AgentParts, AgentRunner } from "./agent-package.ts";
import { type CodePackage, type CodeParts, createCode } from "./code.ts";
import { createModels, type Models } from "./models.ts";
import { createToolset, createToolsetRegistry, isInToolset, type ToolsetRef } from "./toolsets.ts";

const defaultParallel = 8;

/** Many prompts, some at a time, all on the sessions of one plane. */
function createGenerateAll(generate: PlaneAgent["generate"]): PlaneAgent["generateAll"] {
  return (requests, options = {}) => {
    const { parallel = defaultParallel, signal, ...shared } = options;
    if (!Number.isInteger(parallel) || parallel < 1)
      throw new PlaneError("USAGE", "'parallel' must be an integer >= 1.");
    const inOrderOptions = { parallel, ...withoutUndefined({ signal }) };
    return inOrder(requests, inOrderOptions, async (prompt, index, running) => {
      const request: GenerateRequest = typeof prompt === "string" ? { prompt } : prompt;
      const ending = eitherSignal(request.signal, running);
      try {
        const generation = await generate({ ...shared, ...request, signal: ending });
        return { index, generation, error: generation.error };
      } catch (thrown) {
        // What could not begin is reported in its place; the others go on.
        return { index, generation: null, error: reportError(toPlaneError(thrown)) };
      }
    });
  };
}

type AgentContext = {
  readonly settings: {
    config(): Config;
    /** The key of a model, read when it is used. */
    keyOfModel(name: string, written: string): Promise<string>;
  };
  readonly options: Pick<PlaneOptions, "models">;
  readonly defaultPrincipal: Principal;
  readonly recorder: AgentParts["recorder"];
  readonly access: Access;
  readonly catalogue: Pick<Catalogue, "forModel" | "visibleTo">;
  readonly packages: { agent(): Promise<AgentPackage>; code(): Promise<CodePackage> };
  readonly servers: Servers;
  readonly calls: Pick<Calls, "guardPrompt" | "beginRunSpan">;
  readonly plane: Plane;
};

export type { AgentPackage, AgentParts, AgentRunner } from "./agent-package.ts";
export type { CodePackage, CodeParts, CodeRunner } from "./code.ts";
export { idOfModel } from "./models.ts";
export type { NamedTool, ToolsetRef } from "./toolsets.ts";

export type Agent = {
  verbs: Inside<Pick<Plane, "toolset">> &
    Pick<Plane, "toolsets" | "agent" | "codegen"> & {
      code: Inside<PlaneCode>;
      runs: Inside<PlaneRuns>;
    };
  /** The answer of a call that a person approved, for the program that waits for it. */
  keepAnswer(approval: string, outcome: Outcome): Promise<void>;
  /** Answers sampling requests of servers with a configured model. */
  sampling: { answer: Sampling; isOffered(): boolean; isByHand(): boolean };
  /** Why a model cannot be used; without a name, the default model. */
  modelTrouble: Models["trouble"];
  /** For the doctor: whether each configured toolset has what it selects. */
  examineToolsets(): Promise<NonNullable<DoctorReport["toolsets"]>>;
  /** Cancels active runs; they are recorded. */
  stop(): Promise<void>;
};

/** Models, toolsets and programs. What asks a model or runs its calls is loaded when it is used. */
export function createAgent(context: AgentContext): Agent {
  const { settings, options, defaultPrincipal, recorder, access, packages } = context;
  const { config } = settings;
  const { maySeeServer } = access.grants;
  const plane = () => context.plane;
  const givenModels = options.models ?? {};
  const models = createModels({
    configured: () => config().models,
    broken(name) {
      const modelName = name ?? brokenNames(config(), "models")[0];
      return modelName === undefined ? null : brokenEntry(config(), "models", modelName);
    },
    given: givenModels,
  });
  const stopping = new AbortController();
  const codeParts: CodeParts = {
    plane,
    store: recorder.store,
    conversations: access.conversations,
    keepRun: async (run) => (await runner()).keepRun(run),
    stopping: stopping.signal,
    visibleTo: (principal) => context.catalogue.visibleTo(principal),
    serverNames: (principal) =>
      context.servers.names().filter((name) => maySeeServer(principal, name)),
    onlyReads: (tool) => isOffered(tool, { mode: "review", effects: config().policy.effects }),
  };
  const code = createCode(codeParts, packages.code);
  const registry = createToolsetRegistry(
    () => config().toolsets,
    (alias) => brokenEntry(config(), "toolsets", alias),
    () => [...Object.keys(config().servers), ...Object.keys(config().broken)],
  );
  const selection = (toolset: ToolsetRef): ToolsetSelection => {
    const definition = registry.definition(toolset);
    return { definition, has: (tool) => isInToolset(definition, tool) };
  };
  const parts: AgentParts = {
    config,
    defaultPrincipal,
    models,
    givenModels,
    keyOfModel: settings.keyOfModel,
    plane,
    catalogue: () => context.catalogue,
    servers: () => context.servers,
    maySeeServer,
    profile: access.identity.profile,
    recorder,
    guardPrompt: (...args) => context.calls.guardPrompt(...args),
    beginRunSpan: (...args) => context.calls.beginRunSpan(...args),
    ownTool: code.ownTool,
    registry,
    selection,
    stopping: stopping.signal,
  };
  const runner = once(async () => (await packages.agent()).createAgentRunner(parts));
  const generate: PlaneAgent["generate"] = async (request) => (await runner()).generate(request);
  const sampling = () => config().sampling;
  return {
    verbs: {
      toolset: createToolsetVerb(parts, runner, generate),
      toolsets: { register: registry.register, select: selection },
      agent: {
        run: async (question, args) => (await runner()).run(question, args),
        generate,
        generateAll: createGenerateAll(generate),
      },
      code: code.verbs,
      codegen: lazily(async () => (await runner()).codegen, ["generate"]),
      runs: lazily(
        async () => (await runner()).runs,
        ["page", "get", "running", "stop", "render", "rename", "delete"],
      ),
    },
    keepAnswer: code.keepAnswer,
    modelTrouble: models.trouble,
    examineToolsets: () =>
      Promise.all(
        Object.keys(config().toolsets).map((name) =>
          examineToolset(name, runner, defaultPrincipal),
        ),
      ),
    sampling: {
      answer: async (...args) => (await runner()).sample(...args),
      isOffered: () => sampling().enabled && models.known().length > 0,
      isByHand: () => sampling().enabled && sampling().verdict !== "deny",
    },
    async stop() {
      stopping.abort(shuttingDown());
      if (runner.made()) await (await runner()).settled();
      await code.stop();
    },
  };
}

type LoadRunner = () => Promise<AgentRunner>;

/** It asks for the tools as a run would, so that the first run meets no surprise. */
async function examineToolset(name: string, runner: LoadRunner, principal: Principal) {
  const { namedTools } = await runner();
  const check = await namedTools({ principal, toolset: name }).then(
    (tools) => ({
      name: "tools",
      ok: true,
      detail: `It has ${countOf(tools.length, "tool")}.`,
      fix: null,
    }),
    (thrown) => {
      const { message } = toPlaneError(thrown);
      return {
        name: "tools",
        ok: false,
        detail: message,
        fix: "Correct the toolset, or the servers that it names.",
      };
    },
  );
  return { name, ok: check.ok, checks: [check] };
}

const wholeCatalogue = { allow_tools: null, max_tool_call_turns: null, timeout_sec: null };

function createToolsetVerb(
  { servers, maySeeServer, registry }: Pick<AgentParts, "servers" | "maySeeServer" | "registry">,
  runner: LoadRunner,
  generate: PlaneAgent["generate"],
): Inside<Plane>["toolset"] {
  return (reference, { principal }) => {
    // Throws at once if it is not a toolset.
    const toolset = reference === undefined ? null : registry.refer(reference);
    const toolRequest = { principal, toolset };
    const visibleServers = () =>
      servers()
        .names()
        .filter((name) => maySeeServer(principal, name));
    return createToolset({
      alias: stringOrNull(toolset),
      definition() {
        if (toolset !== null) return registry.definition(toolset);
        return { ...wholeCatalogue, providers: visibleServers() };
      },
      tools: async () => (await runner()).namedTools(toolRequest),
      answer: async (calls, options, isCut) =>
        (await runner()).answerCalls(calls, { ...toolRequest, options, isCut }),
      generate: (request) =>
        generate({ principal, ...request, ...withoutUndefined({ toolset: toolset ?? undefined }) }),
      usage: () => registry.usage(toolset),
    });
  };
}

/** The failure to use a model or a toolset that is configured, and wrongly; null when nothing is known of it. */
function brokenEntry(
  config: Config,
  section: "models" | "toolsets",
  name: string,
): PlaneError | null {
  const path = renderPath([section, name]);
  const problem = config.problems.find(
    ({ path: writtenKey, key = writtenKey }) =>
      key === path || key.startsWith(`${path}.`) || key.startsWith(`${path}[`),
  );
  if (problem === undefined) return null;
  const label = section === "models" ? "Model" : "Toolset";
  return new PlaneError(
    "CONFIG_INVALID",
    `${label} '${name}' cannot be used: ${renderConfigProblem(problem)}`,
    {
      data: { path: problem.path },
    },
  );
}

/** The names of entries that something is wrong with. */
function brokenNames(config: Config, section: "models" | "toolsets"): string[] {
  const entryPattern = new RegExp(`^${section}\\.([^.[]+)`);
  return [
    ...new Set(
      config.problems.flatMap(({ path, key = path }) => entryPattern.exec(key)?.[1] ?? []),
    ),
  ];
}
