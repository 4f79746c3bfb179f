import { PlaneError } from "../../model/errors.ts";
import {
  isObject,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  type Path,
} from "../../model/json.ts";
import { readData, removeFromFile, setInFile } from "./edit-file.ts";
import { withLock } from "./write-file.ts";

type ToolsetEntry = { name: string; path: Path; entry: JsonObject };

/** The toolsets of a file: those of `toolsets` by name, and those of the list `tool_configs`. */
function toolsetsIn(file: string): ToolsetEntry[] {
  const data = readData(file);
  const { toolsets, tool_configs: toolConfigs } = objectOrEmpty(data);
  const named = Object.entries(objectOrEmpty(toolsets)).flatMap(([name, entry]): ToolsetEntry[] =>
    isObject(entry) ? [{ name, path: ["toolsets", name], entry: entry as JsonObject }] : [],
  );
  const listed = listOrEmpty(toolConfigs).flatMap((toolConfig: unknown, index): ToolsetEntry[] => {
    const { tool_alias: name, ...entry } = objectOrEmpty(toolConfig);
    if (typeof name !== "string") return [];
    return [{ name, path: ["tool_configs", index], entry: entry as JsonObject }];
  });
  return [...named, ...listed];
}

export function readToolsetEntries(file: string): { name: string; entry: JsonObject }[] {
  return toolsetsIn(file).map(({ name, entry }) => ({ name, entry }));
}

/** Replaces a toolset where it stands, or adds it. */
export function putToolsetEntry(file: string, name: string, definition: JsonObject): Promise<void> {
  return withLock(file, () => {
    const path = toolsetsIn(file).find((toolset) => toolset.name === name)?.path ?? [
      "toolsets",
      name,
    ];
    setInFile(
      file,
      path,
      path[0] === "tool_configs" ? { tool_alias: name, ...definition } : definition,
    );
  });
}

export function removeToolsetEntry(file: string, name: string): Promise<void> {
  return withLock(file, () => {
    const toolset = toolsetsIn(file).find((entry) => entry.name === name);
    if (!toolset)
      throw new PlaneError("NOT_FOUND", `No toolset '${name}' in ${file}.`, {
        data: { toolset: name, file },
      });
    removeFromFile(file, toolset.path);
  });
}
