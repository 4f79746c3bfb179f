import { referencesIn } from "../../lib/text/fill-references.ts";
import { sentence } from "../../lib/text/wording.ts";
import { errorTable, PlaneError, toPlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ToolListing } from "../../model/plane-tools.ts";
import { type SkillManifest, toolsOfSkill } from "../../model/work/skill.ts";
import type { NotReady } from "../../model/work/skill-run.ts";

import { missingInput } from "./plan.ts";

export type PreflightParts = {
  /** Throws where there is none for the caller. */
  tool(name: string): Promise<ToolListing>;
  /** Everything the tools of the caller are tagged with. */
  capabilities(): Promise<ReadonlySet<string>>;
  verdict(tool: string, args: JsonObject): Promise<{ verdict: string; reason: string }>;
  /** Why a model cannot be asked, the usual one without a name. */
  modelTrouble(name?: string): PlaneError | null;
};

/** Everything that keeps a skill from being run, all at once. */
export async function preflight(skill: SkillManifest, input: JsonObject, parts: PreflightParts): Promise<NotReady[]> {
  const names = toolsOfSkill(skill);
  const aboutTools = await Promise.all(names.map((name) => checkTool(name, skill, parts)));
  const missing = await missingCapabilities(skill.required_capabilities, parts);
  return [...missingInput(skill, input), ...aboutTools.flat(), ...missing, ...missingModels(skill, parts)];
}

/** Those that follow the instructions or are asked about the answer. */
export function missingModels(
  { steps, collaboration }: Pick<SkillManifest, "steps" | "collaboration">,
  { modelTrouble }: Pick<PreflightParts, "modelTrouble">,
): NotReady[] {
  if (steps !== undefined) return [];
  const others = collaboration?.enabled ? collaboration.participants : [];
  const names = new Set([undefined, ...others.map(({ model, provider }) => model ?? provider)]);
  return [...names].flatMap((name) => {
    const trouble = modelTrouble(name);
    return trouble === null
      ? []
      : [{ kind: "model" as const, name: name ?? "default", reason: withoutStop(trouble.message) }];
  });
}

async function missingCapabilities(
  wanted: readonly string[],
  { capabilities }: Pick<PreflightParts, "capabilities">,
): Promise<NotReady[]> {
  if (wanted.length === 0) return [];
  const there = await capabilities();
  return wanted
    .filter((name) => !there.has(name.toLowerCase()))
    .map((name) => ({ kind: "capability", name, reason: `none of the tools has the capability '${name}'` }));
}

export async function checkTool(
  name: string,
  skill: Pick<SkillManifest, "steps"> | null,
  { tool, verdict }: Pick<PreflightParts, "tool" | "verdict">,
): Promise<NotReady[]> {
  try {
    const { unavailable } = await tool(name);
    if (unavailable !== null) return [{ kind: "server", name, reason: `'${name}' cannot be called: ${unavailable}` }];
  } catch (thrown) {
    const { code, message } = toPlaneError(thrown);
    return [{ kind: errorTable[code].retryable ? "server" : "tool", name, reason: withoutStop(message) }];
  }
  // What a step will only learn while it runs is judged then.
  const known = (skill?.steps ?? []).filter((step) => step.tool === name);
  const all = known.length === 0 ? [{}] : known.map(({ arguments: args }) => (isFixed(args) ? args : {}));
  const verdicts = await Promise.all(all.map((args) => verdict(name, args as JsonObject)));
  const denied = verdicts.find((one) => one.verdict === "deny");
  return denied ? [{ kind: "policy", name, reason: `'${name}' is refused: ${denied.reason}` }] : [];
}

export function notReady(
  what: string,
  reasons: readonly NotReady[],
  /** Everything that it takes, where that was found out. */
  needs?: readonly string[],
): PlaneError {
  const why = reasons.map(({ reason }) => reason).join("; ");
  return new PlaneError("NOT_READY", sentence(`${what} cannot run: ${why}`), {
    data: { reasons, sent: false, ...(needs === undefined ? {} : { required_capabilities: needs }) },
  });
}

function isFixed(args: object): boolean {
  return referencesIn(args).length === 0;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}
