import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject, type Path } from "../../model/json.ts";
import { readData, removeFromFile, setInFile } from "./edit-file.ts";
import { withLock } from "./write-file.ts";

type Found = { name: string; path: Path; entry: JsonObject };

/** The toolsets of a file: those of `toolsets` by name, and those of the list `tool_configs`. */
function toolsetsIn(file: string): Found[] {
  const data = readData(file);
  const { toolsets, tool_configs: listed } = isObject(data) ? data : {};
  const byName = Object.entries(isObject(toolsets) ? toolsets : {}).flatMap(
    ([name, entry]): Found[] =>
      isObject(entry) ? [{ name, path: ["toolsets", name], entry: entry as JsonObject }] : [],
  );
  const inList = (Array.isArray(listed) ? listed : []).flatMap((given: unknown, at): Found[] => {
    const { tool_alias: name, ...entry } = isObject(given) ? given : {};
    return typeof name === "string"
      ? [{ name, path: ["tool_configs", at], entry: entry as JsonObject }]
      : [];
  });
  return [...byName, ...inList];
}

export function readToolsetEntries(file: string): { name: string; entry: JsonObject }[] {
  return toolsetsIn(file).map(({ name, entry }) => ({ name, entry }));
}

/** Replaces a toolset where it stands, or adds it. */
export function putToolsetEntry(file: string, name: string, definition: JsonObject): Promise<void> {
  return withLock(file, () => {
    const path = toolsetsIn(file).find((found) => found.name === name)?.path ?? ["toolsets", name];
    setInFile(
      file,
      path,
      path[0] === "tool_configs" ? { tool_alias: name, ...definition } : definition,
    );
  });
}

export function removeToolsetEntry(file: string, name: string): Promise<void> {
  return withLock(file, () => {
    const found = toolsetsIn(file).find((one) => one.name === name);
    if (!found)
      throw new PlaneError("NOT_FOUND", `No toolset '${name}' in ${file}.`, {
        data: { toolset: name, file },
      });
    removeFromFile(file, found.path);
  });
}
