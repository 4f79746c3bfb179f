import type { Tool } from "../../model/catalogue/tool.ts";

/** The variables a tool says it needs and that are not set. */
export function missingCredentials(
  { metadata }: Tool,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  if (metadata.auth.envs === undefined) return null;
  const needed = Object.entries(metadata.auth.envs).filter(([, { required }]) => required === true);
  const missing = needed.map(([name]) => name).filter((name) => !environment[name]);
  if (missing.length === 0) return null;
  return `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set in the environment`;
}

/** A tool with several providers is in trouble only when all of them are. */
export function sharedTrouble(troubles: readonly (string | null)[]): string | null {
  if (troubles.length === 0) return "it declares no provider";
  return troubles.includes(null) ? null : troubles.join("; ");
}
