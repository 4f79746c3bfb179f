import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fileErrorText } from "../../../lib/files.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { parseToolQuery, type ToolQuery } from "../../../model/catalogue/tool-query.ts";
import { PlaneError } from "../../../model/errors.ts";
import { terminal } from "../terminal/terminal.ts";

/** The flags of `tools list`, and what each is called over HTTP. */
const parameters = {
  server: "server",
  personaFilter: "persona",
  provider: "provider",
  capability: "capability",
  versionRange: "version",
  sideEffects: "side_effects",
  safetyLevel: "safety_level",
  impact: "impact",
  quarantined: "quarantined",
  overlaid: "overlaid",
  unused: "unused",
  minSuccessRate: "min_success_rate",
  includeUnused: "include_unused",
  toolGroup: "group",
  state: "state",
  query: "q",
  limit: "limit",
  cursor: "cursor",
} as const;

export type ToolFilters = { [flag in keyof typeof parameters]?: string | string[] | true };

export function readFilters(options: ToolFilters): ToolQuery {
  const values = Object.entries(parameters).flatMap(([flag, parameter]) => {
    const values = options[flag as keyof ToolFilters] ?? [];
    return [values].flat().map((value) => [parameter, String(value)] as const);
  });
  return parseToolQuery(values, { spell, nearest });
}

function spell(parameter: string): string {
  const flag = Object.entries(parameters).find(([, name]) => name === parameter)?.[0] ?? parameter;
  return `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function toChoice<T extends string>(
  option: string,
  text: string | undefined,
  choices: readonly T[],
): T | undefined {
  const choice = choices.find((choice) => choice === text);
  if (choice !== undefined || text === undefined) return choice;
  throw new PlaneError(
    "USAGE",
    `${option} cannot be '${text}': give one of ${choices.join(", ")}.`,
  );
}

export function toLimit(text: string | undefined, maximum = 1_000): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maximum) return limit;
  throw new PlaneError(
    "USAGE",
    `--limit cannot be '${text}': give an integer from 1 to ${maximum}.`,
  );
}

export function toCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new PlaneError("USAGE", `${option} cannot be '${text}': give an integer.`);
}

/** The options that are set. */
export function pickOptions<T extends object, K extends keyof T>(
  options: T,
  ...keys: readonly K[]
) {
  return withoutUndefined(Object.fromEntries(keys.map((key) => [key, options[key]])) as Pick<T, K>);
}

/** A file, or standard input for `-`. */
export async function readSource(file: string, named = `'${file}'`): Promise<string> {
  if (file === "-") return text(terminal.stdin);
  return readFile(resolve(terminal.directory(), file), "utf8").catch((thrown) => {
    throw new PlaneError(
      "USAGE",
      `${named} cannot be read: ${fileErrorText(thrown)}. Check the path.`,
    );
  });
}
