import * as z from "zod/mini";

/** Names that would mean something else to the objects that hold arguments. */
export const ParameterName = z
  .string()
  .check(z.regex(/^(?!(?:__proto__|constructor|prototype)$)\S(?:.*\S)?$/, "is no name a parameter can have"));

/** Where a value comes from that only the system sets. */
const sources = ["inventory", "user", "groups", "persona", "conversation", "workspace", "scopes", "files"] as const;

const InjectionRule = z.discriminatedUnion("from", [
  z.strictObject({ parameter: ParameterName, from: z.enum(sources) }),
  z.strictObject({ parameter: ParameterName, from: z.literal("constant"), value: z.json() }),
]);
/** One parameter that only the system sets, where a tool declares it. */
export type InjectionRule = z.infer<typeof InjectionRule>;
export type InjectionSource = InjectionRule["from"];

/** The two that are known by name, or any parameter with where its value comes from. */
export const InjectionEntry = z.union([z.enum(["_mcp_data", "username"]), InjectionRule], {
  error: `must be '_mcp_data', 'username', or {"parameter", "from"} with one of ${sources.join(", ")}, or constant with a value`,
});
export type InjectionEntry = z.infer<typeof InjectionEntry>;

/** How a tool that plans with other tools is told of them. */
export const InjectOptions = z.strictObject({
  /** Leaves out the server whose tool is told. */
  exclude_self: z.optional(z.boolean()),
  /** How large the inventory may be as JSON. */
  max_bytes: z.optional(z.int().check(z.minimum(1_024))),
});
export type InjectOptions = z.infer<typeof InjectOptions>;

export const defaultInventoryBytes = 64 * 1024;

/** Of two entries for one parameter the first counts. */
export function rulesOf(entries: readonly InjectionEntry[]): InjectionRule[] {
  const rules = entries.map(
    (entry): InjectionRule =>
      typeof entry !== "string" ? entry : { parameter: entry, from: entry === "username" ? "user" : "inventory" },
  );
  return rules.filter(({ parameter }, at) => rules.findIndex((other) => other.parameter === parameter) === at);
}

/** What a file was called before its name was replaced by its address. */
export function originalOf(parameter: string): string {
  return `original_${parameter}`;
}

/** The names a rule takes away from callers. A file they still name themselves. */
export function hiddenBy({ parameter, from }: InjectionRule): string {
  return from === "files" ? originalOf(parameter) : parameter;
}
