import { parseJson, type SetupPlace } from "@toolplane/core/config/editing";
import { spell } from "@toolplane/core/lib/text/spell";
import { PlaneError } from "@toolplane/core/model/errors";
import {
  isObject,
  type JsonObject,
  listOrEmpty,
  stringOrNull,
  type UnknownObject,
} from "@toolplane/core/model/json";
import { inputsOf } from "../clients/import-clients.ts";
import { translateEntry } from "../clients/translate-entry.ts";
import { withoutEmpty } from "../without-empty.ts";
import { nameFromCommand, nameFromUrl } from "./names.ts";

/** An entry that was written out, with the name it had there. */
export type WrittenServer = { name: string | null; entry: JsonObject };

/** A command line, with the variables that stand before it in a shell. */
export function entryOfCommand(argv: readonly string[]): WrittenServer {
  const programIndex = argv.findIndex((argument) => !/^[A-Za-z_]\w*=/.test(argument));
  const [program = "", ...args] = programIndex < 0 ? [] : argv.slice(programIndex);
  if (program === "") throw new PlaneError("USAGE", "There is no command behind the variables.");
  const env = Object.fromEntries(argv.slice(0, programIndex).map((pair) => splitPair(pair, "=")));
  const isNpx = /(^|[\\/])npx(\.cmd)?$/i.test(program);
  const isAsking =
    isNpx &&
    !args.some((argument) => argument === "-y" || argument === "--yes" || argument === "--no");
  const launchArgs = isAsking ? ["-y", ...args] : args;
  return {
    name: nameFromCommand([program, ...args]),
    entry: withoutEmpty({ command: program, args: launchArgs, env }),
  };
}

function splitPair(pair: string, sign: "=" | ":"): [string, string] {
  const signIndex = pair.indexOf(sign);
  const content = pair.slice(signIndex + 1);
  return [pair.slice(0, signIndex).trim(), sign === ":" ? content.trim() : content];
}

/** `claude mcp add`, and what `gemini` and `codex` made of it; null for other words. */
export function entryOfClientCommand(
  argv: readonly string[],
  setup: SetupPlace,
): WrittenServer | null {
  const [program = "", noun, verb, ...verbArguments] = argv;
  if (!/^(claude|gemini|codex|qwen)$/.test(program) || noun !== "mcp") return null;
  if (verb === "add-json") {
    const [name = "", text = ""] = verbArguments.filter(
      (argument, index) =>
        !/^(-s|--scope)$/.test(argument) && !/^(-s|--scope)$/.test(verbArguments[index - 1] ?? ""),
    );
    const [server] = entriesOfJson(text, setup);
    return server ? { name, entry: server.entry } : null;
  }
  if (verb === "add") return readAdd(verbArguments, `${program} mcp add`);
  return null;
}

const withoutValue = new Set(["--client-secret", "--trust", "--no-trust"]);
const longName: Readonly<Record<string, string>> = {
  "-e": "--env",
  "-H": "--header",
  "-t": "--transport",
  "-s": "--scope",
};

const isAddress = (text = "") => /^https?:\/\//i.test(text);

/** Options may stand before the name and behind it, until the command begins. */
function readAdd(argv: readonly string[], commandName: string): WrittenServer {
  const env: Record<string, string> = {};
  const headers: Record<string, string> = {};
  let transport: string | undefined;
  let url: string | undefined;
  const positionals: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] as string;
    // Behind a URL there are only options.
    if (argument === "--" || (positionals.length > 1 && !isAddress(positionals[1]))) {
      positionals.push(...argv.slice(argument === "--" ? index + 1 : index));
      break;
    }
    if (!argument.startsWith("-")) {
      positionals.push(argument);
      continue;
    }
    const [, option = argument, attached] = /^(--?[\w-]+)=(.*)$/s.exec(argument) ?? [];
    const name = longName[option] ?? option;
    if (withoutValue.has(name)) continue;
    const optionValue = attached ?? argv[++index] ?? "";
    if (name === "--env") {
      // `-e A=1 B=2` is one option with several values.
      const pairs = [optionValue];
      while (/^[A-Z_][A-Z0-9_]*=/.test(argv[index + 1] ?? "")) pairs.push(argv[++index] ?? "");
      Object.assign(env, Object.fromEntries(pairs.map((pair) => splitPair(pair, "="))));
    }
    if (name === "--header") {
      const [header, content] = splitPair(optionValue, ":");
      headers[header] = content;
    } else if (name === "--transport") transport = optionValue;
    else if (name === "--url") url = optionValue;
  }
  const [name = "", target = url, ...args] = positionals;
  if (name === "" || target === undefined)
    throw new PlaneError("USAGE", `'${commandName}' needs a name and a command or URL behind it.`);
  if (!isAddress(target)) return { name, entry: withoutEmpty({ command: target, args, env }) };
  const entry: JsonObject = { url: target };
  if (transport === "sse") entry.transport = transport;
  return { name, entry: { ...entry, ...withoutEmpty({ headers }) } };
}

const serverPaths: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp", "servers"],
  ["mcp.servers"],
  ["context_servers"],
  ["mcp"],
];

/** The servers in a text of JSON: a whole file, one of its parts, or one entry alone. */
export function entriesOfJson(text: string, setup: SetupPlace): WrittenServer[] {
  // A part is often copied with its name and without the braces around it.
  const json = /^\s*"/.test(text) ? `{${text.trim().replace(/,\s*$/, "")}}` : text;
  const { document, problems } = parseJson("the text", json);
  if (document === null) {
    const [first] = problems;
    if (first === undefined) throw new PlaneError("USAGE", "The pasted text is empty.");
    const { line, column, message, hint } = first;
    throw new PlaneError(
      "USAGE",
      `The pasted text, line ${line}, column ${column}: ${message}. ${hint}`,
    );
  }
  const servers = entriesOfData(document.data, setup);
  if (servers.length > 0) return servers;
  throw new PlaneError(
    "USAGE",
    "The JSON names no server. It needs 'mcpServers', or an entry with 'command' or 'url'.",
  );
}

export function entriesOfData(data: unknown, setup: SetupPlace): WrittenServer[] {
  if (!isObject(data)) return [];
  const isEntry = (candidate: unknown): candidate is UnknownObject =>
    isObject(candidate) &&
    ["command", "url", "httpUrl", "serverUrl", "container", "openapi"].some(
      (key) => candidate[key] !== undefined,
    );
  if (isEntry(data)) return [translateWritten(stringOrNull(data.name), data, data, setup)];
  const servers = serverPaths
    .map((path) =>
      path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), data),
    )
    .find((candidate) => isObject(candidate) && Object.values(candidate).some(isEntry));
  const map = isObject(servers) ? servers : data;
  return Object.entries(map).flatMap(([name, entry]) => {
    if (!isEntry(entry)) return [];
    return [translateWritten(name, entry, data, setup)];
  });
}

function translateWritten(
  name: string | null,
  entry: UnknownObject,
  data: unknown,
  setup: SetupPlace,
): WrittenServer {
  // Ours is taken as it is.
  if (entry.container !== undefined || entry.openapi !== undefined)
    return { name, entry: entry as JsonObject };
  const source = {
    client: "vscode",
    where: setup.where,
    workspace: setup.directory,
    inputs: inputsOf(data),
  } as const;
  const translated = translateEntry(entry, source);
  const entryName = name === null ? "The entry" : `'${name}'`;
  if ("reason" in translated)
    throw new PlaneError("USAGE", `${entryName} cannot be taken over: ${translated.reason}.`);
  const { definition } = translated;
  return { name: name ?? ownNameOf(definition), entry: definition };
}

function ownNameOf({ command, url, args }: JsonObject): string {
  if (URL.canParse(spell(url))) return nameFromUrl(new URL(spell(url)));
  return nameFromCommand([command, ...listOrEmpty(args)].map(spell));
}
