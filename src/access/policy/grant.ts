import type { AccessRequest, Grant, Refused } from "../../model/call.ts";
import type { Compliance } from "../../model/compliance.ts";
import type { ConfigValues } from "../../model/config.ts";
import type { Grants } from "../../model/grants.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import type { ProviderSpec, Tool, ToolId } from "../../model/tool.ts";
import { type ComplianceCheck, createComplianceCheck } from "./compliance.ts";
import { missingFlags } from "./flags.ts";
import {
  contactOf,
  refuseGroup,
  refuseLevel,
  refusePersona,
  refuseServer,
  refuseWorkspace,
} from "./server-grant.ts";
import { allGroupsOf, refuseGroups, refuseGroupsOf, refuseState } from "./tool-groups.ts";

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
