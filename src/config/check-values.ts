import { dirname } from "node:path";
import * as z from "zod/mini";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { ToolManifest, ToolOverlay } from "../model/catalogue/tool.ts";
import { mayBelongTo } from "../model/catalogue/tool-name.ts";
import {
  type Config,
  type ConfigProblem,
  ConfigValues,
  type Manifests,
  ModelDefinition,
  ToolsetDefinition,
} from "../model/config/config.ts";
import { parseBucketAddress, parseStoreAddress, parseVaultKey } from "../model/config/settings.ts";
import {
  isObject,
  objectOrEmpty,
  type Path,
  renderPath,
  type UnknownObject,
} from "../model/json.ts";
import { hasPersonalAuth, ServerDefinition } from "../model/servers/server.ts";
import { type Environment, startedByUs } from "./environment.ts";
import { hintFor } from "./manifests/check-graph.ts";
import type { Merged } from "./merge-settings.ts";
import { checkProviders, parseValue as parse, type Report, unsetHint } from "./parse-value.ts";
import {
  expandEnvironment,
  mentionsWorkspace,
  splitSecrets,
  workspaceVariable,
} from "./secrets/references.ts";
import { detectTransport } from "./transport.ts";

const { servers: _servers, tools: _tools, overlays: _overlays, ...shape } = ConfigValues.shape;
const { toolsets: _toolsets, models: _models, env: _env, ...sections } = shape;
/** Entries that stand for themselves: one that is wrong costs only itself. */
const entrySections = { toolsets: ToolsetDefinition, models: ModelDefinition, env: z.string() };

export function checkValues(
  merged: Merged,
  environment: Environment,
  folderOf: (server: string) => string,
): Omit<Config, "files" | "fromManifests" | "untrusted" | "inWorkspace"> {
  const problems: ConfigProblem[] = [];
  const addProblem = (
    severity: ConfigProblem["severity"],
    path: Path,
    message: string,
    hint: string | null,
  ) => {
    problems.push({ ...merged.placeOf(path), severity, message, hint });
  };
  const report: Report = (path, message, hint = null) => addProblem("error", path, message, hint);
  const warn: Report = (path, message, hint = null) => addProblem("warning", path, message, hint);
  const { servers, tools, overlays, ...sectionValues } = merged.values;
  const serverNames = Object.keys(objectOrEmpty(servers));
  const broken: Record<string, string> = Object.create(null);
  const usableServers = checkEach(servers, (name, entry) =>
    checkServer(
      name,
      entry,
      withFolder(entry, environment, () => folderOf(name)),
      (path, message, hint) => {
        broken[name] ??= `${renderPath(path.slice(2)) || name}: ${message}`;
        report(path, message, hint);
      },
    ),
  );
  const checkedSections = checkSections(sectionValues, environment, report);
  const usableTools = checkEach(tools, (name, entry) => {
    const path = ["tools", name];
    const tool = parse(ToolManifest, entry, path, report);
    return (
      tool &&
      checkProviders(tool, {
        environment,
        directory: dirname(merged.originOf(path)?.file ?? ""),
        report: (inner, message, hint = null) =>
          addProblem("warning", [...path, ...inner], `${message}; this provider is not used`, hint),
        warn: (inner, message, hint) => warn([...path, ...inner], message, hint),
      })
    );
  });
  const closedTools = toolsOfDropped(tools, usableTools);
  const values: ConfigValues = {
    ...checkedSections,
    servers: checkEach(usableServers, (name, definition) => {
      const completed = withPlaneEnvironment(
        withPlaneInjection(definition as ServerDefinition, checkedSections),
        checkedSections,
      );
      const closedHere = closedTools.filter(({ server }) => server === name);
      if (closedHere.length === 0) return completed;
      const deny_tools = [...(completed.deny_tools ?? []), ...closedHere.map(({ tool }) => tool)];
      return { ...completed, deny_tools };
    }),
    overlays: checkOverlays(overlays, serverNames, report, warn),
    tools: usableTools,
  };
  // A file of toolsets alone is a part of a configuration.
  checkToolsets(values.toolsets, serverNames, serverNames.length === 0 ? warn : report);
  checkSharing(values, report);
  checkStore(values.store, report);
  checkVaultKey(values.vaultKey, report);
  checkBucket(values.results.store, report);
  return { ...values, broken, problems };
}

/** With what stands for the directory that a person works in. */
function withFolder(entry: unknown, environment: Environment, folder: () => string): Environment {
  if (mentionsWorkspace(entry)) return { ...environment, [workspaceVariable]: folder() };
  return environment;
}

type Target = { server: string; tool: string };

/** What was offered only through a tool that is left out stays closed: its groups and states were not understood. */
function toolsOfDropped(tools: unknown, usable: ConfigValues["tools"]): Target[] {
  const targetsOf = (entry: unknown): Target[] => {
    const { exclusive, providers } = objectOrEmpty(entry);
    if (exclusive !== true || !Array.isArray(providers)) return [];
    return providers.flatMap(({ name, config }) => (name === "mcp" ? [config as Target] : []));
  };
  const openTargets = Object.values(usable).flatMap(targetsOf);
  const isOpen = ({ server, tool }: Target) =>
    openTargets.some((target) => target.server === server && target.tool === tool);
  const dropped = Object.entries(objectOrEmpty(tools)).filter(
    ([name]) => !Object.hasOwn(usable, name),
  );
  return dropped.flatMap(([, entry]) => targetsOf(entry)).filter((target) => !isOpen(target));
}

function checkEach<T>(
  entries: unknown,
  check: (name: string, entry: unknown) => T | undefined,
): Record<string, T> {
  const usable: Record<string, T> = Object.create(null);
  for (const [name, entry] of Object.entries(objectOrEmpty(entries))) {
    const checked = check(name, entry);
    if (checked !== undefined) usable[name] = checked;
  }
  return usable;
}

function expand(value: unknown, path: Path, environment: Environment, onUnset: Report) {
  let isComplete = true;
  const reportIncomplete: typeof onUnset = (field, message, hint) => {
    isComplete = false;
    onUnset([...path, ...field], message, hint);
  };
  const expanded = expandEnvironment(
    value,
    environment,
    (variable, field) =>
      reportIncomplete(field, `environment variable ${variable} is not set`, unsetHint(variable)),
    ({ message, hint }, field) => reportIncomplete(field, message, hint),
  );
  return { expanded, isComplete };
}

/** A variable that is not set is reported like everything else, unless `onUnset` takes it. */
export function checkServer(
  name: string,
  entry: unknown,
  environment: Environment,
  report: Report,
  onUnset: Report = report,
): ServerDefinition | undefined {
  const path = ["servers", name];
  const isOff = isObject(entry) && entry.enabled === false;
  const { expanded, isComplete } = expand(
    entry,
    path,
    environment,
    isOff ? () => undefined : onUnset,
  );
  let usable = isOff || isComplete;
  if (!isObject(expanded))
    return void report(path, "a server must be an object with 'command' or 'url'");
  const detected = detectTransport(expanded);
  const hasProblem = "problem" in detected;
  if (hasProblem) {
    usable = false;
    report(detected.key ? [...path, detected.key] : path, detected.problem, detected.hint);
  }
  const transport = hasProblem ? { transport: "stdio" } : detected;
  const launched: UnknownObject = withOwnProgram({ ...expanded, ...transport });
  const { type: _, url, ...fieldsBesideUrl } = launched;
  // What was reported once need not be reported by the schema again.
  const fields = url === undefined || hasProblem ? fieldsBesideUrl : { ...fieldsBesideUrl, url };
  const definition = parse(ServerDefinition, fields, path, report);
  if (definition?.cache?.shared && hasPersonalAuth(definition)) {
    usable = false;
    report([...path, "cache", "shared"], sharesPersonal, sharesHint);
  }
  return usable ? definition : undefined;
}

const sharesPersonal =
  "would give the results of one user to all others: each signs in with credentials of their own";
const sharesHint =
  "Take 'shared' out, or give the server one credential for all with 'auth.token' or 'headers'.";

/** A tool may not share what its server does not. */
function checkSharing({ servers, overlays, tools }: ConfigValues, report: Report): void {
  const personal = personalServers(servers);
  if (personal.length === 0) return;
  for (const [name, { cache }] of Object.entries(overlays))
    if (cache?.shared && personal.some((server) => mayBelongTo(server, name)))
      report(["overlays", name, "cache", "shared"], sharesPersonal, sharesHint);
  for (const [name, tool] of Object.entries(tools))
    if (sharesResultsOf(tool, personal))
      report(["tools", name, "cache", "shared"], sharesPersonal, sharesHint);
}

function personalServers(servers: ConfigValues["servers"]): string[] {
  return Object.keys(servers).filter((name) => hasPersonalAuth(servers[name] ?? {}));
}

function sharesResultsOf({ cache, providers }: ToolManifest, servers: readonly string[]): boolean {
  if (!cache?.shared) return false;
  return providers.some(
    ({ name, config }) => name === "mcp" && servers.includes(String(config.server)),
  );
}

/** Checks the tools of manifests in the same way. */
export function sharingInManifests(
  servers: ConfigValues["servers"],
  { tools }: Manifests,
): ConfigProblem[] {
  const personal = personalServers(servers);
  return tools
    .filter((tool) => sharesResultsOf(tool, personal))
    .map(({ name, file, persona = null }) => ({
      file,
      line: null,
      path: "cache.shared",
      owner: persona,
      entry: { kind: "tool", name },
      severity: "error",
      message: `tool '${name}' ${sharesPersonal}`,
      hint: sharesHint,
    }));
}

/** In an image, 'toolplane' is a program like any other. */
const withOwnProgram = (server: UnknownObject) =>
  server.container === undefined ? startedByUs(server) : server;

type PlaneInjection = Pick<ConfigValues, "inject" | "inject_options">;

function withPlaneInjection(
  { inject, ...definition }: ServerDefinition,
  { inject: everywhere, inject_options }: PlaneInjection,
): ServerDefinition {
  if (everywhere.length === 0 && Object.keys(inject_options).length === 0)
    return { ...definition, inject };
  return {
    ...definition,
    inject: [...inject, ...everywhere],
    inject_options: { ...inject_options, ...definition.inject_options },
  };
}

/** A server's own variables win; what it may inherit adds up, unless it wants only the default ones. */
function withPlaneEnvironment(
  definition: ServerDefinition,
  { env, inheritEnv }: Pick<ConfigValues, "env" | "inheritEnv">,
): ServerDefinition {
  if (definition.transport !== "stdio") return definition;
  const inherited = joinInherited(inheritEnv, definition.inheritEnv);
  return {
    ...definition,
    env: { ...env, ...definition.env },
    ...withoutUndefined({ inheritEnv: inherited }),
  };
}

type Inherited = ServerDefinition["inheritEnv"];

function joinInherited(everywhere: Inherited, ownGlobs: Inherited): Inherited {
  if (everywhere === undefined || ownGlobs === false || ownGlobs === true) return ownGlobs;
  if (ownGlobs === undefined || !Array.isArray(everywhere)) return everywhere || ownGlobs;
  return [...new Set([...everywhere, ...ownGlobs])];
}

function checkSections(values: UnknownObject, environment: Environment, report: Report) {
  const checked: UnknownObject = {};
  for (const [section, schema] of Object.entries(sections)) {
    const { expanded } = expand(values[section], [section], environment, report);
    const parsed = parse(schema, expanded, [section], report);
    checked[section] = parsed === undefined ? withoutMistakes(schema, expanded) : parsed;
  }
  for (const [section, schema] of Object.entries(entrySections)) {
    const entries = values[section];
    if (entries !== undefined && !isObject(entries))
      report([section], "must be an object with a name for each");
    checked[section] = checkEach(entries, (name, entry) => {
      const { expanded, isComplete } = expand(entry, [section, name], environment, report);
      const parsed = parse(schema, expanded, [section, name], report);
      return isComplete ? parsed : undefined;
    });
  }
  return checked as Omit<ConfigValues, "servers" | "tools" | "overlays">;
}

/** A mistake costs only its own key: the others of the section may guard something. */
function withoutMistakes<S extends z.core.$ZodType>(
  schema: S,
  value: unknown,
): z.output<S> | undefined {
  const isValid = (part: unknown) => z.safeParse(schema, part).success;
  const validEntries = Object.entries(objectOrEmpty(value)).filter(([key, inner]) =>
    isValid({ [key]: inner }),
  );
  const validPart = validEntries.length === 0 ? undefined : Object.fromEntries(validEntries);
  return z.safeParse(schema, isValid(validPart) ? validPart : undefined).data;
}

/** The definition stays, so that a run says the same. */
function checkToolsets(
  toolsets: ConfigValues["toolsets"],
  servers: readonly string[],
  report: Report,
): void {
  for (const [alias, { providers, allow_tools }] of Object.entries(toolsets)) {
    for (const [key, names] of Object.entries({ providers, allow_tools: allow_tools ?? [] }))
      for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
        report(["toolsets", alias, key], `'${name}' is named twice`, "Name it once.");
    for (const [index, name] of providers.entries())
      if (!servers.includes(name))
        report(
          ["toolsets", alias, "providers", index],
          `no server '${name}' is configured`,
          hintFor(name, servers),
        );
  }
}

function checkStore(
  store: string,
  report: (path: Path, message: string, hint: string) => void,
): void {
  const address = parseStoreAddress(store);
  if ("problem" in address) report(["store"], address.problem, address.hint);
}

function checkBucket(
  address: string | undefined,
  report: (path: Path, message: string, hint: string) => void,
): void {
  const parsed = address === undefined ? null : parseBucketAddress(address);
  if (parsed !== null && "problem" in parsed)
    report(["results", "store"], parsed.problem, parsed.hint);
}

/** A plane that fell back to a key of its own would seal tokens that no other can open. */
function checkVaultKey(
  key: string | undefined,
  report: (path: Path, message: string, hint: string) => void,
): void {
  if (key === undefined || splitSecrets(key).some((part) => typeof part !== "string")) return;
  if (parseVaultKey(key) === null)
    report(
      ["vaultKey"],
      "is not a 32-byte key in hex or base64",
      "Make one with 'openssl rand -hex 32'.",
    );
}

/** References in fixed values are resolved when they are sent, so that nothing shown ever holds a secret. */
function checkOverlays(
  entries: unknown,
  servers: readonly string[],
  report: Report,
  warn: Report,
): Record<string, ToolOverlay> {
  return checkEach(entries, (name, entry) => {
    const path = ["overlays", name];
    if (!servers.some((server) => mayBelongTo(server, name)))
      warn(path, `'${name}' is not a tool of a configured server`, "Write it as server.tool.");
    return parse(ToolOverlay, entry, path, report);
  });
}
