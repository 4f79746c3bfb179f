import * as z from "zod/mini";

/** Other names mean something to JavaScript objects. */
const ParameterName = z
  .string()
  .check(
    z.regex(
      /^(?!(?:__proto__|constructor|prototype)$)\S(?:.*\S)?$/,
      "is not a valid parameter name",
    ),
  );

const sources = [
  "inventory",
  "user",
  "groups",
  "persona",
  "conversation",
  "workspace",
  "scopes",
  "files",
] as const;

const InjectionRule = z.discriminatedUnion("from", [
  z.strictObject({ parameter: ParameterName, from: z.enum(sources) }),
  z.strictObject({ parameter: ParameterName, from: z.literal("constant"), value: z.json() }),
]);
export type InjectionRule = z.infer<typeof InjectionRule>;
export type InjectionSource = InjectionRule["from"];

const sourceOfName = { _mcp_data: "inventory", _atlas_user: "user", username: "user" } as const;

/** Names that mean nothing else. No caller sets them, unless a server's list is empty. */
export const reservedParameters = ["_mcp_data", "_atlas_user"] as const;

/** A known name, or any parameter with its source. */
export const InjectionEntry = z.union(
  [z.enum(["_mcp_data", "_atlas_user", "username"]), InjectionRule],
  {
    error: `must be '_mcp_data', '_atlas_user', 'username', or {"parameter", "from"} with one of ${sources.join(", ")}, or constant with a value`,
  },
);
export type InjectionEntry = z.infer<typeof InjectionEntry>;

export const InjectOptions = z.strictObject({
  /** Without the server whose tool is called. */
  exclude_self: z.optional(z.boolean()),
  exclude: z.optional(z.array(z.string())),
  max_bytes: z.optional(z.int().check(z.minimum(1_024))),
});
export type InjectOptions = z.infer<typeof InjectOptions>;

export const defaultInventoryBytes = 64 * 1024;
/** A pane of the chat in Atlas UI, with nothing for a planner to call. */
export const defaultExcluded = ["canvas"];

/** The first of two entries for one parameter wins. */
export function rulesOf(entries: readonly InjectionEntry[]): InjectionRule[] {
  const rules = entries.map(
    (entry): InjectionRule =>
      typeof entry !== "string" ? entry : { parameter: entry, from: sourceOfName[entry] },
  );
  return rules.filter(
    ({ parameter }, index) => rules.findIndex((rule) => rule.parameter === parameter) === index,
  );
}

export const originalPrefix = "original_";

/** The file's name before its address replaced it. */
export function originalOf(parameter: string): string {
  return `${originalPrefix}${parameter}`;
}

const addresses: Readonly<Record<string, string>> = {
  filename: "file_url",
  file_names: "file_urls",
};

/** The parameter that has the address as well. */
export function urlParameterOf(parameter: string): string {
  return addresses[parameter] ?? `${parameter}_url`;
}

/** Callers still name a file themselves. */
export function hiddenBy({ parameter, from }: InjectionRule): string[] {
  return from === "files" ? [originalOf(parameter), urlParameterOf(parameter)] : [parameter];
}
