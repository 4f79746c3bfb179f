import { type Environment, maskSecrets } from "@toolplane/core/config/editing";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import type { SecretPlace } from "@toolplane/core/model/config/adding";
import type { NeededVariable } from "@toolplane/core/model/config/setup";
import type { JsonObject } from "@toolplane/core/model/json";
import { concealSecrets } from "../adding/conceal.ts";
import { keepSecrets, revealKept } from "../adding/keep-secrets.ts";

export type SecretsReport = {
  secrets: { server: string; name: string; where: string | null }[];
  variables: NeededVariable[];
  holdSecrets: string[];
};

export type Keeping = { secrets: SecretPlace; dryRun: boolean; environment: Environment };

/** An entry on its way from another file into ours: a secret in it stays out of ours, and the report says where it is. */
export async function withoutSecrets(
  server: string,
  definition: JsonObject,
  report: SecretsReport,
  { secrets: secretPlace, dryRun, environment }: Keeping,
): Promise<JsonObject> {
  const { entry, values } = concealSecrets(server, definition, environment, "client");
  const names = Object.keys(values);
  if (holdsSecret(entry)) report.holdSecrets.push(server);
  if (names.length === 0) return definition;
  if (secretPlace === "env") {
    report.secrets.push(...names.map((name) => ({ server, name, where: null })));
    for (const name of names) addVariable(report, server, name, environment);
    return entry;
  }
  if (dryRun) {
    report.secrets.push(...names.map((name) => ({ server, name, where: null })));
    return entry;
  }
  const stored = await keepSecrets(server, entry, values, secretPlace, environment);
  const whereOf = (name: string) =>
    stored.kept.find((secret) => secret.name === name)?.where ?? null;
  report.secrets.push(...names.map((name) => ({ server, name, where: whereOf(name) })));
  return stored.entry;
}

/** What would have to be masked is a secret in clear. `env` and `headers` are masked whatever stands in them, and were looked at. */
function holdsSecret({ env: _, headers: _headers, ...otherFields }: JsonObject): boolean {
  return (
    stableJson(maskSecrets({ servers: { it: otherFields } })) !==
    stableJson({ servers: { it: otherFields } })
  );
}

/** Does our file have this very entry? Its secrets may be kept elsewhere by now, or be variables. */
export async function isWrittenAs(
  { name, entry }: { name: string; entry: unknown },
  definition: JsonObject,
  environment: Environment,
): Promise<boolean> {
  const concealed = concealSecrets(name, definition, environment, "client").entry;
  const present = stableJson(await revealKept(entry, environment));
  return present === stableJson(definition) || present === stableJson(concealed);
}

function addVariable(
  { variables }: SecretsReport,
  server: string,
  name: string,
  environment: Environment,
): void {
  const knownVariable = variables.find((variable) => variable.name === name);
  if (knownVariable) knownVariable.servers.push(server);
  else
    variables.push({
      name,
      servers: [server],
      description: null,
      isSecret: true,
      isSet: (environment[name] ?? "") !== "",
    });
}
