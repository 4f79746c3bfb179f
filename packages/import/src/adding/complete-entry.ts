import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { findReferences, mapTexts, type SetupPlace } from "@toolplane/core/config/editing";
import { hasMembers } from "@toolplane/core/lib/json/plain-data";
import { isObject, type JsonObject, type UnknownObject } from "@toolplane/core/model/json";
import { packageLauncher } from "@toolplane/core/model/servers/package-launcher";
import { type EntryInput, type InputValues, missingInputs } from "./inputs.ts";

/** With the variables and headers that a person gave beside it. */
export function withAdditions(
  entry: JsonObject,
  additions: Record<"env" | "headers", Readonly<Record<string, string>>>,
): JsonObject {
  const joined: UnknownObject = { ...entry };
  for (const [key, added] of Object.entries(additions)) {
    const previous = entry[key];
    if (hasMembers(added)) joined[key] = isObject(previous) ? { ...previous, ...added } : added;
  }
  return joined as JsonObject;
}

/** Variables that the entry refers to, and fields that nothing fills in yet. */
export function openNeeds(
  { entry, values: pasted }: { entry: JsonObject; values: Record<string, string> },
  inputs: readonly EntryInput[],
  values: InputValues,
  environment: SetupPlace["environment"],
) {
  const names = new Set<string>();
  mapTexts(entry, (text) => {
    for (const { kind, name, fallback } of findReferences(text))
      if (kind === "env" && fallback === null) names.add(name);
    return text;
  });
  const isSet = (name: string) => (environment[name] ?? "") !== "";
  const inputFor = (name: string) => inputs.find(({ key }) => key === name);
  const asInput = (key: string): EntryInput =>
    inputFor(key) ?? { key, isRequired: true, isSecret: true };
  const unset = [...names].filter(
    (name) => !isSet(name) && values[name] === undefined && pasted[name] === undefined,
  );
  return {
    variables: [...names].map((name) => ({
      name,
      description: inputFor(name)?.description ?? null,
      isSet: isSet(name),
    })),
    others: [...names].filter((name) => inputFor(name) === undefined && !isSet(name)).map(asInput),
    missing: [...missingInputs(inputs, values, environment), ...unset.map(asInput)],
  };
}

/** Relative paths among its arguments hold wherever the plane is started. */
export function locateEntry(entry: JsonObject, file: string, directory: string): JsonObject {
  const { command, args, cwd, openapi } = entry;
  const isHere = dirname(file) === directory;
  const isRelative = (path: unknown) =>
    typeof path === "string" &&
    /^\.{1,2}($|[\\/])/.test(path) &&
    existsSync(resolve(directory, path));
  const usesPaths =
    typeof command === "string" &&
    Array.isArray(args) &&
    args.some(isRelative) &&
    cwd === undefined;
  const located: JsonObject = { ...entry };
  const absolute = (path: unknown) => resolve(directory, String(path));
  if (isRelative(command) && !isHere) located.command = absolute(command);
  if (isRelative(openapi) && !isHere) located.openapi = absolute(openapi);
  if (!usesPaths) return located;
  if (isHere) return { ...located, cwd: "." };
  // What fetches packages would look for them there.
  const fetches = packageLauncher({ command, args: args.map(String) }) !== null;
  if (!fetches) return { ...located, cwd: directory };
  return { ...located, args: args.map((path) => (isRelative(path) ? absolute(path) : path)) };
}
