import { nounFor } from "../../lib/text/wording.ts";
import type { ProviderSpec, Tool } from "../../model/catalogue/tool.ts";
import { isObject } from "../../model/json.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Why a provider of a tool cannot run: variables that it needs and that are not set, or null. Without one: any. */
export function missingCredentials(
  tool: Tool,
  spec: ProviderSpec | null,
  environment: Environment,
): string | null {
  const { envs } = tool.metadata.auth;
  if (envs === undefined && spec?.auth === undefined) return null;
  const neededNames = spec === null ? declaredIn(envs).required : neededBy(spec, tool, environment);
  const missing = neededNames.filter((name) => !environment[name]);
  if (missing.length === 0) return null;
  return `${missing.join(" and ")} ${nounFor(missing.length, "is", "are")} not set in the environment`;
}

/**
 * Credentials belong to providers. A provider names its own, in `auth.envs` or as references in its `config`; what no
 * provider names belongs to the one that is asked first where the tool names others that may do instead, else to all.
 */
function neededBy(
  spec: ProviderSpec,
  { metadata, providers }: Tool,
  environment: Environment,
): string[] {
  const { required, optional } = declaredIn(metadata.auth.envs);
  const named = namedBy(spec);
  if (providers.length === 1) return [...new Set([...required, ...named])];
  const claimed = new Set(providers.flatMap(namedBy));
  const unclaimed = required.filter((name) => !claimed.has(name));
  const preferred = providers.reduce((best, provider) =>
    provider.priority < best.priority ? provider : best,
  );
  if (optional.length === 0 || spec === preferred) return [...named, ...unclaimed];
  const hasOther = named.length > 0 || [...required, ...optional].some((name) => environment[name]);
  return hasOther ? named : [...unclaimed, ...optional];
}

function namedBy({ auth, config, written }: ProviderSpec): string[] {
  const declared = isObject(auth) && isObject(auth.envs) ? declaredIn(auth.envs).required : [];
  const references = JSON.stringify(written ?? config).matchAll(/\$\{(?:env:)?(\w+)\}/g);
  return [...new Set([...declared, ...[...references].map(([, name = ""]) => name)])];
}

function declaredIn(envs: Readonly<Record<string, unknown>> = {}): {
  required: string[];
  optional: string[];
} {
  const isRequired = (name: string) => isObject(envs[name]) && envs[name].required === true;
  const names = Object.keys(envs);
  return {
    required: names.filter(isRequired),
    optional: names.filter((name) => !isRequired(name)),
  };
}
