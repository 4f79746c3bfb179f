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
  const loaded = once(async () => {
    const { createAgentRuns } = await import("./agent-runs.ts");
    return createAgentRuns({ ...parts, tools, open, keepRun: runs.keep, watch: running.watch });
  });
  const codegen = once(async () => (await import("./codegen/codegen.ts")).createCodegen(plane));
  const answerCalls = once(async () =>
    (await import("./answer-calls.ts")).createAnswerCalls(tools),
  );
  return {
    run: async (...asked) => (await loaded()).run(...asked),
    generate: async (request) => (await loaded()).generate(request),
    codegen: { generate: async (...asked) => (await codegen()).generate(...asked) },
    runs: { ...runs.verbs, ...running.verbs },
    keepRun: runs.keep,
    sample: createSampling({ ...parts, open, emit: recorder.emit }),
    namedTools: tools.named,
    answerCalls: async (...asked) => (await answerCalls())(...asked),
    settled: async () => void (loaded.made() && (await (await loaded()).settled())),
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
