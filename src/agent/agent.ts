import type { createAnswers } from "../access/access.ts";
import { effectOf } from "../access/policy/effect.ts";
import { inOrder } from "../lib/async/semaphore.ts";
import type { GenerateRequest, ToolsetSelection } from "../model/agent.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { type Config, renderProblem } from "../model/config/config.ts";


import type { AgentVerbs } from "../model/verbs.ts";


import { PlaneError, reportError, toPlaneError } from "../model/errors.ts";
import { renderPath } from "../model/json.ts";
import type { PlaneOptions } from "../model/plane-options.ts";


import type { AgentParts } from "./agent-parts.ts";
import type { AgentRuns } from "./agent-runs.ts";
import { type AgentTools, createAgentTools } from "./agent-tools.ts";
import { createSampling } from "./answer-sampling.ts";
import { createModels, type Models } from "./models/models.ts";
import { isInToolset } from "./select-tools.ts";
import { createToolset } from "./toolset.ts";
import { createToolsetRegistry, type ToolsetRef } from "./toolset-registry.ts";

const usualParallel = 8;

/** Many prompts, some at a time, all on the sessions of one plane. */
function createGenerateAll(generate: AgentVerbs["generate"]): AgentVerbs["generateAll"] {
  return (requests, options = {}) => {
    const { parallel = usualParallel, signal, ...shared } = options;
    if (!Number.isInteger(parallel) || parallel < 1)
      throw new PlaneError("USAGE", "'parallel' must be a whole number from 1 on.");
    const inOrderOptions = { parallel, ...(signal ? { signal } : {}) };
    return inOrder(requests, inOrderOptions, async (given, index, running) => {
      const request: GenerateRequest = typeof given === "string" ? { prompt: given } : given;
      const either = request.signal ? AbortSignal.any([request.signal, running]) : running;
      try {
        const generation = await generate({ ...shared, ...request, signal: either });
        return { index, generation, error: generation.error };
      } catch (thrown) {
        // What could not begin is told in its place; the others go on.
        return { index, generation: null, error: reportError(toPlaneError(thrown)) };
      }
    });
  };
}

type Parts = Omit<AgentParts, "models"> & {
  /** What is asked about where nothing is said. */
  profile: Parameters<typeof createSampling>[0]["profile"];
  emit: Parameters<typeof createSampling>[0]["emit"];
  /** The file that says this. */
  fileOf(path: string[]): string | undefined;
  given: PlaneOptions["models"];
};

const wholeCatalogue = { allow_tools: null, max_tool_call_turns: null, timeout_sec: null };

type Answering = Parameters<typeof createAnswers>[0];

export type Agent = {
  verbs: AgentVerbs;
  /** How servers are answered that ask for a model: by the program where it can, else by a configured model. */
  answering(options: PlaneOptions): Answering;
  /** Why a model cannot be asked, the usual one without a name. */
  modelTrouble: Models["trouble"];
  /** Ends the runs that are under way; what is known of them is kept. */
  stop(): Promise<void>;
};

/** Models with tools: what they may call, and the runs in which they call it. */
export function createAgent({ profile, emit, fileOf, given = {}, ...made }: Parts): Agent {
  const { config, defaultPrincipal, servers } = made;
  const fileOfModel = (name: string) => fileOf(["models", name]);
  const broken = (name?: string) => {
    const [one = name] = name === undefined ? brokenNames(config(), "models") : [name];
    return one === undefined ? null : brokenEntry(config(), "models", one);
  };
  const models = createModels({ configured: () => config().models, broken, fileOfModel, given });
  const sampling = createSampling({ config, profile, models, emit });
  const parts: AgentParts = { ...made, models };
  const registry = createToolsetRegistry(
    () => config().toolsets,
    (alias) => brokenEntry(config(), "toolsets", alias),
  );
  const selection = (toolset: ToolsetRef): ToolsetSelection => {
    const definition = registry.definition(toolset);
    return { definition, has: (tool) => isInToolset(definition, tool) };
  };
  const tools: AgentTools = createAgentTools({
    plane: parts.plane,
    catalogue: parts.catalogue,
    servers,
    maySeeServer: parts.maySeeServer,
    selection,
    mayChange: createMayChange(config),
  });
  const stopping = new AbortController();
  let begun: Promise<AgentRuns> | undefined;
  const room = () => {
    const made = { ...parts, tools, registry, stopping: stopping.signal };
    begun ??= import("./agent-runs.ts").then(({ createAgentRuns }) => createAgentRuns(made));
    return begun;
  };

  const verbs: AgentVerbs = {
    toolset(asked, { principal = defaultPrincipal } = {}) {
      // Says at once what is wrong with it.
      const toolset = asked === undefined ? null : registry.refer(asked);
      const visible = () =>
        servers()
          .names()
          .filter((name) => parts.maySeeServer(principal, name));
      return createToolset({
        alias: typeof toolset === "string" ? toolset : null,
        definition: () =>
          toolset === null ? { ...wholeCatalogue, providers: visible() } : registry.definition(toolset),
        mayChange: tools.mayChange,
        tools: () => tools.named({ principal, toolset }),
        // The program that runs the model decides how much of a result it reads.
        call: (named, options) => tools.call(named, { principal, toolset, options: { ...options, maxResultBytes: 0 } }),
        generate: (request) => verbs.generate({ principal, ...request, ...(toolset === null ? {} : { toolset }) }),
        usage: () => registry.usage(toolset),
      });
    },
    registerToolset: registry.register,
    toolsetSelection: selection,
    runAgent: async (question, options) => (await room()).run(question, options),
    generate: async (request) => (await room()).generate(request),
    generateAll: createGenerateAll((request) => verbs.generate(request)),
  };
  return {
    verbs,
    modelTrouble: models.trouble,
    answering: (options) => ({
      ...options,
      sampling: options.sampling ?? sampling.answer,
      isSampling: () => options.sampling !== undefined || sampling.isOffered(),
    }),
    async stop() {
      stopping.abort(new Error("the plane is stopping"));
      await (await begun)?.settled();
    },
  };
}

/** Found out once for each tool, as long as the policy is the same: it is asked for every tool in every turn. */
function createMayChange(config: () => Config): (tool: Tool) => boolean {
  let known = new WeakMap<Tool, boolean>();
  let by: object | undefined;
  return (tool) => {
    const { effects } = config().policy;
    if (by !== effects) known = new WeakMap();
    by = effects;
    const found = known.get(tool) ?? effectOf(tool, effects).effect !== "read";
    known.set(tool, found);
    return found;
  };
}

/** The failure to use a model or a toolset that is configured, and wrongly; null when nothing is known of it. */
function brokenEntry(config: Config, section: "models" | "toolsets", name: string): PlaneError | null {
  const path = renderPath([section, name]);
  const problem = config.problems.find(
    ({ path: written, key = written }) => key === path || key.startsWith(`${path}.`) || key.startsWith(`${path}[`),
  );
  if (problem === undefined) return null;
  const what = section === "models" ? "Model" : "Toolset";
  return new PlaneError("CONFIG_INVALID", `${what} '${name}' cannot be used: ${renderProblem(problem)}`, {
    data: { path: problem.path },
  });
}

/** The names of entries that something is wrong with. */
function brokenNames(config: Config, section: "models" | "toolsets"): string[] {
  const named = new RegExp(`^${section}\\.([^.[]+)`);
  return [...new Set(config.problems.flatMap(({ path, key = path }) => named.exec(key)?.[1] ?? []))];
}
