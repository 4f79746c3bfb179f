import * as z from "zod/mini";

const ComplianceLevel = z.strictObject({
  name: z.string().check(z.minLength(1)),
  description: z._default(z.string(), ""),
  aliases: z._default(z.array(z.string()), []),
  /** Levels of servers for callers at this level; its own is not implied. */
  allowed_with: z._default(z.array(z.string()), []),
});
type ComplianceLevel = z.infer<typeof ComplianceLevel>;

const ComplianceLevels = z
  .strictObject({
    levels: z._default(z.array(ComplianceLevel), []),
    /** Does an unlisted level allow everything or nothing? */
    unknown: z._default(z.enum(["permissive", "strict"]), "permissive"),
  })
  .check(
    z.refine(({ levels }) => areDistinct(namesOf(levels)), {
      path: ["levels"],
      error: "two levels have the same name or alias",
    }),
    z.refine(({ levels }) => unknownNames(levels).length === 0, {
      path: ["levels"],
      error: "'allowed_with' names a level that is not listed",
    }),
  );
type ComplianceLevels = z.infer<typeof ComplianceLevels>;

/** `default` for the built-in levels; null for none. */
export const Compliance = z.nullable(
  z.union([z.literal("default"), ComplianceLevels], {
    error:
      "must be \"default\", or an object with 'levels' whose names and 'allowed_with' fit together",
  }),
);
export type Compliance = z.infer<typeof Compliance>;

function namesOf(levels: readonly ComplianceLevel[]): string[] {
  return levels.flatMap(({ name, aliases }) => [name, ...aliases]).map(normalLevel);
}

function unknownNames(levels: readonly ComplianceLevel[]): string[] {
  const knownNames = new Set(namesOf(levels));
  return levels
    .flatMap((level) => level.allowed_with)
    .filter((name) => !knownNames.has(normalLevel(name)));
}

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** `HIPAA` and ` hipaa ` are one level: a slip of the shift key must not open anything. */
export function normalLevel(name: string): string {
  return name.trim().toLowerCase();
}

export const shippedLevels: ComplianceLevels = {
  unknown: "permissive",
  levels: [
    level("Public", "Data that anybody may see.", ["Public"]),
    level("External", "Services of others.", ["External"]),
    level("Internal", "Data of this organisation.", ["Internal"]),
    level("SOC2", "Services under a SOC 2 report.", ["SOC2"], ["SOC-2", "SOC 2"]),
    level("HIPAA", "Health data.", ["HIPAA", "SOC2"]),
    level("FedRAMP", "Data of the United States government.", ["FedRAMP", "SOC2"]),
  ],
};

function level(
  name: string,
  description: string,
  allowed_with: string[],
  aliases: string[] = [],
): ComplianceLevel {
  return { name, description, aliases, allowed_with };
}
