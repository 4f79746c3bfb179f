import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { show } from "../terminal/output.ts";
import { openSetup } from "./config.ts";

type AddOptions = TextOptions<"url" | "openapi" | "to"> & { env?: string[]; header?: string[] };

export async function addServer(
  cli: Cli,
  name: string,
  args: string[],
  options: AddOptions,
): Promise<void> {
  const [command, ...commandArguments] = args;
  if (name.trim() === "") throw usage("A server needs a name.");
  const { url, openapi } = options;
  if ([command, url, openapi].filter((source) => source !== undefined).length !== 1) {
    throw usage(
      "Give either --url URL, --openapi FILE, or a command after --, as in: servers add files -- npx -y some-server",
    );
  }
  requireUrl(url);
  if (command !== undefined && looksLikeUrl.test(command)) {
    requireUrl(command);
    throw usage(`'${command}' is a URL, not a command: servers add ${name} --url ${command}`);
  }
  const definition: JsonObject = {
    ...withoutUndefined({
      url,
      openapi,
      command,
      args: commandArguments.length > 0 ? commandArguments : undefined,
    }),
    ...pairs("env", options.env),
    ...pairs("headers", options.header),
  };
  const added = await (await openSetup(cli, options)).addServer(name, definition, options.to);
  show(options, added, () => `Added '${name}' to ${added.path}. Try it: toolplane doctor ${name}`);
}

/** `key=value` sets, `key:=json` sets what is no text, `key=` takes away; `env.NAME=value` reaches inside. */
export async function editServer(
  cli: Cli,
  name: string,
  edits: string[],
  options: GlobalOptions,
): Promise<void> {
  const changes = edits.map((edit) => {
    const [, path, isJson, value = ""] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(edit) ?? [];
    if (path === undefined)
      throw usage(`'${edit}' is not key=value. As in: servers edit ${name} timeoutMs=5000`);
    return { path: path.split("."), value: readEdited(path, value, isJson === ":") };
  });
  if (changes.length === 0)
    throw usage(`Nothing to change. As in: servers edit ${name} timeoutMs=5000 env.LEVEL=debug`);
  const edited = await (await openSetup(cli, options)).editServer(name, (entry) => {
    for (const { path, value } of changes) setIn(entry, path, value);
    return entry;
  });
  show(options, { name, ...edited }, () => `Changed '${name}' in ${edited.path}.`);
}

function readEdited(path: string, value: string, isJson: boolean): Json | undefined {
  if (value === "" && !isJson) return undefined;
  // Variables and headers are texts, whatever they look like.
  const isPlain =
    !isJson &&
    (/^(env|headers)\./.test(path) || !/^(true|false|null|-?\d+(\.\d+)?|[[{].*)$/s.test(value));
  if (isPlain) return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    throw usage(`'${value}' of '${path}' is not valid JSON.`);
  }
}

function setIn(
  entry: JsonObject,
  [key = "", ...innerPath]: readonly string[],
  value: Json | undefined,
): void {
  if (innerPath.length === 0 && value === undefined) delete entry[key];
  else if (innerPath.length === 0) entry[key] = value as Json;
  else {
    const inner = isObject(entry[key]) ? (entry[key] as JsonObject) : {};
    entry[key] = inner;
    setIn(inner, innerPath, value);
  }
}

export async function removeServer(
  cli: Cli,
  name: string,
  options: GlobalOptions & { to?: string },
): Promise<void> {
  const removed = await (await openSetup(cli, options)).removeServer(name, options.to);
  show(options, removed, () => `Removed '${name}' from ${removed.path}.`);
}

/** A scheme of two letters or more; one letter is a drive of Windows. */
const looksLikeUrl = /^[a-z][a-z0-9+.-]+:\//i;

function requireUrl(url: string | undefined): void {
  if (url === undefined || (/^(https?|wss?):\/\/./i.test(url) && URL.canParse(url))) return;
  throw usage(`'${url}' is not a URL; start it with http:// or https://`);
}

function pairs(key: string, options: readonly string[] = []): JsonObject {
  if (options.length === 0) return {};
  const malformed = options.find((pair) => !/^[^=]+=/.test(pair));
  if (malformed !== undefined) throw usage(`'${malformed}' is not NAME=value.`);
  return {
    [key]: Object.fromEntries(
      options.map((pair) => [pair.split("=")[0] ?? "", pair.slice(pair.indexOf("=") + 1)]),
    ),
  };
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", message);
}
