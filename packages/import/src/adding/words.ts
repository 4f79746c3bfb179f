import { parseJson, type SetupPlace } from "../../../../src/config/editing.ts";
import { spell } from "../../../../src/lib/text/spell.ts";
import { PlaneError } from "../../../../src/model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../../../src/model/json.ts";
import { inputsOf } from "../clients/import-clients.ts";
import { translateEntry } from "../clients/translate-entry.ts";
import { nameFromCommand, nameFromUrl } from "./names.ts";

/** An entry that was written out, with the name it had there. */
export type WrittenServer = { name: string | null; entry: JsonObject };

/** A command line, with the variables that stand before it in a shell. */
export function entryOfCommand(words: readonly string[]): WrittenServer {
  const at = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [program = "", ...args] = at < 0 ? [] : words.slice(at);
  if (program === "") throw new PlaneError("USAGE", "There is no command behind the variables.");
  const env = Object.fromEntries(words.slice(0, at).map((pair) => splitPair(pair, "=")));
  const isNpx = /(^|[\\/])npx(\.cmd)?$/i.test(program);
  const isAsking =
    isNpx && !args.some((word) => word === "-y" || word === "--yes" || word === "--no");
  const all = isAsking ? ["-y", ...args] : args;
  return {
    name: nameFromCommand([program, ...args]),
    entry: {
      command: program,
      ...(all.length > 0 ? { args: all } : {}),
      ...(Object.keys(env).length > 0 ? { env } : {}),
    },
  };
}

function splitPair(pair: string, sign: "=" | ":"): [string, string] {
  const at = pair.indexOf(sign);
  return [pair.slice(0, at).trim(), sign === ":" ? pair.slice(at + 1).trim() : pair.slice(at + 1)];
}

/** `claude mcp add`, and what `gemini` and `codex` made of it; null for other words. */
export function entryOfClientCommand(
  words: readonly string[],
  place: SetupPlace,
): WrittenServer | null {
  const [program = "", noun, verb, ...rest] = words;
  if (!/^(claude|gemini|codex|qwen)$/.test(program) || noun !== "mcp") return null;
  if (verb === "add-json") {
    const [name = "", text = ""] = rest.filter(
      (word, at) => !/^(-s|--scope)$/.test(word) && !/^(-s|--scope)$/.test(rest[at - 1] ?? ""),
    );
    const [server] = entriesOfJson(text, place);
    return server === undefined ? null : { name, entry: server.entry };
  }
  return verb === "add" ? readAdd(rest, `${program} mcp add`) : null;
}

const withoutValue = new Set(["--client-secret", "--trust", "--no-trust"]);
const longName: Readonly<Record<string, string>> = {
  "-e": "--env",
  "-H": "--header",
  "-t": "--transport",
  "-s": "--scope",
};

const isAddress = (word = "") => /^https?:\/\//i.test(word);

/** Options may stand before the name and behind it, until the command begins. */
function readAdd(words: readonly string[], called: string): WrittenServer {
  const [env, headers]: [Record<string, string>, Record<string, string>] = [{}, {}];
  let transport: string | undefined;
  let url: string | undefined;
  const plain: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    // Behind a URL there are only options.
    if (word === "--" || (plain.length > 1 && !isAddress(plain[1]))) {
      plain.push(...words.slice(word === "--" ? at + 1 : at));
      break;
    }
    if (!word.startsWith("-")) {
      plain.push(word);
      continue;
    }
    const [, option = word, attached] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const name = longName[option] ?? option;
    if (withoutValue.has(name)) continue;
    const value = attached ?? words[++at] ?? "";
    if (name === "--env") {
      // `-e A=1 B=2` is one option with several values.
      const pairs = [value];
      while (/^[A-Z_][A-Z0-9_]*=/.test(words[at + 1] ?? "")) pairs.push(words[++at] ?? "");
      Object.assign(env, Object.fromEntries(pairs.map((pair) => splitPair(pair, "="))));
    }
    if (name === "--header") headers[splitPair(value, ":")[0]] = splitPair(value, ":")[1];
    else if (name === "--transport") transport = value;
    else if (name === "--url") url = value;
  }
  const [name = "", first = url, ...args] = plain;
  if (name === "" || first === undefined)
    throw new PlaneError("USAGE", `'${called}' needs a name and a command or URL behind it.`);
  const isUrl = isAddress(first);
  return {
    name,
    entry: isUrl
      ? { url: first, ...(transport === "sse" ? { transport } : {}), ...given("headers", headers) }
      : { command: first, ...(args.length > 0 ? { args } : {}), ...given("env", env) },
  };
}

const given = (key: string, map: Record<string, string>): JsonObject =>
  Object.keys(map).length > 0 ? { [key]: map } : {};

const places: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp", "servers"],
  ["mcp.servers"],
  ["context_servers"],
  ["mcp"],
];

/** The servers in a text of JSON: a whole file, one of its parts, or one entry alone. */
export function entriesOfJson(text: string, place: SetupPlace): WrittenServer[] {
  // A part is often copied with its name and without the braces around it.
  const whole = /^\s*"/.test(text) ? `{${text.trim().replace(/,\s*$/, "")}}` : text;
  const { document, problems } = parseJson("the text", whole);
  if (document === null) {
    const [first] = problems;
    if (first === undefined) throw new PlaneError("USAGE", "The pasted text is empty.");
    const { line, column, message, hint } = first;
    throw new PlaneError(
      "USAGE",
      `The pasted text, line ${line}, column ${column}: ${message}. ${hint}`,
    );
  }
  const servers = entriesOfData(document.data, place);
  if (servers.length > 0) return servers;
  throw new PlaneError(
    "USAGE",
    "The JSON names no server. It needs 'mcpServers', or an entry with 'command' or 'url'.",
  );
}

export function entriesOfData(data: unknown, place: SetupPlace): WrittenServer[] {
  if (!isObject(data)) return [];
  const isEntry = (one: unknown): one is UnknownObject =>
    isObject(one) &&
    ["command", "url", "httpUrl", "serverUrl", "container", "openapi"].some(
      (key) => one[key] !== undefined,
    );
  if (isEntry(data))
    return [written(typeof data.name === "string" ? data.name : null, data, data, place)];
  const found = places
    .map((path) =>
      path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), data),
    )
    .find((one) => isObject(one) && Object.values(one).some(isEntry));
  const map = isObject(found) ? found : data;
  return Object.entries(map).flatMap(([name, entry]) =>
    isEntry(entry) ? [written(name, entry, data, place)] : [],
  );
}

function written(
  name: string | null,
  entry: UnknownObject,
  data: unknown,
  place: SetupPlace,
): WrittenServer {
  // Ours is taken as it is.
  if (entry.container !== undefined || entry.openapi !== undefined)
    return { name, entry: entry as JsonObject };
  const source = {
    client: "vscode",
    where: place.where,
    workspace: place.directory,
    inputs: inputsOf(data),
  } as const;
  const translated = translateEntry(entry, source);
  if ("reason" in translated)
    throw new PlaneError(
      "USAGE",
      `${name === null ? "The entry" : `'${name}'`} cannot be taken over: ${translated.reason}.`,
    );
  const { definition } = translated;
  const { command, url, args } = definition;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(spell);
  const ownName = URL.canParse(spell(url))
    ? nameFromUrl(new URL(spell(url)))
    : nameFromCommand(words);
  return { name: name ?? ownName, entry: definition };
}
