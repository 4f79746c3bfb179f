import { isObject, type Path, type UnknownObject } from "../../model/json.ts";
import { sectionTrees } from "./normal-form.ts";
import { isName, type Reading, readTree, type Shape } from "./reading.ts";
import { readServer } from "./server.ts";

const wrappers = ["mcpServers", "servers"];

/** `mcpServers` or `servers` and the sections of our own configuration. */
export const native: Shape = {
  keys: [...wrappers, ...Object.keys(sectionTrees)],
  read(reading, data) {
    for (const wrapper of wrappers) readServers(reading, data[wrapper], [wrapper]);
    for (const [section, tree] of Object.entries(sectionTrees)) {
      const value = data[section] ?? undefined;
      if (value === undefined) continue;
      if (isObject(value) || Object.keys(tree).length === 0) {
        readTree(reading, tree, value, [section], [section]);
      } else reading.fail([section], "must be an object");
    }
  },
};

function readServers(reading: Reading, servers: unknown, source: Path): void {
  if (Array.isArray(servers)) return readServerList(reading, servers, source);
  if (isObject(servers)) return readServerMap(reading, servers, source);
  if ((servers ?? null) !== null) reading.fail(source, "must be an object of servers by name");
}

export function readServerMap(reading: Reading, servers: UnknownObject, source: Path): void {
  for (const [name, entry] of Object.entries(servers)) readServer(reading, name, entry, [...source, name]);
}

function readServerList(reading: Reading, servers: readonly unknown[], source: Path): void {
  for (const [at, entry] of servers.entries()) {
    const place = [...source, at];
    const { name, ...fields } = isObject(entry) ? entry : {};
    if (isName(name)) readServer(reading, name, fields, place);
    else reading.fail(place, "a server in a list needs a 'name'");
  }
}
