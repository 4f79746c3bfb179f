import { dirname, resolve } from "node:path";
import { type Config, type ConfigProblem, renderProblems } from "../model/config.ts";
import type { ConfigInput } from "../model/config-input.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import { renderPath } from "../model/path.ts";
import { checkAccess } from "./check-access.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkPolicy } from "./check-policy.ts";
import { checkServer, checkValues } from "./check-values.ts";
import { withoutOwnEntry } from "./clients/is-ourselves.ts";
import { loadManifests } from "./load-manifests.ts";
import { type Merged, mergeSettings } from "./merge-settings.ts";
import type { Report } from "./parse-value.ts";
import type { Environment } from "./secrets/expand-environment.ts";
import { usedVariables } from "./secrets/used-variables.ts";
import type { ConfigDocument, Setting } from "./setting.ts";
import { settingsFromEnvironment } from "./shapes/environment-settings.ts";
import { readShapes } from "./shapes/read-shapes.ts";
import { readDocument } from "./text/read-document.ts";

/** What is no file is judged by what is in it, whatever the compiler let through. */
export type ConfigSource = string | readonly string[] | ConfigInput | UnknownObject;

export type LoadedConfig = {
  config: Config;
  merged: Merged;
  /** The variables it refers to, with what they hold: not to be shown. */
  variables: ReadonlyMap<string, string>;
  /** Where the file stands that defines a server; its references to files start there. */
  directoryOf(server: string): string;
  /** Everything it is read from, as it is now: a new manifest is among it. */
  sources(): string[];
};

/** Reads everything and reports everything; throws only when nothing could be read at all. */
export async function loadConfig(source: ConfigSource, environment: Environment): Promise<LoadedConfig> {
  const layers: Setting[][] = [];
  const files: string[] = [];
  const found: ConfigProblem[] = [];
  for (const { document, problems } of await readSource(source)) {
    found.push(...problems);
    if (document === null) continue;
    const shapes = readShapes(withoutOwnEntry(document));
    found.push(...shapes.problems);
    layers.push(shapes.settings);
    files.push(document.file);
  }
  const fromEnvironment = settingsFromEnvironment(environment);
  if (files.length === 0 && (found.length > 0 || fromEnvironment.settings.length === 0))
    throw new PlaneError("CONFIG_INVALID", renderProblems(found), { data: { problems: found } });
  found.push(...fromEnvironment.problems);
  const merged = mergeSettings(layers, fromEnvironment.settings);
  const { problems, ...values } = checkValues(merged, environment);
  const fromFiles = await loadManifests(values, merged, files, environment);
  const config = {
    ...values,
    files,
    fromManifests: fromFiles.manifests,
    problems: [
      ...found,
      ...problems,
      ...(await checkPolicy(values.policy, merged)),
      ...checkAccess(values, merged),
      ...(await checkHooks(values.hooks, merged)),
      ...fromFiles.problems,
    ],
  };
  const said = [merged.values, fromFiles.manifests.tools.map(({ providers }) => providers)];
  const directoryOf = (server: string) => dirname(merged.originOf(["servers", server])?.file ?? "");
  const sources = () => [...files, ...fromFiles.files()];
  return { config, merged, variables: usedVariables(said, environment), directoryOf, sources };
}

/** A rule, a hook, a budget or what is said about arguments that is not understood must not be left out, so a plane does not start with one. */
export function requireSafe({ problems }: Config): void {
  const unsafe = problems.filter(
    // A manifest has keys of these names too, and a tool that is left out is safe.
    ({ path, key = path, severity, owner }) =>
      severity === "error" &&
      owner === undefined &&
      /^(policy|hooks|auth|users|personas|compliance|budgets|inject|overlays|store|vaultKey)\b/.test(key),
  );
  if (unsafe.length > 0)
    throw new PlaneError("CONFIG_INVALID", renderProblems(unsafe), { data: { problems: unsafe } });
}

/** What is wrong with a server as a file would hold it. A variable that is not set yet may be set later. */
export function checkServerEntry(name: string, entry: UnknownObject, environment: Environment): string[] {
  const data = { mcpServers: { [name]: entry } };
  const { settings, problems } = readShapes({ file: "", data, lineOf: () => null });
  const found = problems
    .filter(({ severity }) => severity === "error")
    .map(({ path, message, hint }) => ({ path: path.slice(`mcpServers.${name}.`.length), message, hint }));
  const { servers } = mergeSettings([settings]).values;
  const report: Report = (path, message, hint = null) =>
    found.push({ path: renderPath(path.slice(2)), message, hint });
  checkServer(name, isObject(servers) ? servers[name] : undefined, environment, report, () => undefined);
  return found.map(({ path, message, hint }) =>
    [path === "" ? message : `'${path}' ${message}`, hint].filter((part) => part !== null).join(". "),
  );
}

type Read = { document: ConfigDocument | null; problems: ConfigProblem[] };

async function readSource(source: ConfigSource): Promise<Read[]> {
  if (typeof source === "string") return [await readDocument(resolve(source))];
  if (!Array.isArray(source)) {
    return [{ document: { file: "(given)", data: source, lineOf: () => null }, problems: [] }];
  }
  const files: readonly string[] = source;
  return Promise.all(files.map((file) => readDocument(resolve(file))));
}
