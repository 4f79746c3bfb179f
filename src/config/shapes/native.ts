import { isObject, objectOrEmpty, type Path, type UnknownObject } from "../../model/json.ts";
import { sectionTrees } from "./normal-form.ts";
import { isName, type Reading, readTree, type Shape } from "./reading.ts";
import { readServer } from "./server.ts";

const wrappers = ["mcpServers", "servers"];

/** Options of a client that stand at the top of a file, where our own are in `lazy`. */
const lazyOptions = ["alwaysLoadTools", "summaryDescriptionLimit", "maxToolsPerSearch"];
const serverOptions = { autoConnect: "autoConnect", requestTimeout: "timeoutMs" } as const;
const clientOptions = ["lazyLoading", ...lazyOptions, ...Object.keys(serverOptions)];

function readClientOptions(reading: Reading, data: UnknownObject): void {
  const { lazyLoading } = data;
  if (typeof lazyLoading === "boolean")
    reading.set(["lazy", "mode"], lazyLoading ? "always" : "never", ["lazyLoading"]);
  else if (lazyLoading !== undefined) reading.fail(["lazyLoading"], "must be true or false");
  for (const key of lazyOptions)
    if (data[key] !== undefined) reading.set(["lazy", key], data[key], [key]);
  for (const [key, ownKey] of Object.entries(serverOptions))
    if (data[key] !== undefined)
      reading.warn([key], `'${key}' is set for each server`, `Write '${ownKey}' in its entry.`);
}

/** `mcpServers` or `servers` and the sections of our own configuration. */
export const native: Shape = {
  keys: [...wrappers, ...clientOptions, ...Object.keys(sectionTrees)],
  read(reading, data) {
    readClientOptions(reading, data);
    for (const wrapper of wrappers) readServers(reading, data[wrapper], [wrapper]);
    for (const [section, tree] of Object.entries(sectionTrees)) {
      const value = data[section] ?? undefined;
      if (value === undefined) continue;
      if (section === "hooks" && isObject(value)) readHooks(reading, value);
      else if (isObject(value) || Object.keys(tree).length === 0) {
        readTree(reading, tree, value, [section], [section]);
      } else reading.fail([section], "must be an object");
    }
  },
};

/** What others call an event. */
const eventAliases: Readonly<Record<string, string>> = { PreLlmCall: "BeforeModel" };

/** Any event is let through, so that a misspelt one is an error and no hook is silently left out. */
function readHooks(reading: Reading, hooks: UnknownObject): void {
  for (const [eventName, commands] of Object.entries(hooks)) {
    const event = Object.hasOwn(eventAliases, eventName)
      ? (eventAliases[eventName] ?? eventName)
      : eventName;
    const source = ["hooks", eventName];
    reading.define(["hooks", event], source, () => reading.set(["hooks", event], commands, source));
  }
}

function readServers(reading: Reading, servers: unknown, source: Path): void {
  if (Array.isArray(servers)) return readServerList(reading, servers, source);
  if (isObject(servers)) return readServerMap(reading, servers, source);
  if ((servers ?? null) !== null) reading.fail(source, "must be an object of servers by name");
}

export function readServerMap(reading: Reading, servers: UnknownObject, source: Path): void {
  for (const [name, entry] of Object.entries(servers))
    readServer(reading, name, entry, [...source, name]);
}

function readServerList(reading: Reading, servers: readonly unknown[], source: Path): void {
  for (const [index, entry] of servers.entries()) {
    const entrySource = [...source, index];
    const { name, ...fields } = objectOrEmpty(entry);
    if (isName(name)) readServer(reading, name, fields, entrySource);
    else reading.fail(entrySource, "a server in a list needs a 'name'");
  }
}
