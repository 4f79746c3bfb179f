import { passesFilter } from "../../lib/text/glob.ts";
import { type Compliance, normalLevel, shippedLevels } from "../../model/access/compliance.ts";
import type { Grants } from "../../model/access/grants.ts";
import type { AccessRequest, Grant, Refused } from "../../model/calls/call.ts";
import { mapArguments } from "../../model/calls/provider.ts";
import type { ProviderSpec, Tool, ToolId, ToolMetadata } from "../../model/catalogue/tool.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { everyScope, mayDo, type Principal } from "../../model/principal.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Contact } from "../../model/servers/server-schema.ts";

const defaultGroup = "default";
const wildcard = "*";
// Shared: one list asks about ten thousand tools.
const onlyDefault: string[] = [defaultGroup];
const onlyWildcard: string[] = [wildcard];
/** The state of an agent that has none. */
const noState = "undefined";
/** What a call without an operation may be: it needs the flags of both. */
const defaultOperations = ["read", "execute"];

export type GrantPorts = {
  config(): Pick<ConfigValues, "servers" | "personas" | "compliance">;
  /** As this caller sees it. */
  tool(id: ToolId, caller: Principal): Tool | undefined;
  isInToolset(tool: Tool, toolset: string): boolean;
};

function createRefusals({ config, tool: toolOf, isInToolset }: GrantPorts) {
  const compliance = createCurrentCheck(() => config().compliance);
  const server = (principal: Principal, name: string, request: AccessRequest) =>
    refuseServer(principal, name, config().servers[name], compliance, request);

  const toolRefusal = (
    principal: Principal,
    { groups, persona, metadata }: Tool,
    request: AccessRequest,
  ): Refused | null =>
    refuseGroup(principal, groups) ??
    refusePersona(principal, persona) ??
    refuseUnlisted(principal, metadata.persona_allowlist) ??
    refuseWorkspace(principal, metadata.workspaces) ??
    refuseLevel(principal, metadata.compliance_level ?? null, compliance, request);

  /** Of a server that only a toolset of the token's scopes leads to, the tools of the toolset. */
  function limit({ within }: Principal, tool: Tool): Refused | null {
    if (within === undefined || tool.source === "builtin") return null;
    if (tool.id.server !== null && within.servers.includes(tool.id.server)) return null;
    if (within.toolsets.some((name) => isInToolset(tool, name))) return null;
    return {
      why: "server",
      refused: "it is not among the servers and toolsets that the token is for",
    };
  }

  function flags(
    { persona }: Principal,
    { metadata }: Tool,
    request: AccessRequest,
  ): Refused | null {
    const { personas } = config();
    const personaFlags =
      persona !== null && Object.hasOwn(personas, persona) ? personas[persona]?.flags : undefined;
    const missing = missingFlags(metadata.requires_flags, personaFlags ?? {}, request.arguments);
    if (missing.length === 0) return null;
    const who = persona === null ? "a caller without a persona" : `persona '${persona}'`;
    return { why: "flags", refused: `${who} lacks ${missing.join(", ")}` };
  }

  function provider(
    principal: Principal,
    { name, config: to }: ProviderSpec,
    request: AccessRequest,
  ) {
    if (name !== "mcp") return null;
    const isConfigured = Object.hasOwn(config().servers, String(to.server));
    const refused = server(principal, String(to.server), request);
    // A server that does not exist is no secret; the call says so later.
    if (refused) return isConfigured || principal.servers ? refused : null;
    const definition = config().servers[String(to.server)];
    if (definition && !passesFilter(String(to.tool), definition.allow_tools, definition.deny_tools))
      return { why: "filter" as const, refused: "its server does not offer it" };
    const target = toolOf({ server: String(to.server), tool: String(to.tool) }, principal);
    if (!target) return null;
    const args = request.arguments && {
      arguments: mapArguments(to.argumentMap, request.arguments),
    };
    return (
      toolRefusal(principal, target, request) ?? flags(principal, target, { ...request, ...args })
    );
  }

  /** A hand-written tool leads nowhere that its caller may not go. */
  const providers = (principal: Principal, tool: Tool, request: AccessRequest): Refused | null => {
    const refusals = tool.providers.map((spec) => provider(principal, spec, request));
    const [first] = refusals;
    if (!first || refusals.includes(null)) return null;
    return { why: first.why, refused: `where it leads is not for this caller: ${first.refused}` };
  };

  function decide(principal: Principal, tool: Tool, request: AccessRequest): Refused | null {
    const { server: name } = tool.id;
    if (tool.onlyThrough !== undefined)
      return {
        why: "filter",
        refused: "it is offered only through the tool that is written for it",
      };
    const refused =
      (name === null ? providers(principal, tool, request) : server(principal, name, request)) ??
      limit(principal, tool) ??
      toolRefusal(principal, tool, request) ??
      flags(principal, tool, request);
    // Built-in tools, prompts and resources belong to no tool group and to every state.
    if (refused || tool.source === "builtin" || tool.id.kind) return refused;
    const group =
      refuseGroups(principal, request) ?? refuseGroupsOf(principal, tool.metadata, request);
    if (group !== null) return { why: "tool groups", refused: group };
    const state = refuseState(tool.metadata, request);
    if (state === null) return null;
    return { why: "state", refused: state };
  }

  return { compliance, server, provider, tool: decide };
}

/** Who may use what. One answer for lists, searches, inventories and calls. */
export function createGrants(ports: GrantPorts): Grants {
  const { config } = ports;
  const refuse = createRefusals(ports);
  const knownGrants = createKnownGrants(config);
  const grantFor: Grants["grantFor"] = (principal, tool, request = {}) =>
    closed(() =>
      knownGrants(principal, tool, request, () => {
        const refused = closed(() => refuse.tool(principal, tool, request));
        return refused ?? { by: tool.groups.length > 0 ? "group" : "everyone" };
      }),
    );

  return {
    grantFor,
    grantToSee(principal, tool, args) {
      const request = { toolGroups: [...allowedTo(principal)], ...(args && { arguments: args }) };
      const grant = grantFor(principal, tool, request);
      return "refused" in grant && grant.why === "state" ? { by: "everyone" } : grant;
    },
    refuseProvider: (principal, spec, request = {}) =>
      closed(() => refuse.provider(principal, spec, request)),
    refuseGroups,
    maySeeServer(principal, name) {
      if (principal.servers && !principal.servers.includes(name)) return false;
      if (mayDo(principal, "admin")) return true;
      const definition = config().servers[name];
      const enabled = definition && { ...definition, enabled: true };
      return closed(() => refuseServer(principal, name, enabled, refuse.compliance, {})) === null;
    },
    hasLocks: () => Object.values(config().servers).some(({ discoverable }) => discoverable),
    lockedServer(principal, name) {
      const definition = config().servers[name];
      if (!definition || !closed(() => refuse.server(principal, name, {}))?.locked) return null;
      const { description } = definition;
      return { name, description, contact: contactOf(definition), locked: true };
    },
  };
}

/** Kept as long as the configuration, unless it depends on the request or on where a hand-written tool leads. */
function createKnownGrants(config: GrantPorts["config"]) {
  let grantsConfig: unknown;
  let grantsByCaller = new WeakMap<Principal, WeakMap<Tool, Grant | Refused>>();
  return (
    principal: Principal,
    tool: Tool,
    request: AccessRequest,
    decide: () => Grant | Refused,
  ) => {
    if (tool.id.server === null || Object.keys(request).length > 0) return decide();
    if (grantsConfig !== config()) {
      grantsConfig = config();
      grantsByCaller = new WeakMap();
    }
    const grants = grantsByCaller.get(principal) ?? new WeakMap<Tool, Grant | Refused>();
    const cached = grants.get(tool);
    if (cached) return cached;
    const grant = decide();
    grantsByCaller.set(principal, grants.set(tool, grant));
    return grant;
  };
}

function closed<T>(decide: () => T): T | Refused {
  try {
    return decide();
  } catch {
    return { why: "defect", refused: "it could not be found out whether they may" };
  }
}

function refuseServer(
  principal: Principal,
  name: string,
  definition: ServerDefinition | undefined,
  compliance: ComplianceCheck,
  request: AccessRequest,
): Refused | null {
  if (principal.servers && !principal.servers.includes(name))
    return { why: "server", refused: "its server is not among those this caller is limited to" };
  if (definition === undefined) return { why: "server", refused: "its server is not configured" };
  if (!definition.enabled) return { why: "server", refused: "its server is disabled" };
  const { workspaces, persona, groups, compliance_level, discoverable } = definition;
  const hidden = refuseWorkspace(principal, workspaces) ?? refusePersona(principal, persona);
  if (hidden) return hidden;
  const refused =
    refuseGroup(principal, groups) ?? refuseLevel(principal, compliance_level, compliance, request);
  if (refused && discoverable) return { ...refused, locked: contactOf(definition) };
  return refused;
}

/** One common group is enough, and no group means every caller. */
function refuseGroup(principal: Principal, groups: readonly string[]): Refused | null {
  if (groups.length === 0 || groups.some((group) => principal.groups.includes(group))) return null;
  return { why: "groups", refused: `it is for members of ${groups.join(", ")}` };
}

function refusePersona(principal: Principal, persona: string | null): Refused | null {
  if (persona === null || persona === principal.persona) return null;
  return { why: "persona", refused: `it belongs to persona '${persona}'` };
}

function refuseUnlisted(
  { persona }: Principal,
  personas: readonly string[] | undefined,
): Refused | null {
  if (personas === undefined || personas.includes(persona ?? "")) return null;
  const whom = personas.length === 0 ? "no persona" : `the personas ${personas.join(", ")}`;
  return { why: "persona", refused: `it is for ${whom}` };
}

/** Does not name other workspaces. */
function refuseWorkspace(
  { workspace }: Principal,
  workspaces: readonly string[] = [],
): Refused | null {
  if (workspaces.length === 0 || (workspace !== null && workspaces.includes(workspace)))
    return null;
  return { why: "workspace", refused: "it belongs to another workspace" };
}

/** The level of a request counts beside the caller's own, so it can only tighten. */
function refuseLevel(
  { compliance }: Principal,
  level: string | null,
  check: ComplianceCheck,
  request: AccessRequest,
) {
  const refused = check(compliance, level) ?? check(request.compliance ?? null, level);
  return refused === null ? null : { why: "compliance" as const, refused };
}

function contactOf({ author, help_email }: ServerDefinition): Contact {
  return { author: author ?? null, help_email: help_email ?? null };
}

/** Why data of one level may not go to a server of another, or null. Either may be unset. */
type ComplianceCheck = (ofCaller: string | null, ofServer: string | null) => string | null;

/** One-sided on purpose: health data may go where SOC 2 holds, and not the other way round. */
export function createComplianceCheck(settings: Compliance): ComplianceCheck {
  if (settings === null) return () => null;
  const { levels, unknown } = settings === "default" ? shippedLevels : settings;
  const byName = new Map(
    levels.flatMap((level) =>
      [level.name, ...level.aliases].map((name) => [normalLevel(name), level]),
    ),
  );
  const find = (name: string) => byName.get(normalLevel(name));
  return (ofCaller, ofServer) => {
    if (ofCaller === null || ofServer === null) return null;
    const from = find(ofCaller);
    const to = find(ofServer);
    if (from === undefined || to === undefined) {
      const unknownLevel = from === undefined ? ofCaller : ofServer;
      if (unknown !== "strict") return null;
      return `the compliance level '${unknownLevel}' is unknown`;
    }
    if (from.allowed_with.some((name) => find(name) === to)) return null;
    return `its compliance level is ${to.name}, and the caller works with ${from.name}`;
  };
}

function createCurrentCheck(settings: () => Compliance): ComplianceCheck {
  let current: { of: Compliance; check: ComplianceCheck } | undefined;
  return (ofCaller, ofServer) => {
    const of = settings();
    if (current === undefined || current.of !== of)
      current = { of, check: createComplianceCheck(of) };
    return current.check(ofCaller, ofServer);
  };
}

function allowedTo({ toolGroups, scopes }: Principal): readonly string[] {
  return toolGroups ?? (scopes.includes(everyScope) ? onlyWildcard : onlyDefault);
}

/** The tool groups that a request means. A caller who may not ask for the default one means all that they may. */
function meantBy(principal: Principal, { toolGroups }: AccessRequest): readonly string[] {
  if (toolGroups !== undefined) return typeof toolGroups === "string" ? [toolGroups] : toolGroups;
  const allowed = allowedTo(principal);
  return allowed.includes(wildcard) || allowed.includes(defaultGroup) ? onlyDefault : allowed;
}

export function refuseGroups(principal: Principal, request: AccessRequest): string | null {
  const allowed = allowedTo(principal);
  if (allowed.includes(wildcard)) return null;
  const refusedGroup = meantBy(principal, request).find((group) => !allowed.includes(group));
  if (refusedGroup === undefined) return null;
  return `the tool group '${refusedGroup}' is not among those they may ask for`;
}

export function refuseGroupsOf(
  principal: Principal,
  metadata: ToolMetadata,
  request: AccessRequest,
): string | null {
  const { group = onlyDefault } = metadata;
  const meant = meantBy(principal, request);
  if (meant.includes(wildcard) || group.some((name) => meant.includes(name))) return null;
  const requested = meant.length === 0 ? "none" : meant.join(", ");
  return `its tool groups are ${group.join(", ") || "none"}, and those that are asked for ${requested}`;
}

export function refuseState(
  { "applicable-states": states }: ToolMetadata,
  request: AccessRequest,
): string | null {
  if (request.anyState) return null;
  const state = request.state || noState;
  if (states === undefined || states.includes(wildcard) || states.includes(state)) return null;
  return `it is there in the states ${states.join(", ") || "none"}, and the state is ${state}`;
}

type Flags = Readonly<Record<string, unknown>>;
type NeededFlags = NonNullable<ToolMetadata["requires_flags"]>;

/** The flags that are missing for the operation of a call; without arguments, for every operation of the tool. */
export function missingFlags(
  needed: NeededFlags | undefined,
  flags: Flags,
  args?: JsonObject,
): string[] {
  if (needed === undefined) return [];
  const allOperations = Object.keys(needed);
  // What is not listed may be any of them.
  const missing = (operations: readonly string[]) =>
    flagsFor(needed, isListed(needed, operations) ? operations : allOperations).filter(
      (flag) => !isOn(flags, flag),
    );
  if (args === undefined) {
    const missingByOperation = [
      defaultOperations,
      ...Object.keys(needed).map((operation) => [operation]),
    ].map(missing);
    if (missingByOperation.some((lacking) => lacking.length === 0)) return [];
    return [...new Set(missingByOperation.flat())];
  }
  const { operation } = args;
  if (operation === undefined || operation === null) return missing(defaultOperations);
  // A server may take what is no string for any operation.
  return missing(typeof operation === "string" ? [operation] : allOperations);
}

function isListed(needed: NeededFlags, operations: readonly string[]): boolean {
  const listed = new Set(Object.keys(needed).map(folded));
  return operations.some((operation) => listed.has(folded(operation)));
}

function flagsFor(needed: NeededFlags, operations: readonly string[]): string[] {
  const foldedOperations = new Set(operations.map(folded));
  const flags = Object.entries(needed).filter(([operation]) =>
    foldedOperations.has(folded(operation)),
  );
  return [...new Set(flags.flatMap(([, list]) => list))];
}

/** Servers may be lenient about spelling, so the check is too. */
function folded(operation: string): string {
  return operation.normalize("NFKC").trim().toLowerCase();
}

/** Dots lead into objects, and may belong to a name. */
function isOn(flags: Flags, path: string): boolean {
  if (Object.hasOwn(flags, path)) return flags[path] === true;
  for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (isObject(inner) && isOn(inner, path.slice(dot + 1))) return true;
  }
  return false;
}
