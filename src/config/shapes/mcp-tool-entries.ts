import { isObject, objectOrEmpty, type Path, type UnknownObject } from "../../model/json.ts";
import {
  describeValue,
  type Field,
  isName,
  listFields,
  pathOfKey,
  type Reading,
  type Setting,
  type Shape,
} from "./reading.ts";
import { readServerFields } from "./server.ts";
import { readToolArguments } from "./tool-entry.ts";

const accessKeys = ["group", "state", "applicable-states"];
const keys = ["type", "name", "description", "mcp-tool", "template", "arguments", ...accessKeys];
const types = ["mcp-tool", "prompt", "text-completion"];

/** The remote names of the tools in the `mcp` group by id; undefined where a file has no such group. */
export type RemoteTools = ReadonlyMap<string, string> | undefined;

/** `mcp`: remote tools by id, and `tool`: what they are called and take here. Entries may be JSON text. */
export const mcpToolEntries: Shape = {
  keys: ["mcp", "tool", "prompt"],
  read(reading, { mcp, tool, prompt }) {
    eachOf(reading, mcp, ["mcp"], readRemoteTool);
    const remote = isObject(mcp) ? remoteTools(mcp) : undefined;
    const templates = objectOrEmpty(prompt);
    const settingsBefore = reading.settings.length;
    eachOf(reading, tool, ["tool"], (_, id, entry, source) =>
      readMcpToolEntry(reading, entry, source, { fallbackName: id, remote, templates }),
    );
    closeUnread(
      reading.settings.slice(0, settingsBefore),
      tool,
      reading.settings.slice(settingsBefore),
    );
  },
};

/** What a left-out entry would have allowed is not known, so its remote tool is not offered as it is. */
function closeUnread(
  servers: readonly Setting[],
  group: unknown,
  readSettings: readonly Setting[],
): void {
  const providers = readSettings
    .filter(({ path }) => path[2] === "providers")
    .flatMap(({ value }) => value as Provider[]);
  const openServers = providers.map(({ config }) => config.server);
  for (const [key, writtenEntry] of Object.entries(objectOrEmpty(group))) {
    const { "mcp-tool": remote } = parseEntry(writtenEntry) ?? {};
    const id = isName(remote) ? remote : key;
    const filter = servers.find(({ path }) => path[1] === id && path[2] === "allow_tools");
    if (filter && !openServers.includes(id)) filter.value = [];
  }
}

type Provider = { config: { server?: string } };

type ReadEntry = (reading: Reading, id: string, entry: UnknownObject, source: Path) => void;

function eachOf(reading: Reading, group: unknown, source: Path, read: ReadEntry): void {
  if ((group ?? null) === null) return;
  if (!isObject(group)) return reading.fail(source, "must be an object of entries by id");
  for (const [id, writtenEntry] of Object.entries(group)) {
    const entry = parseEntry(writtenEntry);
    if (entry) read(reading, id, entry, [...source, id]);
    else reading.fail([...source, id], "must be an object, or one as JSON text");
  }
}

function parseEntry(written: unknown): UnknownObject | undefined {
  if (isObject(written)) return written;
  try {
    const parsed: unknown = typeof written === "string" ? JSON.parse(written) : undefined;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function readRemoteTool(reading: Reading, id: string, entry: UnknownObject, source: Path): void {
  const fields = listFields(entry, source).flatMap((field): Field[] => {
    if (field.key === "url") return [field];
    if (field.key === "auth-token") return [{ ...field, key: "auth_token" }];
    if (field.key !== "remote-name")
      reading.warnUnknownKey(field.source, ["url", "remote-name", "auth-token"]);
    return [];
  });
  // One entry is one remote tool, whatever else its server offers.
  const remote = typeof entry["remote-name"] === "string" ? entry["remote-name"] : id;
  const fixedFields = [
    { key: "transport", value: "http", source },
    { key: "allow_tools", value: [remote], source },
  ];
  readServerFields(reading, id, [...fields, ...fixedFields], source);
}

function remoteTools(group: UnknownObject): RemoteTools {
  return new Map(
    Object.entries(group).map(([id, writtenEntry]) => {
      const name = parseEntry(writtenEntry)?.["remote-name"];
      return [id, isName(name) ? name : id];
    }),
  );
}

type Context = { fallbackName?: string; remote?: RemoteTools; templates?: UnknownObject };

const completionArguments = [
  { name: "question", type: "string", description: "What the model is asked." },
];

/** A prompt by its id in the `prompt` group, or as it stands. */
function templateText(template: string, templates: UnknownObject): string {
  const writtenPrompt = templates[`template.${template}`] ?? templates[template];
  const text = parseEntry(writtenPrompt)?.prompt ?? writtenPrompt;
  return typeof text === "string" ? text : template;
}

/** A prompt that is filled, or a question as it is: both go to the model that is configured. */
function modelProvider({ type, template }: UnknownObject, templates: UnknownObject) {
  const prompt = type === "prompt" ? templateText(String(template), templates) : "{{question}}";
  return { name: "model", priority: 0, config: { prompt } };
}

export function readMcpToolEntry(
  reading: Reading,
  entry: UnknownObject,
  source: Path,
  { fallbackName, remote, templates = {} }: Context,
): void {
  const { type, name = fallbackName, "mcp-tool": id } = entry;
  if (typeof type !== "string" || !types.includes(type))
    return reading.warn(
      source,
      `a tool of type ${describeValue(type)} is left out`,
      `Known are ${types.map((toolType) => `'${toolType}'`).join(", ")}.`,
    );
  if (!isName(name)) return reading.fail(source, "a tool needs a 'name'");
  if (type === "prompt" && !isName(entry.template))
    return reading.fail(source, "a prompt needs a 'template'");
  if (type !== "mcp-tool") {
    warnUnknown(reading, entry, source);
    const provider = modelProvider(entry, templates);
    const modelArguments =
      type === "text-completion" ? (entry.arguments ?? completionArguments) : entry.arguments;
    return define(reading, name, { ...entry, arguments: modelArguments }, source, provider);
  }
  if (!isName(id)) return reading.fail(source, "a tool needs a 'name' and an 'mcp-tool'");
  if (remote && !remote.has(id))
    reading.warn([...source, "mcp-tool"], `there is no '${id}' in the 'mcp' group`);
  warnUnknown(reading, entry, source);
  const provider = {
    name: "mcp",
    priority: 0,
    config: { server: id, tool: remote?.get(id) ?? id },
  };
  define(reading, name, entry, source, provider);
}

function define(
  reading: Reading,
  name: string,
  entry: UnknownObject,
  source: Path,
  provider: object,
): void {
  const path = ["tools", name];
  reading.define(path, source, () => {
    const set = (key: string, value: unknown, from: string) =>
      reading.set([...path, key], value, pathOfKey(from, entry, source));
    set("name", name, "name");
    if (entry.description !== undefined) set("description", entry.description, "description");
    const args = readToolArguments(reading, entry.arguments, [...source, "arguments"]);
    if (args === undefined) set("parameters", { type: "object" }, "arguments");
    else set("arguments", args, "arguments");
    set("side_effects", "network", "type");
    set("providers", [provider], "mcp-tool");
    // Its groups and states would mean nothing if the remote tool stood beside it.
    set("exclusive", true, "mcp-tool");
    for (const key of accessKeys)
      if (entry[key] !== undefined) set(key, toList(key, entry[key]), key);
  });
}

function toList(key: string, value: unknown): unknown {
  if (key !== "state" && typeof value === "string") return [value];
  return value;
}

function warnUnknown(reading: Reading, entry: UnknownObject, source: Path): void {
  for (const field of listFields(entry, source).filter(({ key }) => !keys.includes(key)))
    reading.warnUnknownKey(field.source, keys);
}
