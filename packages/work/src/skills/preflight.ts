import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { referencesIn } from "@toolplane/core/lib/text/fill-references";
import { sentence } from "@toolplane/core/lib/text/wording";
import { errorTable, PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import type { JsonObject } from "@toolplane/core/model/json";
import type { ToolListing } from "@toolplane/core/model/plane-tools";
import { type SkillManifest, toolsOfSkill } from "@toolplane/core/model/work/skill";
import type { NotReady } from "@toolplane/core/model/work/skill-run";

import { missingInput } from "./skill-graph.ts";

export type PreflightParts = {
  /** Throws where there is none for the caller. */
  tool(name: string): Promise<ToolListing>;
  /** The tags of the caller's tools. */
  capabilities(): Promise<ReadonlySet<string>>;
  verdict(tool: string, args: JsonObject): Promise<{ verdict: string; reason: string }>;
  /** Why a model cannot be asked, the default one without a name. */
  modelTrouble(name?: string): PlaneError | null;
};

/** Everything that keeps a skill from being run, all at once. */
export async function preflight(
  skill: SkillManifest,
  input: JsonObject,
  parts: PreflightParts,
): Promise<NotReady[]> {
  const aboutTools = await Promise.all(
    toolsOfSkill(skill).map((name) => checkSkillTool(name, skill, parts)),
  );
  const requiredCapabilities = skill.required_capabilities;
  const availableCapabilities: ReadonlySet<string> =
    requiredCapabilities.length === 0 ? new Set() : await parts.capabilities();
  const missing = requiredCapabilities
    .filter((name) => !availableCapabilities.has(name.toLowerCase()))
    .map(
      (name): NotReady => ({
        kind: "capability",
        name,
        reason: `none of the tools has the capability '${name}'`,
      }),
    );
  return [
    ...missingInput(skill, input),
    ...aboutTools.flat(),
    ...missing,
    ...missingModels(skill, parts),
  ];
}

/** Models that follow the instructions or judge the answer. */
export function missingModels(
  { steps, collaboration }: Pick<SkillManifest, "steps" | "collaboration">,
  { modelTrouble }: Pick<PreflightParts, "modelTrouble">,
): NotReady[] {
  if (steps !== undefined) return [];
  const participants = collaboration?.enabled ? collaboration.participants : [];
  const names = new Set([
    undefined,
    ...participants.map(({ model, provider }) => model ?? provider),
  ]);
  return [...names].flatMap((name): NotReady[] => {
    const trouble = modelTrouble(name);
    if (trouble === null) return [];
    return [{ kind: "model", name: name ?? "default", reason: withoutStop(trouble.message) }];
  });
}

export async function checkSkillTool(
  name: string,
  skill: Pick<SkillManifest, "steps"> | null,
  { tool, verdict }: Pick<PreflightParts, "tool" | "verdict">,
): Promise<NotReady[]> {
  try {
    const { unavailable } = await tool(name);
    if (unavailable !== null)
      return [{ kind: "server", name, reason: `'${name}' cannot be called: ${unavailable}` }];
  } catch (thrown) {
    const { code, message } = toPlaneError(thrown);
    return [
      { kind: errorTable[code].retryable ? "server" : "tool", name, reason: withoutStop(message) },
    ];
  }
  // Arguments that depend on earlier steps are judged when the step begins.
  const stepsOfTool = (skill?.steps ?? []).filter((step) => step.tool === name);
  const argumentSets = stepsOfTool.map(({ arguments: args }) =>
    referencesIn(args).length === 0 ? args : {},
  );
  if (argumentSets.length === 0) argumentSets.push({});
  const verdicts = await Promise.all(argumentSets.map((args) => verdict(name, args as JsonObject)));
  const denied = verdicts.find((verdictOnSet) => verdictOnSet.verdict === "deny");
  if (denied) return [{ kind: "policy", name, reason: `'${name}' is refused: ${denied.reason}` }];
  return [];
}

export function notReady(
  what: string,
  reasons: readonly NotReady[],
  required_capabilities?: readonly string[],
) {
  const why = reasons.map(({ reason }) => reason).join("; ");
  return new PlaneError("NOT_READY", sentence(`${what} cannot run: ${why}`), {
    data: { reasons, sent: false, ...withoutUndefined({ required_capabilities }) },
  });
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}
