import { isObject, type UnknownObject } from "../../model/json.ts";
import { isManifestEntry } from "./manifest-entry.ts";
import type { Reading } from "./reading.ts";
import { isServer, readServer } from "./server.ts";
import { readToolEntry } from "./tool-entries.ts";

const wrappers = ["mcpServers", "servers", "providers"];
const serverKeys = ["command", "url", "args", "env", "cwd", "transport", "headers", "auth_type"];

/** Files without any wrapper: the top level is a map of servers, or of tools, by name. Tells what it took. */
export function readByName(reading: Reading, data: UnknownObject, sections: readonly string[]): string[] {
  const isMap = isFlatMap(data, sections);
  const entries = Object.entries(data).filter(([name]) => !wrappers.includes(name));
  const servers = entries.filter(([name, entry]) => {
    if (isServer(entry)) return true;
    return isMap && !sections.includes(name) && isObject(entry) && !isManifestEntry(entry, name);
  });
  const tools = entries.filter(([name, entry]) => {
    return !sections.includes(name) && !isServer(entry) && isManifestEntry(entry, name);
  });
  for (const [name, entry] of servers) readServer(reading, name, entry, [name]);
  for (const [name, entry] of tools) {
    readToolEntry(reading, entry, [name], { fallbackName: name, tellsAssumed: true });
  }
  return [...servers, ...tools].map(([name]) => name);
}

/** Then even what does not look like a server is meant to be one, and the validation says what it lacks. */
function isFlatMap(data: UnknownObject, sections: readonly string[]): boolean {
  if (wrappers.some((wrapper) => data[wrapper] !== undefined)) return false;
  return Object.entries(data).some(
    ([name, entry]) =>
      !sections.includes(name) && isObject(entry) && serverKeys.some((key) => Object.hasOwn(entry, key)),
  );
}
