import { normalLevel, shippedLevels } from "../model/compliance.ts";
import type { ConfigProblem, ConfigValues } from "../model/config.ts";
import type { Path } from "../model/path.ts";
import type { Merged } from "./merge-settings.ts";

/** Levels that have no effect, or another one than whoever wrote them thinks. */
export function checkAccess(
  { servers, tools, users, compliance }: Pick<ConfigValues, "servers" | "tools" | "users" | "compliance">,
  merged: Merged,
): ConfigProblem[] {
  const { levels, unknown } = compliance === "default" || compliance === null ? shippedLevels : compliance;
  const known = new Set(levels.flatMap(({ name, aliases }) => [name, ...aliases]).map(normalLevel));
  const said: [Path, string | null | undefined][] = [
    ...Object.entries(servers).map(([name, one]): [Path, string | null] => [
      ["servers", name, "compliance_level"],
      one.compliance_level,
    ]),
    ...Object.entries(tools).map(([name, one]): [Path, string | undefined] => [
      ["tools", name, "compliance_level"],
      one.compliance_level,
    ]),
    ...Object.entries(users).map(([name, one]): [Path, string | null | undefined] => [
      ["users", name, "compliance"],
      one.compliance,
    ]),
  ];
  return said.flatMap(([path, level]): ConfigProblem[] => {
    if (!level || (compliance !== null && known.has(normalLevel(level)))) return [];
    const effect =
      unknown === "strict" ? "is refused wherever a level is asked for" : "keeps nobody from anything";
    return [
      {
        ...merged.placeOf(path),
        severity: "warning",
        message: compliance === null ? "levels have no effect" : `the level '${level}' ${effect}`,
        hint:
          compliance === null
            ? 'Say which levels go together: "compliance": "default".'
            : `Known are ${levels.map(({ name }) => name).join(", ") || "none"}.`,
      },
    ];
  });
}
