import { type InjectionEntry, type InjectionRule, rulesOf } from "../../model/access/injection.ts";
import type { ProviderSpec, ToolId } from "../../model/catalogue/tool.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** What the configuration says about parameters that only the system sets. */
export type InjectionSettings = {
  /** For every tool. */
  everywhere: readonly InjectionEntry[];
  /** For the tools of one server, those for every tool among them. */
  ofServer(server: string): readonly InjectionEntry[];
};

/** The rules for a tool, under the names that its callers know. */
export function rulesFor(
  { id, providers }: { id: ToolId; providers: readonly ProviderSpec[] },
  { everywhere, ofServer }: InjectionSettings,
): InjectionRule[] {
  if (id.server !== null) return rulesOf(ofServer(id.server));
  return rulesOf([
    ...providers.flatMap((spec) =>
      spec.name === "mcp" ? rulesThrough(spec, rulesOf(ofServer(String(spec.config.server)))) : [],
    ),
    ...everywhere,
    "_mcp_data",
  ]);
}

/** A wrapper that gives a parameter another name is no way around the rule for it. */
function rulesThrough({ config }: ProviderSpec, rules: readonly InjectionRule[]): InjectionRule[] {
  return rules.flatMap((rule) => {
    const parameter = oursFor(rule.parameter, config.argumentMap);
    return parameter === undefined ? [] : [{ ...rule, parameter }];
  });
}

/** What callers call what a provider knows as `theirs`; undefined where nothing they set arrives there. */
export function oursFor(theirs: string, argumentMap: unknown): string | undefined {
  if (!isObject(argumentMap)) return theirs;
  if (Object.hasOwn(argumentMap, theirs)) return String(argumentMap[theirs]);
  return isRenamed(theirs, argumentMap) ? undefined : theirs;
}

function isRenamed(ours: string, argumentMap: UnknownObject): boolean {
  return Object.values(argumentMap).some((name) => String(name) === ours);
}
