import { effectOf } from "@toolplane/core/access";
import type { AgentParts, AgentRunner } from "@toolplane/core/agent";
import { once } from "@toolplane/core/lib/async/once";
import type { Tool } from "@toolplane/core/model/catalogue/tool";
import type { Config } from "@toolplane/core/model/config/config";
import { createAgentTools } from "./agent-tools.ts";
import { createOpenModel } from "./models/open-model.ts";
import { createRunningRuns } from "./running-runs.ts";
import { createSampling } from "./sampling.ts";
import { createRunStore } from "./trace/runs.ts";

/** Models with tools: what they may call, and the runs in which they call it. */
export function createAgentRunner(parts: AgentParts): AgentRunner {
  const { config, recorder, plane } = parts;
  const open = createOpenModel(parts);
  const runs = createRunStore(parts);
  const running = createRunningRuns(recorder.emit);
  const tools = createAgentTools({ ...parts, mayChange: createMayChange(config) });
  const agentRuns = once(async () => {
    const { createAgentRuns } = await import("./agent-runs.ts");
    return createAgentRuns({ ...parts, tools, open, keepRun: runs.keep, watch: running.watch });
  });
  const codegen = once(async () => (await import("./codegen/codegen.ts")).createCodegen(plane));
  const answerCalls = once(async () =>
    (await import("./answer-calls.ts")).createAnswerCalls(tools),
  );
  return {
    run: async (...args) => (await agentRuns()).run(...args),
    generate: async (request) => (await agentRuns()).generate(request),
    codegen: { generate: async (...args) => (await codegen()).generate(...args) },
    runs: { ...runs.verbs, ...running.verbs },
    keepRun: runs.keep,
    sample: createSampling({ ...parts, open, emit: recorder.emit }),
    namedTools: tools.named,
    answerCalls: async (...args) => (await answerCalls())(...args),
    settled: async () => void (agentRuns.made() && (await (await agentRuns()).settled())),
  };
}

/** Found out once for each tool, as long as the policy is the same: it is asked for every tool in every turn. */
function createMayChange(config: () => Config): (tool: Tool) => boolean {
  let mayChangeByTool = new WeakMap<Tool, boolean>();
  let judgedEffects: object | undefined;
  return (tool) => {
    const { effects } = config().policy;
    if (judgedEffects !== effects) mayChangeByTool = new WeakMap();
    judgedEffects = effects;
    const mayChange = mayChangeByTool.get(tool) ?? effectOf(tool, effects).effect !== "read";
    mayChangeByTool.set(tool, mayChange);
    return mayChange;
  };
}
