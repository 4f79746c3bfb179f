import { withoutUndefined } from "../lib/json/plain-data.ts";
import { PlaneError } from "./errors.ts";

/** `agent` is a model that the plane runs. */
export const faces = ["library", "cli", "http", "workbench", "mcp", "agent"] as const;
export type Face = (typeof faces)[number];

/** `read` lists tools, `call` also calls them, `admin` also manages the plane and sees all calls. */
export const scopeNames = ["read", "call", "admin"] as const;
export type Scope = (typeof scopeNames)[number];

/** Everything, also scopes that are added later. */
export const everyScope = "*";

/** Who calls. */
export type Principal = {
  /** Null when anonymous. */
  user: string | null;
  /** They decide which servers and tools the caller has. */
  groups: string[];
  /** The persona of the caller. */
  persona: string | null;
  /** What the caller may do; see `mayDo`. */
  scopes: string[];
  /** The workspace of the caller. */
  workspace: string | null;
  /** The level of the caller's data. */
  compliance: string | null;
  /** The directory of this machine that the caller works in, without links. */
  directory?: string;
  /** Groups of tools. Default: `default`, and all for the scope `*`. */
  toolGroups?: string[];
  /** The only servers. Default: all. */
  servers?: string[];
  /** What the scopes of a token limit the caller to: whole servers, and tools of toolsets. */
  within?: { servers: string[]; toolsets: string[] };
  /** The API key of the caller. */
  key?: string;
  /** Who created that key, and who created the key of the creator. */
  keyCreators?: string[];
  /** Any program of this machine can be this caller: it lists and calls, but changes and approves nothing. */
  isUnproven?: true;
  /** The variables of the caller's process ask for a person's yes: to every call, or where no rule decides. */
  asks?: "always" | "byDefault";
  /** What the caller brought, where `users` of the configuration adds the rest. */
  brought?: Brought;
};

type Brought = Pick<Principal, "groups" | "persona" | "workspace" | "compliance" | "toolGroups">;

export const anonymous: Principal = {
  user: null,
  groups: [],
  persona: null,
  scopes: [],
  workspace: null,
  compliance: null,
};

/**
 * A caller, by default with the scope `call`.
 * @example
 * await plane.call("demo.add", { a: 1, b: 2 }, { principal: principalOf({ user: "ann", groups: ["ops"] }) });
 */
export function principalOf(fields: Partial<Principal>): Principal {
  return { ...anonymous, scopes: ["call"], ...fields };
}

const completedPrincipals = new WeakMap<Partial<Principal>, Principal>();

/** A caller as a program describes them, with the rest as `principalOf` has it. The same object for the same description. */
export function wholePrincipal(described: Partial<Principal>): Principal {
  const fields = Object.keys(anonymous) as (keyof Principal)[];
  if (fields.every((field) => described[field] !== undefined)) return described as Principal;
  const principal = completedPrincipals.get(described) ?? principalOf(withoutUndefined(described));
  completedPrincipals.set(described, principal);
  return principal;
}

/** The local user, or the program that embeds the plane. */
export function trusted(fields: Partial<Principal> = {}): Principal {
  return principalOf({ scopes: [everyScope], ...fields });
}

const sufficientScopes: Record<Scope, readonly string[]> = {
  read: [everyScope, "read", "call", "admin"],
  call: [everyScope, "call", "admin"],
  admin: [everyScope, "admin"],
};

export function mayDo(principal: Principal, scope: Scope): boolean {
  return principal.scopes.some((ownScope) => sufficientScopes[scope].includes(ownScope));
}

/** `what` goes on after "may not". */
export function requireScope(principal: Principal, scope: Scope, what: string): void {
  if (mayDo(principal, scope)) return;
  const who = principal.user ?? "An anonymous caller";
  throw new PlaneError("FORBIDDEN", `${who} may not ${what}: it takes the scope '${scope}'.`, {
    data: { scope },
  });
}

type KnownUser = Pick<Brought, "groups" | "persona"> & {
  workspace?: string | null | undefined;
  compliance?: string | null | undefined;
  tool_groups?: string[] | undefined;
};

/** Adds what the configuration lists for a user; what they bring wins. */
export function withListed(
  principal: Principal,
  users: Readonly<Record<string, KnownUser>>,
): Principal {
  const { user } = principal;
  const listed = user !== null && Object.hasOwn(users, user) ? users[user] : undefined;
  if (listed === undefined && principal.brought === undefined) return principal;
  const brought = principal.brought ?? broughtBy(principal);
  const { toolGroups: _, ...unlimited } = principal;
  const bare = { ...unlimited, ...brought };
  if (listed === undefined) return bare;
  const toolGroups = brought.toolGroups ?? listed.tool_groups;
  return {
    ...bare,
    groups: brought.groups.length > 0 ? brought.groups : listed.groups,
    persona: brought.persona ?? listed.persona,
    workspace: brought.workspace ?? listed.workspace ?? null,
    compliance: brought.compliance ?? listed.compliance ?? null,
    ...(toolGroups === undefined ? {} : { toolGroups }),
    brought,
  };
}

function broughtBy({ groups, persona, workspace, compliance, toolGroups }: Principal): Brought {
  const ownFields = { groups, persona, workspace, compliance };
  return toolGroups === undefined ? ownFields : { ...ownFields, toolGroups };
}

/**
 * The same caller with all of its servers, none, or those named.
 * @example
 * const principal = narrow(principalOf({ user: "ann" }), { servers: ["files"] });
 * await plane.agent.run("What is in notes.txt?", { principal });
 */
export function narrow(
  principal: Principal,
  { servers }: { servers: boolean | readonly string[] },
): Principal {
  if (servers === true) return principal;
  if (
    servers !== false &&
    !(Array.isArray(servers) && servers.every((name) => typeof name === "string"))
  )
    throw new PlaneError(
      "USAGE",
      "The servers of a sub-agent are true, false or a list of their names.",
    );
  const named = servers === false ? [] : [...servers];
  const before = principal.servers;
  return { ...principal, servers: before ? named.filter((name) => before.includes(name)) : named };
}

/** Default: the library's own caller. */
export type Caller = {
  principal?: Principal;
  face?: Face;
  /** Where they are: an address of the network, or `socket`. */
  address?: string;
};

/** A caller inside the plane, where who calls is always known. */
export type KnownCaller = Caller & { principal: Principal };

/** The same methods inside the plane: `bindCaller` fills in the caller who was left out. */
export type Inside<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => infer Answer
    ? (...args: KnownArguments<Args>) => Answer
    : Methods[Name];
};
type KnownArguments<Args extends readonly unknown[]> = Args extends readonly []
  ? []
  : Args extends readonly [infer First, ...infer Rest]
    ? [WithCaller<First>, ...KnownArguments<Rest>]
    : number extends Args["length"]
      ? Args
      : Args extends readonly [(infer First)?, ...infer Rest]
        ? [WithCaller<Exclude<First, undefined>, undefined>, ...KnownArguments<Rest>]
        : never;
type WithCaller<Arg, Missing = never> = string extends keyof Arg
  ? Arg | Missing
  : "principal" extends keyof Arg
    ? Arg & KnownCaller
    : Arg | Missing;

/** How long to wait for servers that have not listed yet. */
export type WaitingCaller = Caller & { waitMs?: number };

const owners = new WeakMap<Principal, string>();

/** Whose calls, results, approvals and runs these are: a key's own, or those of a user with the same rights. */
export function ownerOf(principal: Principal): string {
  const owner = owners.get(principal) ?? describeOwner(principal);
  owners.set(principal, owner);
  return owner;
}

/** Before the limits of an owner whose token is for some servers alone. */
const limitMark = "\nwithin ";

function describeOwner(principal: Principal): string {
  const { within } = principal;
  const unlimitedOwner = describeUnlimited(principal);
  if (within === undefined) return unlimitedOwner;
  return (
    unlimitedOwner +
    limitMark +
    JSON.stringify([within.servers.toSorted(), within.toolsets.toSorted()])
  );
}

function describeUnlimited(principal: Principal): string {
  const { user, key, scopes } = principal;
  if (key !== undefined) return `key:${key}`;
  const {
    groups,
    persona,
    workspace,
    compliance,
    toolGroups = [],
  } = principal.brought ?? principal;
  const rights = [scopes, groups, toolGroups].map((list) => list.toSorted());
  return JSON.stringify([user, ...rights, persona, workspace, compliance]);
}

/** What a token for some servers did belongs to its person, too; not the other way round. */
function owns(reader: Principal, owner: string): boolean {
  const readerOwner = ownerOf(reader);
  return (
    owner === readerOwner ||
    (reader.within === undefined && owner.startsWith(readerOwner + limitMark))
  );
}

/** A weaker key of the same user is another owner; an administrator's credential of that user is none. */
export function isOwner(reader: Principal, owner: Principal): boolean {
  if (reader.user !== owner.user) return false;
  return mayDo(reader, "admin") || owns(reader, ownerOf(owner));
}

/** Two spellings of a name are one person where a second person is asked for. */
export function isSameName(a: string | null, b: string | null): boolean {
  return a === b || (a !== null && b !== null && foldedName(a) === foldedName(b));
}

const foldedName = (name: string) => name.normalize("NFKC").trim().toLowerCase();

/** Is it this user, or a key that this user created for another name? */
export function actsFor(
  { user, keyCreators = [] }: Pick<Principal, "user" | "keyCreators">,
  other: string | null,
) {
  return [user, ...keyCreators].some((name) => isSameName(name, other));
}

/** The same for a record that keeps its `owner`; one of an earlier version has none. */
export function ownsRecord(
  reader: Principal,
  { user, owner }: { user: string | null; owner?: string },
): boolean {
  if (mayDo(reader, "admin")) return true;
  return user === reader.user && (owner === undefined || owns(reader, owner));
}
