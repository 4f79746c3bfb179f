import type { Compliance } from "../../model/access/compliance.ts";
import type { Grants } from "../../model/access/grants.ts";
import type { AccessRequest, Grant, Refused } from "../../model/calls/call.ts";
import type { ProviderSpec, Tool, ToolId, ToolMetadata } from "../../model/catalogue/tool.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { everyScope, mayDo, type Principal } from "../../model/principal.ts";
import type { Contact, ServerDefinition } from "../../model/servers/server.ts";
import { type ComplianceCheck, createComplianceCheck } from "./compliance.ts";

const usual = "default";
const every = "*";
// Made once: ten thousand tools are asked about for one list.
const onlyUsual: string[] = [usual];
const onlyEvery: string[] = [every];
/** The state of an agent that is in none. */
const noState = "undefined";

/** The groups that a caller may ask for. */
function allowedTo({ toolGroups, scopes }: Principal): readonly string[] {
  return toolGroups ?? (scopes.includes(everyScope) ? onlyEvery : onlyUsual);
}

/** The groups that are meant. Who says nothing and may not ask for the usual one means all that is theirs. */
function meantBy(principal: Principal, { toolGroups }: AccessRequest): readonly string[] {
  if (toolGroups !== undefined) return typeof toolGroups === "string" ? [toolGroups] : toolGroups;
  const allowed = allowedTo(principal);
  return allowed.includes(every) || allowed.includes(usual) ? onlyUsual : allowed;
}

/** Why the groups that are asked for cannot be, or null. */
export function refuseGroups(principal: Principal, request: AccessRequest): string | null {
  const allowed = allowedTo(principal);
  if (allowed.includes(every)) return null;
  const strange = meantBy(principal, request).find((group) => !allowed.includes(group));
  return strange === undefined ? null : `the tool group '${strange}' is not among those they may ask for`;
}

/** All groups that are the caller's are meant. */
function allGroupsOf(principal: Principal): AccessRequest {
  return { toolGroups: [...allowedTo(principal)] };
}

/** Why a tool is not in the groups that are meant, or null. Capitals count. */
export function refuseGroupsOf(
  principal: Principal,
  { group = onlyUsual }: ToolMetadata,
  request: AccessRequest,
): string | null {
  const meant = meantBy(principal, request);
  if (meant.includes(every) || group.some((one) => meant.includes(one))) return null;
  const asked = meant.length === 0 ? "none" : meant.join(", ");
  return `its tool groups are ${group.join(", ") || "none"}, and those that are asked for ${asked}`;
}

export function refuseState({ "applicable-states": states }: ToolMetadata, request: AccessRequest): string | null {
  if (states === undefined) return null;
  const state = stateOf(request);
  if (states.includes(every) || states.includes(state)) return null;
  return `it is there in the states ${states.join(", ") || "none"}, and the state is ${state}`;
}

function stateOf({ state }: AccessRequest): string {
  return state === undefined || state === "" ? noState : state;
}

type Flags = Readonly<Record<string, unknown>>;
type Needed = NonNullable<ToolMetadata["requires_flags"]>;

/** What a call needs that does not say what it wants to do. */
const withoutOperation = ["read", "execute"];

/**
 * The flags that are missing for what the arguments want to do. Without arguments: those that are missing
 * for everything the tool can do.
 */
export function missingFlags(needed: Needed | undefined, flags: Flags, args?: JsonObject): string[] {
  if (needed === undefined) return [];
  const missing = (operations: readonly string[]) => flagsFor(needed, operations).filter((flag) => !isOn(flags, flag));
  if (args === undefined) {
    const each = [withoutOperation, ...Object.keys(needed).map((operation) => [operation])].map(missing);
    return each.some((lacking) => lacking.length === 0) ? [] : [...new Set(each.flat())];
  }
  const { operation } = args;
  if (operation === undefined || operation === null) return missing(withoutOperation);
  // What is no text may mean anything to the server.
  if (typeof operation !== "string") return missing(Object.keys(needed));
  return missing(isNamed(needed, operation) ? [operation] : withoutOperation);
}

function flagsFor(needed: Needed, operations: readonly string[]): string[] {
  const wanted = new Set(operations.map(plain));
  const flags = Object.entries(needed).filter(([operation]) => wanted.has(plain(operation)));
  return [...new Set(flags.flatMap(([, list]) => list))];
}

function isNamed(needed: Needed, operation: string): boolean {
  return Object.keys(needed).some((known) => plain(known) === plain(operation));
}

/** Servers that are lenient about spelling must not make us blind. */
function plain(operation: string): string {
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

export type GrantFacts = {
  config(): Pick<ConfigValues, "servers" | "personas" | "compliance">;
  /** The tool of a server, as far as it is known. */
  tool(id: ToolId): Tool | undefined;
};

/** Who may use what. One answer for lists, searches, inventories and calls. */
export function createGrants({ config, tool: toolOf }: GrantFacts): Grants {
  const compliance = createCurrentCheck(() => config().compliance);
  const server = (principal: Principal, name: string, request: AccessRequest) =>
    refuseServer(principal, name, config().servers[name], { compliance, request });

  const own = (principal: Principal, tool: Tool, request: AccessRequest): Refused | null =>
    refuseGroup(principal, tool.groups) ??
    refusePersona(principal, tool.persona) ??
    refuseUnlisted(principal, tool.metadata.persona_allowlist) ??
    refuseWorkspace(principal, tool.metadata.workspaces) ??
    refuseLevel(principal, tool.metadata.compliance_level ?? null, compliance, request);

  const provider = (principal: Principal, { name, config: to }: ProviderSpec, request: AccessRequest) => {
    if (name !== "mcp") return null;
    const isThere = Object.hasOwn(config().servers, String(to.server));
    const refused = server(principal, String(to.server), request);
    // What leads nowhere is no secret; who calls it is told that there is no such server.
    if (refused) return isThere || principal.servers ? refused : null;
    const target = toolOf({ server: String(to.server), tool: String(to.tool) });
    return target ? own(principal, target, request) : null;
  };

  /** A tool written by hand leads nowhere that its caller may not go. */
  const ways = (principal: Principal, { providers }: Tool, request: AccessRequest): Refused | null => {
    const refusals = providers.map((spec) => provider(principal, spec, request));
    const [first] = refusals;
    if (!first || refusals.includes(null)) return null;
    return { why: first.why, refused: `where it leads is not for this caller: ${first.refused}` };
  };

  const flags = ({ persona }: Principal, { metadata }: Tool, request: AccessRequest): Refused | null => {
    const { personas } = config();
    const held = persona !== null && Object.hasOwn(personas, persona) ? personas[persona]?.flags : undefined;
    const missing = missingFlags(metadata.requires_flags, held ?? {}, request.arguments);
    if (missing.length === 0) return null;
    const who = persona === null ? "a caller without a persona" : `persona '${persona}'`;
    return { why: "flags", refused: `${who} lacks ${missing.join(", ")}` };
  };

  const decide = (principal: Principal, tool: Tool, request: AccessRequest): Refused | null => {
    const { server: name } = tool.id;
    const outside =
      (name === null ? ways(principal, tool, request) : server(principal, name, request)) ??
      own(principal, tool, request) ??
      flags(principal, tool, request);
    // Tools of our own belong to no group and to every state.
    if (outside || tool.source === "builtin") return outside;
    const group = refuseGroups(principal, request) ?? refuseGroupsOf(principal, tool.metadata, request);
    if (group !== null) return { why: "tool groups", refused: group };
    const state = refuseState(tool.metadata, request);
    return state === null ? null : { why: "state", refused: state };
  };

  const known = createKnownGrants(config);
  const grantFor: Grants["grantFor"] = (principal, tool, request = {}) =>
    closed(() =>
      known(principal, tool, request, () => {
        const refused = closed(() => decide(principal, tool, request));
        return refused ?? { by: tool.groups.length > 0 ? "group" : "everybody" };
      }),
    );

  return {
    grantFor,
    grantToSee(principal, tool, args) {
      const request = { ...allGroupsOf(principal), ...(args && { arguments: args }) };
      const grant = grantFor(principal, tool, request);
      return "refused" in grant && grant.why === "state" ? { by: "everybody" } : grant;
    },
    refuseProvider: (principal, spec, request = {}) => closed(() => provider(principal, spec, request)),
    refuseGroups,
    maySeeServer(principal, name) {
      if (principal.servers && !principal.servers.includes(name)) return false;
      if (mayDo(principal, "admin")) return true;
      const definition = config().servers[name];
      const enabled = definition && { ...definition, enabled: true };
      return closed(() => refuseServer(principal, name, enabled, { compliance, request: {} })) === null;
    },
    hasLocks: () => Object.values(config().servers).some(({ discoverable }) => discoverable),
    lockedServer(principal, name) {
      const definition = config().servers[name];
      if (!definition || !closed(() => server(principal, name, {}))?.locked) return null;
      return { name, description: definition.description, contact: contactOf(definition), locked: true };
    },
  };
}

/**
 * The same question is asked several times with every call. Its answer is kept as long as the configuration is; not where
 * it also depends on what a call says of itself, or on what a tool written by hand leads to.
 */
function createKnownGrants(config: GrantFacts["config"]) {
  let of: unknown;
  let known = new WeakMap<Principal, WeakMap<Tool, Grant | Refused>>();
  return (principal: Principal, tool: Tool, request: AccessRequest, decide: () => Grant | Refused) => {
    if (tool.id.server === null || Object.keys(request).length > 0) return decide();
    if (of !== config()) [of, known] = [config(), new WeakMap()];
    const grants = known.get(principal) ?? new WeakMap<Tool, Grant | Refused>();
    const before = grants.get(tool);
    if (before) return before;
    const grant = decide();
    known.set(principal, grants.set(tool, grant));
    return grant;
  };
}

/** What cannot be decided is refused. */
function closed<T>(decide: () => T): T | Refused {
  try {
    return decide();
  } catch {
    return { why: "defect", refused: "it could not be found out whether they may" };
  }
}

function refuseUnlisted({ persona }: Principal, personas: readonly string[] | undefined): Refused | null {
  if (personas === undefined || personas.includes(persona ?? "")) return null;
  return { why: "persona", refused: `it is for the personas ${personas.join(", ")}` };
}

/** The check of the levels in force, made once for as long as they are. */
function createCurrentCheck(settings: () => Compliance): ComplianceCheck {
  let known: { of: Compliance; check: ComplianceCheck } | undefined;
  return (ofCaller, ofServer) => {
    const of = settings();
    if (known?.of !== of || known === undefined) known = { of, check: createComplianceCheck(of) };
    return known.check(ofCaller, ofServer);
  };
}

/** Why a server is not for this caller, or null. What is not configured is nobody's. */
function refuseServer(
  principal: Principal,
  name: string,
  definition: ServerDefinition | undefined,
  { compliance, request }: { compliance: ComplianceCheck; request: AccessRequest },
): Refused | null {
  if (principal.servers && !principal.servers.includes(name))
    return { why: "server", refused: "its server is not among those this caller is limited to" };
  if (definition === undefined) return { why: "server", refused: "its server is not configured" };
  if (!definition.enabled) return { why: "server", refused: "its server is disabled" };
  const { workspaces, persona, groups, compliance_level } = definition;
  return (
    refuseWorkspace(principal, workspaces) ??
    refusePersona(principal, persona) ??
    withContact(
      refuseGroup(principal, groups) ?? refuseLevel(principal, compliance_level, compliance, request),
      definition,
    )
  );
}

/** One common group is enough, and no group means everybody. */
function refuseGroup(principal: Principal, groups: readonly string[]): Refused | null {
  if (groups.length === 0 || groups.some((group) => principal.groups.includes(group))) return null;
  return { why: "groups", refused: `it is for members of ${groups.join(", ")}` };
}

function refusePersona(principal: Principal, persona: string | null): Refused | null {
  if (persona === null || persona === principal.persona) return null;
  return { why: "persona", refused: `it belongs to persona '${persona}'` };
}

/** The names of other workspaces are told to nobody. */
function refuseWorkspace({ workspace }: Principal, workspaces: readonly string[] = []): Refused | null {
  if (workspaces.length === 0 || (workspace !== null && workspaces.includes(workspace))) return null;
  return { why: "workspace", refused: "it belongs to another workspace" };
}

/** A level that a call names holds beside the caller's own, so that it can only tighten. */
function refuseLevel(
  principal: Principal,
  level: string | null,
  check: ComplianceCheck,
  request: AccessRequest,
): Refused | null {
  const refused = check(principal.compliance, level) ?? check(request.compliance ?? null, level);
  return refused === null ? null : { why: "compliance", refused };
}

function withContact(refused: Refused | null, definition: ServerDefinition): Refused | null {
  return refused && definition.discoverable ? { ...refused, locked: contactOf(definition) } : refused;
}

function contactOf({ author, help_email }: ServerDefinition): Contact {
  return { author: author ?? null, help_email: help_email ?? null };
}
