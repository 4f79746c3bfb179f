import { resolve } from "node:path";
import { en } from "zod/locales";
import type * as z from "zod/mini";
import { nearest } from "../lib/nearest.ts";
import { type Config, type ConfigProblem, Policy } from "../model/config.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import { ServerDefinition } from "../model/server.ts";
import { type Environment, expandAll } from "./expand.ts";
import { type ConfigFile, readConfigFile } from "./read-file.ts";
import { detectTransport } from "./transport.ts";

/** One or more files, or the configuration itself as a program gives it. */
export function loadConfig(
  given: string | readonly string[] | UnknownObject,
  environment: Environment,
): Config {
  if (typeof given === "string") return loadFiles([given], environment);
  return Array.isArray(given) ? loadFiles(given, environment) : readData(given as UnknownObject, environment);
}

/** Files in order, a later definition of a server replacing an earlier one whole. */
function loadFiles(files: readonly string[], environment: Environment): Config {
  const config = emptyConfig();
  for (const file of files) {
    const read = readConfigFile(resolve(file));
    if ("data" in read) addFile(config, read, environment);
    else config.problems.push(read);
  }
  if (config.files.length === 0) throw new PlaneError("CONFIG_INVALID", renderProblems(config.problems));
  return config;
}

function readData(data: UnknownObject, environment: Environment): Config {
  const config = emptyConfig();
  addFile(config, { file: "(given)", data, lineOf: () => null }, environment);
  return config;
}

export function renderProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ file, line, path, message, hint }) => {
      const place = line === null ? file : `${file}:${line}`;
      return `${place}: ${path === "" ? "" : `${path}: `}${message}.${hint === null ? "" : ` ${hint}`}`;
    })
    .join("\n");
}

type Path = readonly (string | number)[];

function emptyConfig(): Config {
  return {
    servers: Object.create(null),
    broken: Object.create(null),
    policy: Policy.parse({}),
    problems: [],
    files: [],
  };
}

const inEnglish = { error: en().localeError };

const topLevelKeys = ["mcpServers", "servers", "policy", "$schema"];

function addFile(config: Config, file: ConfigFile, environment: Environment): void {
  const { data } = file;
  if (!isObject(data)) {
    config.problems.push(
      problem(file, [], "the top level must be an object", 'Start with { "mcpServers": { … } }.'),
    );
    return;
  }
  config.files.push(file.file);
  const wrappers = ["mcpServers", "servers"].filter((key) => data[key] !== undefined);
  const isFlat = wrappers.length === 0 && Object.values(data).some(looksLikeServer);
  if (isFlat) return addServers(config, file, [], data, environment);
  for (const wrapper of wrappers) addServers(config, file, [wrapper], data[wrapper], environment);
  if (data.policy !== undefined) addPolicy(config, file, data.policy);
  for (const key of Object.keys(data).filter((key) => !topLevelKeys.includes(key))) {
    config.problems.push(unknownKey(file, [key], key, topLevelKeys));
  }
}

function looksLikeServer(entry: unknown): boolean {
  return isObject(entry) && ("command" in entry || "url" in entry);
}

function addServers(
  config: Config,
  file: ConfigFile,
  path: Path,
  servers: unknown,
  environment: Environment,
): void {
  if (!isObject(servers)) {
    config.problems.push(problem(file, path, "must be an object of servers by name"));
    return;
  }
  for (const [name, entry] of Object.entries(servers).filter(([key]) => key !== "$schema")) {
    addServer(config, file, [...path, name], name, entry, environment);
  }
}

function addServer(
  config: Config,
  file: ConfigFile,
  path: Path,
  name: string,
  entry: unknown,
  environment: Environment,
): void {
  delete config.servers[name];
  delete config.broken[name];
  const refuse = (where: Path, message: string, hint: string | null = null) => {
    config.broken[name] ??= `${where.slice(path.length).join(".") || name}: ${message}`;
    config.problems.push(problem(file, where, message, hint));
  };
  if (!isObject(entry)) return refuse(path, "a server must be an object with 'command' or 'url'");
  const expanded = expandAll(entry, environment, (variable, field) =>
    refuse(
      [...path, ...field],
      `environment variable ${variable} is not set`,
      `Set it or write \${${variable}:-default}.`,
    ),
  ) as UnknownObject;
  const detected = detectTransport(expanded);
  if ("problem" in detected) return refuse(path, detected.problem, detected.hint);
  const known = Object.keys(ServerDefinition.shape);
  const { type: _, ...fields }: UnknownObject = { ...expanded, ...detected };
  for (const key of Object.keys(fields).filter((key) => !known.includes(key))) {
    config.problems.push(unknownKey(file, [...path, key], key, known));
    delete fields[key];
  }
  const parsed = ServerDefinition.safeParse(fields, inEnglish);
  if (parsed.success && config.broken[name] === undefined) config.servers[name] = parsed.data;
  else
    for (const issue of parsed.error?.issues ?? []) refuse([...path, ...issuePath(issue)], describe(issue));
}

function addPolicy(config: Config, file: ConfigFile, given: unknown): void {
  const parsed = Policy.safeParse(given, inEnglish);
  if (parsed.success) config.policy = parsed.data;
  else {
    const found = parsed.error.issues.map((issue) =>
      problem(file, ["policy", ...issuePath(issue)], describe(issue)),
    );
    throw new PlaneError("CONFIG_INVALID", renderProblems(found), { data: { problems: found } });
  }
}

function issuePath({ path }: z.core.$ZodIssue): Path {
  return path.map((part) => (typeof part === "symbol" ? String(part) : part));
}

function describe(issue: z.core.$ZodIssue): string {
  return issue.message.replace(/^Invalid input: /, "");
}

function problem(file: ConfigFile, path: Path, message: string, hint: string | null = null): ConfigProblem {
  return { file: file.file, line: file.lineOf(path), path: path.join("."), severity: "error", message, hint };
}

function unknownKey(file: ConfigFile, path: Path, key: string, known: readonly string[]): ConfigProblem {
  const [near] = nearest(key, known, 1);
  const hint = near === undefined ? null : `Did you mean '${near}'?`;
  return { ...problem(file, path, `'${key}' is not a key we know`, hint), severity: "warning" };
}
