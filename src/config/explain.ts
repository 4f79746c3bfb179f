import { nearest } from "../lib/nearest.ts";
import type { Config } from "../model/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { Json } from "../model/json.ts";
import type { Explanation } from "../model/setup.ts";
import type { Merged } from "./merge-settings.ts";
import { maskSecrets } from "./secrets/mask.ts";

/** Every value at or below a key, with where it was read. `git.timeout` finds `servers.git.timeoutMs`. */
export function explain(asked: string, merged: Merged, config: Config): Explanation[] {
  const origins = merged.origins();
  const key = asked.replace(/^mcpServers(?=\.|$)/, "servers");
  const known = [...origins.keys()];
  const [found = []] = [
    known.filter((path) => path === key || path.startsWith(`${key}.`)),
    known.filter((path) => withoutSection(path) === key || withoutSection(path).startsWith(`${key}.`)),
    known.filter(
      (path) => withoutSection(path).startsWith(key) || origins.get(path)?.path.endsWith(`.${key}`),
    ),
  ].filter((paths) => paths.length > 0);
  if (found.length === 0) return [explainDefault(key, config) ?? unknownKey(key, known)];
  const masked = maskSecrets(merged.values);
  return found.map((path) => ({
    key: path,
    value: valueAt(masked, path),
    origin: origins.get(path) ?? { file: "", line: null, path: "" },
  }));
}

/** A value that nobody wrote and that is in force all the same. */
function explainDefault(key: string, config: Config): Explanation | undefined {
  for (const path of [key, `servers.${key}`]) {
    const value = valueAt(maskSecrets(config), path);
    if (value !== null) return { key: path, value, origin: { file: "default", line: null, path } };
  }
  return undefined;
}

function withoutSection(path: string): string {
  return path.slice(path.indexOf(".") + 1);
}

function valueAt(values: unknown, path: string): Json {
  const parts = path.split(/\.|\[(\d+)\]/).filter((part) => part !== undefined && part !== "");
  // Names may hold dots themselves, so the longest key that exists is taken each time.
  let inner: unknown = values;
  for (let at = 0; at < parts.length; ) {
    let taken = parts.length - at;
    while (taken > 1 && !hasKey(inner, parts.slice(at, at + taken).join("."))) taken--;
    inner = (inner as Record<string, unknown> | undefined)?.[parts.slice(at, at + taken).join(".")];
    at += taken;
  }
  return (inner ?? null) as Json;
}

function hasKey(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

function unknownKey(key: string, known: readonly string[]): never {
  const near = nearest(key, [...known, ...known.map(withoutSection)], 2);
  const hint =
    near.length === 0 ? "'toolplane config show' prints everything" : `Did you mean ${near.join(" or ")}`;
  throw new PlaneError("NOT_FOUND", `Nothing in the configuration is called '${key}'. ${hint}.`);
}
