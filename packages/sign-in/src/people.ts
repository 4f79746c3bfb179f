import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { Invited, PersonAsked } from "../../../src/model/access/person.ts";
import type { PersonRights, SignInDesk, SignInPorts } from "../../../src/model/access/sign-in.ts";
import type { GrantView, PersonView } from "../../../src/model/access/sign-in-schema.ts";
import { PlaneError } from "../../../src/model/errors.ts";
import { everyScope, mayDo, principalOf, type Scope, scopeNames } from "../../../src/model/principal.ts";
import { describeClient } from "./clients.ts";
import { findAllowed, withLimits } from "./grants.ts";

const personKind = "Person";
const invitationKind = "Invitation";
/** One request at a time uses an invitation; where it is not heard of again, the next may after this. */
const acceptSeconds = 60;
const invitationSeconds = 7 * 24 * 3_600;
const maxTextLength = 200;
/** 32 MiB for each try. */
const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
export const minPasswordLength = 12;
const maxPasswordLength = 1_000;
const knownScopes: readonly string[] = [...scopeNames, everyScope];

export type Passkey = { id: string; publicKey: string; counter: number; transports: string[] };

export type Person = PersonRights & {
  source: "local" | "provider";
  createdAt: string;
  lastSignInAt: string | null;
  passkeys: Passkey[];
  /** Salt and hash. */
  password: string | null;
  /** Of passkeys; says nothing about the person. */
  handle: string;
  /** The hash of the invitation that was used last. */
  accepted?: string;
};

type Rows = SignInPorts["rows"];
type DeskPorts = Pick<SignInPorts, "rows" | "revoked">;

export const findPerson = async (rows: Rows, user: string) => (await rows.get<Person>(personKind, user))?.value ?? null;

export const savePerson = (rows: Rows, person: Person) =>
  rows.put(personKind, person.user, person, { uid: person.handle });

export async function personByHandle(rows: Rows, handle: string): Promise<Person | null> {
  return (await rows.list<Person>(personKind, { uid: handle }))[0]?.value ?? null;
}

/** A person of the provider is who the provider says, also in its newest words. */
export async function rememberPerson(
  ports: DeskPorts,
  rights: PersonRights,
  /** What the provider said nothing of this time. */
  unsaid: readonly (keyof PersonRights)[] = [],
): Promise<Person> {
  const { rows } = ports;
  const before = await findPerson(rows, rights.user);
  if (before?.source === "local")
    throw new PlaneError("FORBIDDEN", "A person of this name was invited here and signs in without the provider.");
  const now = new Date().toISOString();
  const known = before ? Object.fromEntries(unsaid.map((name) => [name, before[name]])) : {};
  const person: Person = {
    ...rights,
    ...known,
    source: "provider",
    createdAt: before?.createdAt ?? now,
    lastSignInAt: now,
    passkeys: [],
    password: null,
    handle: before?.handle ?? randomBytes(32).toString("base64url"),
  };
  await savePerson(rows, person);
  await endWhatIsTooMuch(ports, person);
  return person;
}

/** Its tokens end first: whatever becomes of this process then, they stay ended. */
async function revokeGrant({ rows, revoked }: DeskPorts, id: string): Promise<boolean> {
  if ((await rows.get("Grant", id)) !== null) await revoked(id);
  await rows.removeGrant(id);
  return rows.remove("Grant", id);
}

/** A client keeps nothing that its person may no longer give. */
async function endWhatIsTooMuch(ports: DeskPorts, person: Person): Promise<void> {
  for (const { id, value } of await ports.rows.list<KeptGrant>("Grant", { account: person.user }))
    if (grantable(person, scopesIn(value)).refused.length > 0) await revokeGrant(ports, id);
}

const scopesIn = ({ resources = {} }: KeptGrant) => [
  ...new Set(Object.values(resources).flatMap((scope) => scope.split(" "))),
];

/** The scopes that a person may give away. */
export function grantable(person: Person, asked: readonly string[]): { given: string[]; refused: string[] } {
  const rights = principalOf({ scopes: person.scopes });
  const isOurs = (scope: string): scope is Scope => (scopeNames as readonly string[]).includes(scope);
  const given = asked.filter((scope) => !isOurs(scope) || mayDo(rights, scope));
  return { given, refused: asked.filter((scope) => !given.includes(scope)) };
}

const markOf = (invitation: string) => createHash("sha256").update(invitation).digest("base64url");

/** The person of an invitation that is not used up. */
export async function invitedPerson(rows: Rows, token: string): Promise<Person | null> {
  const found = await rows.get<{ user: string }>(invitationKind, token);
  const person = found && (await findPerson(rows, found.value.user));
  return person === null || person.accepted === markOf(token) ? null : person;
}

/**
 * Keeps what the person chose; false where another request with this invitation is at it. The person knows which one was
 * used: a plane that is killed in between leaves it used or as it was.
 */
export async function acceptInvitation(rows: Rows, token: string, person: Person): Promise<boolean> {
  if ((await rows.count(`accept ${token}`, acceptSeconds)) > 1) return false;
  await savePerson(rows, { ...person, accepted: markOf(token) });
  await rows.remove(invitationKind, token);
  return true;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("base64url")}.${(await derive(password, salt)).toString("base64url")}`;
}

/** As long for a person who is not there. */
export async function isPassword(person: Person | null, password: string): Promise<boolean> {
  const [salt = "", hash = ""] = (person?.password ?? "AAAAAAAAAAAAAAAAAAAAAA.").split(".");
  const known = Buffer.from(hash, "base64url");
  const given = await derive(password.slice(0, maxPasswordLength), Buffer.from(salt, "base64url"));
  return known.length === given.length && timingSafeEqual(known, given);
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key))),
  );
}

/** People and grants, for commands and the HTTP API. */
export function openDesk(ports: DeskPorts): SignInDesk {
  const { rows } = ports;
  const invitations = async () => {
    const open = await rows.list<{ user: string; until: string }>(invitationKind);
    return new Map(open.filter(({ consumedAt }) => consumedAt === null).map(({ value }) => [value.user, value.until]));
  };

  return {
    revokeGrant: (id) => revokeGrant(ports, id),
    async people() {
      const until = await invitations();
      return (await rows.list<Person>(personKind)).map(({ value }) => viewOf(value, until.get(value.user) ?? null));
    },
    async invite(asked, origin): Promise<Invited> {
      const person = newPerson(asked, await findPerson(rows, asked.user ?? ""));
      const token = randomBytes(32).toString("base64url");
      const expiresAt = new Date(Date.now() + invitationSeconds * 1_000).toISOString();
      await savePerson(rows, person);
      await endWhatIsTooMuch(ports, person);
      for (const old of await rows.list<{ user: string }>(invitationKind, { account: person.user }))
        await rows.remove(invitationKind, old.id);
      const about = { account: person.user, seconds: invitationSeconds };
      await rows.put(invitationKind, token, { user: person.user, until: expiresAt }, about);
      return { person: viewOf(person, expiresAt), url: `${origin}/sign-in/invite/${token}`, expiresAt };
    },
    async removePerson(user) {
      for (const grant of await rows.list("Grant", { account: user })) await revokeGrant(ports, grant.id);
      for (const kind of ["Session", invitationKind])
        for (const kept of await rows.list(kind, { account: user })) await rows.remove(kind, kept.id);
      return rows.remove(personKind, user);
    },
    async grants(user) {
      const kept = await rows.list<KeptGrant>("Grant", user === null ? {} : { account: user });
      return Promise.all(kept.map((grant) => grantView(rows, grant)));
    },
  };
}

type KeptGrant = { accountId: string; clientId: string; resources?: Record<string, string> };

async function grantView(rows: Rows, { id, value, madeAt, usedAt }: Awaited<ReturnType<Rows["list"]>>[number]) {
  const kept = value as unknown as KeptGrant;
  const { accountId, clientId, resources = {} } = kept;
  const known = await findAllowed(rows, id);
  const view: GrantView = {
    id,
    user: accountId,
    client: describeClient(known ?? { client_id: clientId }),
    scopes: withLimits(scopesIn(kept), known?.limits ?? null),
    resources: Object.keys(resources),
    createdAt: new Date(madeAt).toISOString(),
    lastUsedAt: usedAt === null ? null : new Date(usedAt).toISOString(),
  };
  return view;
}

function viewOf(person: Person, invitedUntil: string | null): PersonView {
  const { user, groups, persona, scopes, source, passkeys, password, createdAt, lastSignInAt } = person;
  const signsIn = { passkeys: passkeys.length, hasPassword: password !== null };
  return { user, groups, persona, scopes, source, ...signsIn, invitedUntil, createdAt, lastSignInAt };
}

/** A second invitation changes what the person may, and lets them set up another passkey. */
function newPerson(asked: PersonAsked, before: Person | null): Person {
  const text = (value: unknown, field: string) => {
    if (typeof value === "string" && value.trim() !== "" && value.length <= maxTextLength) return value.trim();
    throw new PlaneError("USAGE", `'${field}' of a person must be a string of 1 to ${maxTextLength} characters.`);
  };
  const user = text(asked.user, "user");
  if (before?.source === "provider")
    throw new PlaneError("USAGE", `${user} signs in at the identity provider and needs no invitation.`);
  const scopes = asked.scopes ?? before?.scopes ?? ["call"];
  const strange = scopes.find((scope) => !knownScopes.includes(scope));
  if (strange !== undefined)
    throw new PlaneError("USAGE", `There is no scope '${strange.slice(0, 40)}'. Use ${knownScopes.join(", ")}.`);
  return {
    user,
    groups: (asked.groups ?? before?.groups ?? []).map((group) => text(group, "groups")),
    persona: asked.persona === undefined ? (before?.persona ?? null) : asked.persona,
    workspace: before?.workspace ?? null,
    compliance: before?.compliance ?? null,
    scopes,
    source: "local",
    createdAt: before?.createdAt ?? new Date().toISOString(),
    lastSignInAt: before?.lastSignInAt ?? null,
    passkeys: before?.passkeys ?? [],
    password: before?.password ?? null,
    handle: before?.handle ?? randomBytes(32).toString("base64url"),
  };
}
