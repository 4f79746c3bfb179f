import { type FailOn, severities, type ToolQuality } from "../../model/catalogue/quality.ts";
import { fallbackDescription, type Tool } from "../../model/catalogue/tool.ts";

/** As its author named it, and without the description that we give what has none. */
export function asWritten({ id, description, parameters }: Pick<Tool, "id" | "description" | "parameters">) {
  const isOurs = id.server !== null && description === fallbackDescription(id.server, id.tool);
  return { name: id.tool, description: isOurs ? "" : description, parameters };
}

/** A tool that nobody can call, or that says what it should not, does not pass for being well described. */
export function isTrusted(review: Pick<ToolQuality, "findings" | "held"> | undefined, failOn: FailOn): boolean {
  if (failOn === "none" || review === undefined) return true;
  const { findings, held } = review;
  const least = severities.indexOf(failOn);
  return held === null && findings.every(({ severity }) => severities.indexOf(severity) < least);
}
