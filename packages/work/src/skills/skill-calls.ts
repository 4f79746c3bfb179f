import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { CallOptions } from "@toolplane/core/model/calls/call";
import { withChosenKey } from "@toolplane/core/model/calls/idempotency-key";
import { isRepeatable, type Tool } from "@toolplane/core/model/catalogue/tool";
import { toolKey } from "@toolplane/core/model/catalogue/tool-name";
import { PlaneError } from "@toolplane/core/model/errors";
import type { JsonObject } from "@toolplane/core/model/json";
import type { ConversationBudget } from "@toolplane/core/model/plane-history";
import type { Face, Principal } from "@toolplane/core/model/principal";
import type { RunSkillOptions } from "@toolplane/core/model/work/skill-run";
import type { JobParts } from "@toolplane/core/work";
import { valueHash } from "../jobs/states.ts";
import type { AgentEnd, AskedModel } from "./collaborate.ts";
import type { PreflightParts } from "./preflight.ts";
import type { SkillParts } from "./run-skill.ts";

type CallingOptions = {
  run: string;
  conversation: string;
  face: Face;
  /** Asked before each call: rights may have been lost since. */
  principal(): Promise<Principal>;
  keyOf(step: { skill: string; id: string }): string;
} & Pick<RunSkillOptions, "approvalWaitMs" | "consent" | "askHere" | "model"> &
  Pick<CallOptions, "approvalExpireMs">;

export type SkillCalls = ReturnType<typeof createSkillCalls>;

/** How skills reach tools and models: along the one path. */
export function createSkillCalls({ plane, modelTrouble }: JobParts) {
  return {
    calling: (options: CallingOptions) => createCalling(plane, options),
    inForeground(id: string, caller: Principal, options: RunSkillOptions) {
      const { approvalWaitMs, consent, askHere, model, face = "library" } = options;
      const conversation = options.conversation ?? `skill-${id}`;
      const calling = createCalling(plane, {
        ...withoutUndefined({ approvalWaitMs, consent, askHere, model }),
        run: id,
        conversation,
        face,
        principal: async () => caller,
        keyOf: (step) => `skill-${valueHash([id, step.skill, step.id])}`,
      });
      const end = async () => {
        if (options.conversation !== undefined) return;
        // A session that does not end well is no reason to lose an answer.
        await plane()
          .conversations.end(conversation, { principal: caller })
          .catch(() => undefined);
      };
      return { ...calling, end };
    },
    preflight: (principal: Principal, face: Face = "library", model?: string): PreflightParts => ({
      modelTrouble: (name = model) => modelTrouble(name),
      tool: (name) => plane().tools.get(name, { principal }),
      async capabilities() {
        const { tools } = await plane().tools.page({}, { principal });
        return new Set(
          tools
            .flatMap(({ metadata }) => metadata.capabilities ?? [])
            .map((tag) => tag.toLowerCase()),
        );
      },
      verdict: (tool, args) => plane().policy.test(tool, args, { principal, face }),
    }),
  };
}

function createCalling(
  plane: JobParts["plane"],
  { run, conversation, face, principal, keyOf, model, ...options }: CallingOptions,
): Omit<SkillParts, "run" | "memory" | "emit"> {
  const shared = { ...withoutUndefined(options), conversation };
  type ModelCallOptions = { signal: AbortSignal; only(tool: Tool): boolean };
  const askModel = async (
    question: string,
    by: AskedModel,
    options: ModelCallOptions,
  ): Promise<AgentEnd> => {
    const { id, outcome, answer, error } = await plane().agent.run(question, {
      ...shared,
      ...options,
      principal: await principal(),
      ...withoutUndefined({ system: by.system, model: by.model ?? model }),
    });
    if (answer !== null && outcome !== "failed" && outcome !== "cancelled")
      return { record: id, answer };
    throw new PlaneError(error?.code ?? "INTERNAL", error?.message ?? "The model gave no answer.", {
      data: { ...error?.data, run: id },
    });
  };
  return {
    call: async (step, args, signal) =>
      plane().call(
        step.tool,
        args,
        withChosenKey(
          {
            ...shared,
            run,
            face,
            signal,
            principal: await principal(),
            maxResultBytes: 0,
            ownRetries: true,
          },
          keyOf(step),
        ),
      ),
    isRepeatable: async (name) =>
      isRepeatable(await plane().tools.get(name, { principal: await principal() })),
    ask: async (by, question, signal) =>
      (await askModel(question, by, { signal, only: () => false })).answer,
    async askAgent({ required_tools, instruction_prompt, safety_notes }, input, signal, by = {}) {
      const caller = await principal();
      const tools = await Promise.all(
        required_tools.map((name) => plane().tools.get(name, { principal: caller })),
      );
      const keys = new Set(tools.map(({ id }) => toolKey(id)));
      const system = [instruction_prompt, safety_notes, by.system].filter(Boolean).join("\n\n");
      const only = (tool: Tool) => keys.has(toolKey(tool.id));
      return askModel(questionOf(input), { ...by, system }, { signal, only });
    },
    async overBudget() {
      return exhaustedBudget(
        await plane().conversations.budget(conversation, { principal: await principal() }),
      );
    },
  };
}

function questionOf(input: JsonObject): string {
  if (Object.keys(input).length === 0) return "Follow your instructions.";
  return `Follow your instructions for this input:\n${JSON.stringify(input)}`;
}

function exhaustedBudget({ spentMs, limitMs, cost, maxCost }: ConversationBudget): string | null {
  if (limitMs !== null && limitMs > 0 && spentMs >= limitMs)
    return `its tools have used up the ${limitMs / 1_000} s that they may take ('budgets.maxToolDurationMs')`;
  for (const [unit, spent] of Object.entries(cost)) {
    const limit = typeof maxCost === "number" ? maxCost : maxCost?.[unit];
    if (limit !== undefined && limit !== null && spent >= limit)
      return `its tools have used up the ${limit} ${unit} that they may cost ('budgets.maxCost')`;
  }
  return null;
}
