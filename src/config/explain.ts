import { nearest } from "../lib/text/nearest.ts";
import type { Config } from "../model/config/config.ts";
import type { Explanation } from "../model/config/setup.ts";
import { PlaneError } from "../model/errors.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  type Path,
  renderPath,
} from "../model/json.ts";
import { defaultTimeoutMs } from "../model/servers/server.ts";
import type { Merged } from "./merge-settings.ts";
import { configSchema } from "./schemas.ts";
import { maskSecrets } from "./secrets/mask.ts";

/** Every value at or below a key, with where it was read. `git.timeout` finds `servers.git.timeoutMs`. */
export function explain(requestedKey: string, merged: Merged, config: Config): Explanation[] {
  const key = requestedKey.replace(/^mcpServers(?=\.|$)/, "servers");
  const namedSettings = merged.settings.map((setting) => ({
    name: renderPath(setting.path),
    setting,
  }));
  const isAtOrBelow = (name: string) => name === key || name.startsWith(`${key}.`);
  const [matching = []] = [
    namedSettings.filter(({ name }) => isAtOrBelow(name)),
    namedSettings.filter(({ name }) => isAtOrBelow(withoutSection(name))),
    namedSettings.filter(
      ({ name, setting }) =>
        withoutSection(name).startsWith(key) || setting.origin.path.endsWith(`.${key}`),
    ),
  ].filter((settings) => settings.length > 0);
  const values = matching.map(({ name, setting: { path, value, origin } }) => ({
    key: name,
    value: maskSecrets(value, path),
    origin,
  }));
  const explained = [...values, ...explainRules(key, merged)];
  if (explained.length > 0) return explained;
  const names = namedSettings.map(({ name }) => name);
  return [
    explainDefault(key, config, merged) ?? explainUnset(key, config) ?? unknownKey(key, names),
  ];
}

/** One rule by the number that a verdict names, or by the key that made it. */
function explainRules(key: string, { settings }: Merged): Explanation[] {
  const ruleKey = key.replace(/\.(\d+)$/, "[$1]");
  let number = 0;
  return settings
    .filter(({ path }) => renderPath(path) === "policy.rules")
    .flatMap(({ path, value, originInside, origin }) =>
      listOrEmpty(value).flatMap((rule, index) => {
        const { from } = objectOrEmpty(rule);
        const source = typeof from === "string" ? from.replace(/^mcpServers\./, "servers.") : null;
        const name = source ?? `policy.rules[${number++}]`;
        if (name !== ruleKey && !(source !== null && isFromKey(source, ruleKey))) return [];
        return {
          key: name,
          value: maskSecrets(rule, [...path, index]),
          origin: originInside?.([index]) ?? origin,
        };
      }),
    );
}

/** With or without the section in front. */
function isFromKey(source: string, key: string): boolean {
  return [source, withoutSection(source)].some(
    (name) => name === key || name.startsWith(`${key}[`) || name.startsWith(`${key}.`),
  );
}

function explainDefault(key: string, config: Config, merged: Merged): Explanation | undefined {
  for (const [path, value] of valuesIn(config, [])) {
    const name = renderPath(path);
    if (name !== key && withoutSection(name) !== key) continue;
    const origin = originForAll(path, merged) ?? { file: "default", line: null, path: name };
    return { key: name, value: maskSecrets(value, path), origin };
  }
  return undefined;
}

function originForAll([section, , key, ...inner]: Path, { originOf, settings }: Merged) {
  const isShared = section === "servers" && (key === "env" || key === "inheritEnv");
  const isWritten = settings.some(
    ({ path }) => path[0] === key && (inner.length === 0 || path[1] === inner[0]),
  );
  if (isShared && isWritten) return originOf([key, ...inner]);
  return undefined;
}

/** Defaults that are applied where they are used. */
const laterDefaults: Readonly<Record<string, Json>> = { "mcpServers.timeoutMs": defaultTimeoutMs };

/** A key that the schema knows and that has no value of its own. */
function explainUnset(key: string, config: Config): Explanation | undefined {
  const server = [...Object.keys(config.servers), ...Object.keys(config.broken)].find(
    (name) => key.startsWith(`servers.${name}.`) || key.startsWith(`${name}.`),
  );
  if (server !== undefined) {
    const keyInServer = key.slice(key.indexOf(`${server}.`) + server.length + 1);
    const path = ["mcpServers", server, ...keyInServer.split(".")];
    return defaultOfSchema(`servers.${server}.${keyInServer}`, path, `mcpServers.${keyInServer}`);
  }
  const path = key.split(".");
  if (path[0] === "mcpServers") return undefined;
  return defaultOfSchema(key, path, key);
}

function defaultOfSchema(
  key: string,
  path: readonly string[],
  schemaKey: string,
): Explanation | undefined {
  const schema = keyIn(configSchema(), path);
  if (schema === undefined) return undefined;
  const value = schema.default ?? laterDefaults[schemaKey] ?? null;
  return { key, value: value as Json, origin: { file: "default", line: null, path: key } };
}

function keyIn(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  const [key, ...innerPath] = path;
  if (key === undefined) return schema;
  const { properties, additionalProperties, anyOf } = schema;
  const isProperty = isObject(properties) && Object.hasOwn(properties, key);
  const inner = isProperty ? properties[key] : additionalProperties;
  if (isObject(inner)) return keyIn(inner as JsonObject, innerPath);
  const alternatives = listOrEmpty(anyOf).filter(isObject) as JsonObject[];
  return alternatives
    .map((alternative) => keyIn(alternative, path))
    .find((keySchema) => keySchema !== undefined);
}

function* valuesIn(value: unknown, path: Path): Generator<[Path, unknown]> {
  for (const [key, inner] of Object.entries(objectOrEmpty(value))) {
    yield [[...path, key], inner];
    yield* valuesIn(inner, [...path, key]);
  }
}

function withoutSection(path: string): string {
  return path.slice(path.indexOf(".") + 1);
}

function unknownKey(key: string, names: readonly string[]): never {
  const near = nearest(key, [...names, ...names.map(withoutSection)], 2);
  const hint =
    near.length === 0
      ? "'toolplane config show' prints everything."
      : `Did you mean ${near.map((name) => `'${name}'`).join(" or ")}?`;
  throw new PlaneError("NOT_FOUND", `Nothing in the configuration is called '${key}'. ${hint}`);
}
