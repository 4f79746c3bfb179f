import { nearest } from "../lib/text/nearest.ts";
import type { Config } from "../model/config/config.ts";
import type { Explanation } from "../model/config/setup.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type Json, type JsonObject, type Path, renderPath } from "../model/json.ts";
import { defaultTimeoutMs } from "../model/servers/server.ts";
import type { Merged } from "./merge-settings.ts";
import { configSchema } from "./schemas.ts";
import { maskSecrets } from "./secrets/mask.ts";

/** Every value at or below a key, with where it was read. `git.timeout` finds `servers.git.timeoutMs`. */
export function explain(asked: string, merged: Merged, config: Config): Explanation[] {
  const key = asked.replace(/^mcpServers(?=\.|$)/, "servers");
  const named = merged.settings.map((setting) => ({ name: renderPath(setting.path), setting }));
  const isAtOrBelow = (name: string) => name === key || name.startsWith(`${key}.`);
  const [found = []] = [
    named.filter(({ name }) => isAtOrBelow(name)),
    named.filter(({ name }) => isAtOrBelow(withoutSection(name))),
    named.filter(
      ({ name, setting }) =>
        withoutSection(name).startsWith(key) || setting.origin.path.endsWith(`.${key}`),
    ),
  ].filter((matches) => matches.length > 0);
  const values = found.map(({ name, setting: { path, value, origin } }) => ({
    key: name,
    value: maskSecrets(value, path),
    origin,
  }));
  const explained = [...values, ...explainRules(key, merged)];
  if (explained.length > 0) return explained;
  const known = named.map(({ name }) => name);
  return [
    explainDefault(key, config, merged) ?? explainUnset(key, config) ?? unknownKey(key, known),
  ];
}

/** One rule by the number that a verdict names, or by the key that made it. */
function explainRules(key: string, { settings }: Merged): Explanation[] {
  const asked = key.replace(/\.(\d+)$/, "[$1]");
  let number = 0;
  return settings
    .filter(({ path }) => renderPath(path) === "policy.rules")
    .flatMap(({ path, value, originInside, origin }) =>
      (Array.isArray(value) ? value : []).flatMap((rule, at) => {
        const { from } = isObject(rule) ? rule : {};
        const name =
          typeof from === "string"
            ? from.replace(/^mcpServers\./, "servers.")
            : `policy.rules[${number++}]`;
        const isMeant =
          name === asked ||
          (typeof from === "string" &&
            [name, withoutSection(name)].some(
              (one) => one === asked || one.startsWith(`${asked}[`) || one.startsWith(`${asked}.`),
            ));
        return isMeant
          ? [
              {
                key: name,
                value: maskSecrets(rule, [...path, at]),
                origin: originInside?.([at]) ?? origin,
              },
            ]
          : [];
      }),
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
  const isSaid = settings.some(
    ({ path }) => path[0] === key && (inner.length === 0 || path[1] === inner[0]),
  );
  return isShared && isSaid ? originOf([key, ...inner]) : undefined;
}

/** Defaults that are applied where they are used. */
const laterDefaults: Readonly<Record<string, Json>> = { "mcpServers.timeoutMs": defaultTimeoutMs };

/** A key that the schema knows and that has no value of its own. */
function explainUnset(key: string, config: Config): Explanation | undefined {
  const server = [...Object.keys(config.servers), ...Object.keys(config.broken)].find(
    (name) => key.startsWith(`servers.${name}.`) || key.startsWith(`${name}.`),
  );
  const inside =
    server === undefined ? key : key.slice(key.indexOf(`${server}.`) + server.length + 1);
  const path = inside.split(".");
  const found = keyIn(
    configSchema(),
    server === undefined ? path : ["mcpServers", server, ...path],
  );
  if (found === undefined || (server === undefined && path[0] === "mcpServers")) return undefined;
  const name = server === undefined ? key : `servers.${server}.${inside}`;
  const value =
    found.default ?? laterDefaults[server === undefined ? key : `mcpServers.${inside}`] ?? null;
  return { key: name, value: value as Json, origin: { file: "default", line: null, path: name } };
}

function keyIn(schema: JsonObject, [part, ...rest]: readonly string[]): JsonObject | undefined {
  if (part === undefined) return schema;
  const { properties, additionalProperties, anyOf } = schema;
  const inner =
    isObject(properties) && Object.hasOwn(properties, part)
      ? properties[part]
      : additionalProperties;
  if (isObject(inner)) return keyIn(inner as JsonObject, rest);
  const others = (Array.isArray(anyOf) ? anyOf : []).filter(isObject) as JsonObject[];
  return others.map((one) => keyIn(one, [part, ...rest])).find((found) => found !== undefined);
}

function* valuesIn(value: unknown, path: Path): Generator<[Path, unknown]> {
  for (const [key, inner] of Object.entries(isObject(value) ? value : {})) {
    yield [[...path, key], inner];
    yield* valuesIn(inner, [...path, key]);
  }
}

function withoutSection(path: string): string {
  return path.slice(path.indexOf(".") + 1);
}

function unknownKey(key: string, known: readonly string[]): never {
  const near = nearest(key, [...known, ...known.map(withoutSection)], 2);
  const hint =
    near.length === 0
      ? "'toolplane config show' prints everything."
      : `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}?`;
  throw new PlaneError("NOT_FOUND", `Nothing in the configuration is called '${key}'. ${hint}`);
}
