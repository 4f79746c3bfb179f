import { ownField } from "../../lib/json/plain-data.ts";
import { PlaneError } from "../errors.ts";
import { largestPage } from "../page.ts";
import { withoutShared } from "./exclusion-words.ts";
import { type SideEffects, sideEffects, type ToolMetadata, toolImpacts } from "./tool.ts";
import type { ToolImpact } from "./tool-schema.ts";

/** A filter for tools, and the page size. */
export type ToolQuery = {
  /** Names, and words that exclude shared tools. Default: all the caller may see. */
  personas: string[];
  /** A tool must have all of them. */
  providers: string[];
  capabilities: string[];
  version: string | null;
  /** Between 0 and 1. */
  minSuccessRate: number | null;
  /** Tools without calls; null excludes them where a success rate above 0 is required. */
  includeUnused: boolean | null;
  /** Any of them. */
  sideEffects: SideEffects[];
  safetyLevels: NonNullable<ToolMetadata["safety_level"]>[];
  /** What a call may do: any of them. */
  impacts: ToolImpact["impact"][];
  /** Null: both. */
  quarantined: boolean | null;
  overlaid: boolean | null;
  unused: boolean | null;
  server: string | null;
  /** Null is `default`, empty is none, `*` is all. */
  groups: string[] | null;
  /** `*` is any. */
  state: string | null;
  /** Words of name, title, description or capabilities. */
  q: string | null;
  limit: number | null;
  cursor: string | null;
  includeProviderHealth: boolean;
};

type Wording = {
  /** The face's name of a parameter. */
  spell(parameter: string): string;
  nearest(word: string, known: Iterable<string>): string[];
};

type Refuse = (allowed: string, known?: readonly string[]) => never;
type Read = (value: string, refuse: Refuse) => unknown;

const verbatim: Read = (value) => value;

/** As HTTP spells them: the field, its default and its reader. Values of a list are repeated or separated by commas. */
const parameters: Readonly<
  Record<string, [field: keyof ToolQuery, fallback: unknown, read: Read]>
> = {
  persona: ["personas", [], readPersona],
  provider: ["providers", [], readText],
  capability: ["capabilities", [], readText],
  version: ["version", null, readText],
  min_success_rate: ["minSuccessRate", null, readShare],
  include_unused: ["includeUnused", null, readFlag],
  side_effects: ["sideEffects", [], readOneOf(sideEffects)],
  safety_level: ["safetyLevels", [], readOneOf(["low", "medium", "high"])],
  impact: ["impacts", [], readOneOf(toolImpacts)],
  quarantined: ["quarantined", null, readFlag],
  overlaid: ["overlaid", null, readFlag],
  unused: ["unused", null, readFlag],
  server: ["server", null, readText],
  group: ["groups", null, verbatim],
  state: ["state", null, verbatim],
  q: ["q", null, readText],
  limit: ["limit", null, readLimit],
  cursor: ["cursor", null, readText],
  include_provider_health: ["includeProviderHealth", true, readFlag],
};

export const unfilteredQuery = Object.freeze(
  Object.fromEntries(Object.values(parameters).map(([field, fallback]) => [field, fallback])),
) as Readonly<ToolQuery>;

/** Refuses what is unknown or makes no sense by name. */
export function parseToolQuery(
  values: Iterable<readonly [string, string]>,
  wording: Wording,
): ToolQuery {
  const query: Record<string, unknown> = { ...unfilteredQuery };
  const seenNames = new Set<string>();
  for (const [name, value] of values) {
    const parameter = ownField(parameters, name);
    const [field, fallback, read] = parameter ?? refuseUnknown(name, wording);
    if (Array.isArray(fallback) || field === "groups") {
      const items = value
        .split(",")
        .map((item) => read(item.trim(), refuseValue(name, item, wording)));
      // An empty value is a list of none.
      query[field] = [
        ...((query[field] ?? []) as unknown[]),
        ...items.filter((item) => item !== ""),
      ];
    } else {
      if (seenNames.has(name))
        refuse(name, value, `${wording.spell(name)} is given twice; give it once.`);
      query[field] = read(value.trim(), refuseValue(name, value, wording));
    }
    seenNames.add(name);
  }
  return query as ToolQuery;
}

function refuseUnknown(name: string, { spell, nearest }: Wording): never {
  const knownNames = Object.keys(parameters);
  const [nearestName] = nearest(name, knownNames);
  const suggestion = nearestName === undefined ? "" : ` Did you mean ${spell(nearestName)}?`;
  return refuse(
    name,
    null,
    `'${name}' is not a parameter of this list of tools.${suggestion} Known are ${knownNames.join(", ")}.`,
    nearestName,
  );
}

function refuseValue(name: string, value: string, { spell, nearest }: Wording): Refuse {
  return (allowed, known = []) => {
    const [near] = nearest(value, known);
    const meant = near === undefined ? "" : ` Did you mean '${near}'?`;
    return refuse(name, value, `${spell(name)} cannot be '${value}': ${allowed}.${meant}`, near);
  };
}

function refuse(parameter: string, value: string | null, message: string, near?: string): never {
  throw new PlaneError("USAGE", message, { data: { parameter, value, nearest: near ?? null } });
}

function readText(value: string, refuse: Refuse): string {
  return value === "" ? refuse("it needs a value") : value;
}

function readPersona(value: string, refuse: Refuse): string {
  const isWord = withoutShared.includes(value.toLowerCase());
  // A mistyped word must not be taken for a persona without tools.
  if (!isWord && /^[-!]|^shared[=:]/i.test(value)) {
    refuse(`give the name of a persona, or one of ${withoutShared.join(", ")}`, withoutShared);
  }
  return readText(value, refuse);
}

/** 0.8, 80 and 80% are the same; 1 is all, 1% is one in a hundred. */
export function readShare(value: string, refuse: Refuse): number {
  const [, digits, sign] = /^(\d+|\d*\.\d+)(%?)$/.exec(value) ?? [];
  const number = Number(digits);
  const share = sign === "%" || number > 1 ? number / 100 : number;
  if (digits === undefined || share > 1)
    refuse("give a share from 0 to 1, or a percentage up to 100");
  return share;
}

function readFlag(value: string, refuse: Refuse): boolean {
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  return /^(0|false|no|off)$/i.test(value)
    ? false
    : refuse("give true or false", ["true", "false"]);
}

function readOneOf(allowed: readonly string[]): Read {
  return (value, refuse) => {
    const lowerCaseValue = value.toLowerCase();
    return allowed.includes(lowerCaseValue)
      ? lowerCaseValue
      : refuse(`give one of ${allowed.join(", ")}`, allowed);
  };
}

function readLimit(value: string, refuse: Refuse): number {
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  return limit >= 1 && limit <= largestPage
    ? limit
    : refuse(`give an integer from 1 to ${largestPage}`);
}
