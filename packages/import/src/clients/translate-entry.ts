import { basename } from "node:path";
import { ownName } from "@toolplane/core/config/editing";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { spell } from "@toolplane/core/lib/text/spell";
import { variableName } from "@toolplane/core/lib/text/variable-name";
import {
  asMatch,
  Foreign,
  foreign,
  type Piece,
  rewriteTexts,
  splitAt,
  writeText,
} from "@toolplane/core/model/foreign";
import {
  isObject,
  type Json,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  stringOrNull,
  type UnknownObject,
} from "@toolplane/core/model/json";
import { transportBySpelling } from "@toolplane/core/model/servers/transports";
import { withoutEmpty } from "../without-empty.ts";
import type { Where } from "./client-files.ts";
import { type ClientName, clientOf } from "./clients.ts";

/** `extra`: what only our own entry can say, in the words of the client. */
export function translateEntry(
  entry: unknown,
  source: EntrySource,
  extra: JsonObject = {},
): ({ definition: JsonObject } & Translated) | { reason: string } {
  const translated: Translated = { changes: new Map(), needed: new Map() };
  try {
    if (!isObject(entry)) throw new TranslationProblem("the entry is not an object");
    for (const [key, reason] of Object.entries(untranslatable)) {
      if (entry[key] !== undefined) throw new TranslationProblem(reason);
    }
    const flat = flattenEntry(entry);
    const secrets = storedSecrets(flat.env_keys, source, translated);
    const written = foreign({
      ...connectionFields(flat, secrets),
      ...commonFields(flat, source.client),
      ...extra,
    });
    const definition = rewriteTexts(written, (text) =>
      translateText(text, source, translated),
    ) as JsonObject;
    return { definition, ...translated };
  } catch (thrown) {
    if (thrown instanceof TranslationProblem) return { reason: thrown.message };
    throw thrown;
  }
}

export function gatewayEntry(
  client: ClientName,
  server: JsonObject,
  isList: boolean,
): JsonObject | null {
  const {
    names = {},
    types = {},
    extra = {},
    isCommandList,
    hasNoUrls,
  } = clientOf(client).dialect ?? {};
  const isRemote = server.url !== undefined;
  if (isRemote && hasNoUrls) return null;
  const type = isRemote ? types.http : types.stdio;
  const launch = isCommandList && !isRemote ? withCommandList(server) : server;
  const renamed = Object.entries(launch).map(([key, value]) => [names[key] ?? key, value]);
  const name = isList ? { name: ownName } : {};
  return { ...name, ...extra, ...withoutUndefined({ type }), ...Object.fromEntries(renamed) };
}

function withCommandList({ args = [], ...otherFields }: JsonObject): JsonObject {
  const launchArgs = listOrEmpty(args) as Json[];
  return { ...otherFields, command: [otherFields.command ?? "", ...launchArgs] };
}

const untranslatable: Readonly<Record<string, string>> = {
  envFile: "it reads its environment from a file (envFile); put the variables into 'env' instead",
  headersHelper: "a command makes its headers (headersHelper)",
};

function flattenEntry(entry: UnknownObject): UnknownObject {
  const { command = entry.cmd, requestOptions } = entry;
  const env = entry.env ?? entry.environment ?? entry.envs;
  const headers = entry.headers ?? (isObject(requestOptions) ? requestOptions.headers : undefined);
  const flat = { ...entry, command, env, headers };
  if (Array.isArray(command)) return { ...flat, command: command[0], args: command.slice(1) };
  // Zed used to keep the whole command line under `command`.
  if (isObject(command))
    return { ...flat, command: command.path, args: command.args, env: command.env };
  return flat;
}

/** goose keeps the values of these in the keychain under names that only it knows. */
function storedSecrets(
  names: unknown,
  { client }: EntrySource,
  translated: Translated,
): JsonObject {
  if (!Array.isArray(names)) return {};
  const variableNames = names.filter((name) => typeof name === "string");
  return Object.fromEntries(
    variableNames.map((name) => {
      const description = `${clientOf(client).title} keeps it in the keychain`;
      return [name, `\${${neededVariable(name, { description, isSecret: true }, translated)}}`];
    }),
  );
}

function connectionFields(entry: UnknownObject, secrets: JsonObject): JsonObject {
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl ?? entry.uri;
  if (typeof entry.command === "string" && entry.command !== "") {
    return withoutEmpty({
      command: entry.command,
      args: nonEmptyList(entry.args),
      env: { ...forwardedVariables(entry.env_vars), ...secrets, ...scalarTexts(entry.env) },
      cwd: nonEmptyText(entry.cwd),
    });
  }
  if (typeof url !== "string") throw new TranslationProblem(unreachedReason(entry));
  if (/^[a-z+.-]+:/i.test(url) && !/^(https?|wss?):/i.test(url))
    throw new TranslationProblem(`its url starts with '${url.split(":")[0]}:' and not with http:`);
  return withoutEmpty({ url, transport: transportOf(entry), headers: headersOf(entry) });
}

function transportOf({ url, httpUrl, type }: UnknownObject): string | undefined {
  if (url === undefined && httpUrl !== undefined) return "http";
  if (type === "stdio") return undefined;
  return transportBySpelling.get(type);
}

function unreachedReason(entry: UnknownObject): string {
  if (entry.source === "extension" || entry.settings !== undefined)
    return "an extension of the client provides it";
  const isBuiltIn = /^(builtin|platform|frontend|inline_python)$/.test(spell(entry.type));
  if (isBuiltIn) return "it is part of the client";
  return "it has neither a command nor a url";
}

/** Codex names the variables that hold secret headers. */
function headersOf(entry: UnknownObject): JsonObject {
  const token = nonEmptyText(entry.bearer_token_env_var);
  const headers = { ...scalarTexts(entry.headers), ...scalarTexts(entry.http_headers) };
  for (const [name, variable] of Object.entries(scalarTexts(entry.env_http_headers)))
    headers[name] = `\${${requireVariable(String(variable))}}`;
  if (token !== undefined) headers.Authorization = `Bearer \${${requireVariable(token)}}`;
  return headers;
}

function requireVariable(name: string): string {
  if (isVariable(name)) return name;
  throw new TranslationProblem(`'${name}' is not a valid variable name`);
}

function commonFields(entry: UnknownObject, client: string): JsonObject {
  const isOff = entry.disabled === true || entry.enabled === false;
  const { timeoutUnitMs = 1, isCommandList } = clientOf(client).dialect ?? {};
  const { startup, request } = objectOrEmpty(entry.timeout);
  // OpenCode's one number is the time to connect and list.
  const [call, connect] = isCommandList
    ? [request, startup ?? entry.timeout]
    : [entry.timeout, undefined];
  return withoutEmpty({
    description: nonEmptyText(entry.description),
    enabled: isOff ? false : undefined,
    timeoutMs: milliseconds(entry.tool_timeout_sec, 1000) ?? milliseconds(call, timeoutUnitMs),
    connectTimeoutMs:
      milliseconds(entry.startup_timeout_sec, 1000) ??
      milliseconds(entry.startup_timeout_ms ?? entry.connectionTimeout ?? connect, 1),
    allow_tools: nonEmptyList(
      entry.enabled_tools ?? entry.includeTools ?? entry.available_tools ?? chosenTools(entry),
    ),
    deny_tools: nonEmptyList(entry.disabled_tools ?? entry.excludeTools ?? entry.disabledTools),
  });
}

/** Copilot lists the tools that may be used; `*` means all of them. */
function chosenTools({ tools }: UnknownObject): unknown {
  if (Array.isArray(tools) && !tools.includes("*")) return tools;
  return undefined;
}

/** Codex passes on variables by name; one that is not set is no reason to leave the server out. */
function forwardedVariables(names: unknown): JsonObject {
  if (!Array.isArray(names)) return {};
  const variableNames = names.map((named) => (isObject(named) ? named.name : named));
  const variables = variableNames.filter((name) => typeof name === "string" && isVariable(name));
  return Object.fromEntries(variables.map((name) => [name, `\${${name}:-}`]));
}

function nonEmptyText(field: unknown): string | undefined {
  if (typeof field === "string" && field !== "") return field;
  return undefined;
}

function scalarTexts(field: unknown): JsonObject {
  if (!isObject(field)) return {};
  const scalars = Object.entries(field).filter(
    ([, inner]) => inner !== null && typeof inner !== "object",
  );
  return Object.fromEntries(scalars.map(([key, inner]) => [key, String(inner)]));
}

function nonEmptyList(field: unknown): Json | undefined {
  if (Array.isArray(field) && field.length > 0) return field.map(spell);
  return undefined;
}

function milliseconds(field: unknown, factor: number): number | undefined {
  if (typeof field === "number" && field > 0) return Math.round(field * factor);
  return undefined;
}

/** What an entry came from: the same text means different things to different clients. */
export type EntrySource = {
  /** One that is no client of ours writes as most do. */
  client: string;
  where: Where;
  /** What `${workspaceFolder}` stands for; null where it would differ from project to project. */
  workspace: string | null;
  /** It goes into a file of ours that counts in each project and knows the folder by our own name. */
  keepsFolder?: boolean;
  inputs: readonly unknown[];
};

export type Needed = { name: string; description: string | null; isSecret: boolean };

export type Translated = { changes: Map<string, string>; needed: Map<string, Needed> };

/** Why an entry cannot be taken over, as the end of a sentence. */
export class TranslationProblem extends Error {}

export function neededVariable(
  id: string,
  needed: Omit<Needed, "name">,
  translated: Translated,
): string {
  const name = isVariable(id) ? id : variableName(id);
  if (!translated.needed.has(name)) translated.needed.set(name, { name, ...needed });
  return name;
}

/** What clients write for something that is looked up. */
const tokens = {
  usual: /((?<!\$)\$+\{[^{}]*\})/g,
  dollar: /((?<!\$)\$+\{[^{}]*\}|\$[A-Za-z_]\w*)/g,
  braces: /((?<!\$)\$+\{[^{}]*\}|(?<!\$)\{(?:env|file):[^{}]+\})/g,
  secrets: /(\$\{\{\s*(?:secrets|inputs)\.[\w./-]+\s*\}\}|(?<!\$)\$+\{[^{}]*\})/g,
};

function translateText(text: Foreign<string>, source: EntrySource, translated: Translated): string {
  const { references = "usual" } = clientOf(source.client).dialect ?? {};
  const pieces = splitAt(text, tokens[references]).flatMap((part): Piece[] => {
    if (part instanceof Foreign) return [part];
    return translateToken(part.name, source, translated);
  });
  return writeText(pieces);
}

function translateToken(
  token: Foreign<string>,
  source: EntrySource,
  translated: Translated,
): Piece[] {
  const [, dollars = "", inner = ""] = asMatch(token, /^(\$+)\{([^{}]*)\}$/) ?? [];
  // Two dollars before a brace are one that is meant.
  const before = "$".repeat(dollars.length >> 1);
  if (dollars !== "" && dollars.length % 2 === 0) return [before, `{${inner}}`];
  if (dollars === "") {
    const translation = translateBareToken(token, source, translated);
    noteChange(asMatch(token, /.*/s)?.[0] ?? "", translation, translated);
    return [before, translation];
  }
  const reference = `\${${inner}}`;
  const translation = translateReference(reference, inner, source, translated);
  noteChange(reference, translation, translated);
  return [before, translation];
}

function noteChange(reference: string, translation: Translation, { changes }: Translated): void {
  const written = typeof translation === "string" ? translation : translation.reference;
  if (reference !== written) changes.set(reference, written);
}

/** `$NAME`, `{env:NAME}`, `{file:path}`, `${{ secrets.id }}`. */
function translateBareToken(
  token: Foreign<string>,
  source: EntrySource,
  translated: Translated,
): Translation {
  const [, secret] = asMatch(token, /\$\{\{\s*\w+\.([\w./-]+)\s*\}\}/) ?? [];
  if (secret !== undefined)
    return asNeeded(secret, { description: null, isSecret: true }, translated);
  const [, kind, name = ""] = asMatch(token, /\{(env|file):([^{}]+)\}/) ?? [];
  if (kind === "file") return referenceTo(`file:${fromHome(name, source)}`);
  if (kind === "env") return referenceTo(requireVariable(name));
  const [, bare = ""] = asMatch(token, /\$([A-Za-z_]\w*)/) ?? [];
  return translateReference(`$${bare}`, bare, source, translated);
}

type Translation = string | { reference: string };

const referenceTo = (name: string): Translation => ({ reference: `\${${name}}` });
const asNeeded = (id: string, needed: Omit<Needed, "name">, translated: Translated) =>
  referenceTo(neededVariable(id, needed, translated));

function translateReference(
  reference: string,
  inner: string,
  source: EntrySource,
  translated: Translated,
): Translation {
  if (/^[A-Za-z_]\w*(:-.*)?$/.test(inner) && !isFolder(inner)) return referenceTo(inner);
  if (inner.startsWith("input:")) return inputReference(inner.slice(6), source, translated);
  const [, name, fallback] = /^env:([A-Za-z_]\w*)(?::-?(.*))?$/.exec(inner) ?? [];
  if (name !== undefined && fallback === undefined)
    return asNeeded(name, { description: null, isSecret: false }, translated);
  if (name !== undefined) return referenceTo(`${name}:-${fallback}`);
  // In editors it is one of theirs; that of mcp-hub was made ours before.
  if (source.client === "mcp-hub" && inner.startsWith("command:")) return referenceTo(inner);
  const [, file] = /^file:(.+)$/.exec(inner) ?? [];
  if (file !== undefined) return referenceTo(`file:${fromHome(file, source)}`);
  return folderOf(reference, inner, source);
}

/** A question that the client asks becomes a variable, with the question's default. */
function inputReference(id: string, { inputs }: EntrySource, translated: Translated): Translation {
  const input =
    inputs.find(
      (candidate): candidate is UnknownObject => isObject(candidate) && candidate.id === id,
    ) ?? {};
  const fallback = nonEmptyText(input.default);
  if (fallback !== undefined && /[{}]/.test(fallback))
    throw new TranslationProblem(
      `the default of its input '${id}' has a brace, which would end the reference`,
    );
  if (fallback !== undefined) return referenceTo(`${variableName(id)}:-${fallback}`);
  const description = stringOrNull(input.description);
  return asNeeded(variableName(id), { description, isSecret: input.password === true }, translated);
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

function fromHome(file: string, { where }: EntrySource): string {
  return file.replace(/^~(?=[\\/])/, () => where.home);
}

function isFolder(name: string): boolean {
  return /^(userHome|workspaceFolder(Basename)?|workspaceRoot|cwd|pathSeparator)$/.test(name);
}

function folderOf(
  reference: string,
  name: string,
  { where, workspace, keepsFolder }: EntrySource,
): Translation {
  if (name === "userHome") return where.home;
  if (name === "pathSeparator" || name === "/") return where.platform === "win32" ? "\\" : "/";
  if (/^(workspaceFolder(Basename)?|workspaceRoot|cwd)$/.test(name)) {
    if (workspace === null && keepsFolder && name !== "workspaceFolderBasename")
      return referenceTo("workspaceFolder");
    if (workspace === null)
      throw new TranslationProblem(
        `${reference} is another folder in each project; connect it with --project`,
      );
    return name === "workspaceFolderBasename" ? basename(workspace) : workspace;
  }
  throw new TranslationProblem(`only the client knows what ${reference} stands for`);
}
