import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { Invited, PersonAsked } from "@toolplane/core/model/access/person";
import type { PersonRights, SignInDesk, SignInPorts } from "@toolplane/core/model/access/sign-in";
import type { GrantView, PersonView } from "@toolplane/core/model/access/sign-in-schema";
import { PlaneError } from "@toolplane/core/model/errors";
import { foreign } from "@toolplane/core/model/foreign";
import {
  everyScope,
  mayDo,
  principalOf,
  type Scope,
  scopeNames,
} from "@toolplane/core/model/principal";
import { describeClient, type ListedClients } from "./client-view.ts";
import { findGrantClient, withLimits } from "./grants.ts";

const personKind = "Person";
const invitationKind = "Invitation";
/** One request at a time uses an invitation; where it is not heard of again, the next may after this. */
const acceptSeconds = 60;
const invitationSeconds = 7 * 24 * 3_600;
const maxTextLength = 200;
/** 32 MiB for each try. */
const scryptCost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
export const passwordLength = { min: 12, max: 1_000 };
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
type GrantPorts = Pick<SignInPorts, "rows" | "revoked">;
type DeskPorts = GrantPorts & { listedClients(): Promise<ListedClients> };

export const findPerson = async (rows: Rows, user: string) =>
  (await rows.get<Person>(personKind, user))?.value ?? null;

/** As the person is at that moment: what others change meanwhile stays. Null where `edit` leaves it. */
export const changePerson = (
  rows: Rows,
  user: string,
  edit: (before: Person | null) => Person | null,
) => rows.change<Person>(personKind, user, edit, ({ handle }) => ({ uid: handle }));

const shortHash = (text: string) =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Who it is, also where another is known by the same name later, and what they sign in with. It says nothing of either. */
export function stateOf({ handle, password, passkeys }: Person): string {
  return `${shortHash(handle)}.${shortHash(JSON.stringify([password, passkeys.map(({ id }) => id)]))}`;
}

export const isSamePerson = (state: string | undefined, person: Person) =>
  state?.split(".", 1)[0] === stateOf(person).split(".", 1)[0];

type SignedIn = { accountId?: string | undefined; acr?: string | undefined };

/** Whose session it is; null where the person is gone, or signs in with something else since. */
export async function personOf(rows: Rows, session: SignedIn | undefined): Promise<Person | null> {
  if (session?.accountId === undefined) return null;
  const person = await findPerson(rows, session.accountId);
  if (person === null || session.acr !== stateOf(person)) return null;
  return person;
}

export async function personByHandle(rows: Rows, handle: string): Promise<Person | null> {
  return (await rows.list<Person>(personKind, { uid: handle }))[0]?.value ?? null;
}

/** A person of the provider is who the provider says, also in its newest words. */
export async function rememberPerson(
  ports: GrantPorts,
  rights: PersonRights,
  /** What the provider said nothing of this time. */
  unsaid: readonly (keyof PersonRights)[] = [],
): Promise<Person> {
  const now = new Date().toISOString();
  const updatedPerson = (before: Person | null): Person => {
    if (before?.source === "local")
      throw new PlaneError(
        "FORBIDDEN",
        "A person of this name was invited here and signs in without the provider.",
      );
    const unsaidRights = before
      ? Object.fromEntries(unsaid.map((name) => [name, before[name]]))
      : {};
    return {
      ...rights,
      ...unsaidRights,
      source: "provider",
      createdAt: before?.createdAt ?? now,
      lastSignInAt: now,
      passkeys: [],
      password: null,
      handle: before?.handle ?? randomBytes(32).toString("base64url"),
    };
  };
  const person = (await changePerson(ports.rows, rights.user, updatedPerson)) as Person;
  await revokeExcessGrants(ports, person);
  return person;
}

/** Its tokens end first: whatever becomes of this process then, they stay ended. */
export async function revokeGrant({ rows, revoked }: GrantPorts, id: string): Promise<boolean> {
  if ((await rows.get("Grant", id)) !== null) await revoked(id);
  await rows.removeGrant(id);
  return rows.remove("Grant", id);
}

/** A client keeps nothing that its person may no longer give. */
async function revokeExcessGrants(ports: GrantPorts, person: Person): Promise<void> {
  for (const { id, value } of await ports.rows.list<StoredGrant>("Grant", { account: person.user }))
    if (grantable(person, scopesIn(value)).refused.length > 0) await revokeGrant(ports, id);
}

const scopesIn = ({ resources = {} }: StoredGrant) => [
  ...new Set(Object.values(resources).flatMap((scope) => scope.split(" "))),
];

/** The scopes that a person may give away. */
export function grantable(
  person: Person,
  requestedScopes: readonly string[],
): { granted: string[]; refused: string[] } {
  const rights = principalOf({ scopes: person.scopes });
  const isPlaneScope = (scope: string): scope is Scope =>
    (scopeNames as readonly string[]).includes(scope);
  const granted = requestedScopes.filter((scope) => !isPlaneScope(scope) || mayDo(rights, scope));
  return { granted, refused: requestedScopes.filter((scope) => !granted.includes(scope)) };
}

const invitationHash = (invitation: string) =>
  createHash("sha256").update(invitation).digest("base64url");

/** The person of an invitation that is not used up. */
export async function invitedPerson(rows: Rows, token: string): Promise<Person | null> {
  const invitation = await rows.get<{ user: string }>(invitationKind, token);
  const person = invitation && (await findPerson(rows, invitation.value.user));
  return person === null || person.accepted === invitationHash(token) ? null : person;
}

/**
 * Keeps what the person chose; false where another request with this invitation is at it, or the person is gone. The person knows which one was
 * used: a plane that is killed in between leaves it used or as it was.
 */
export async function acceptInvitation(
  rows: Rows,
  token: string,
  person: Person,
): Promise<boolean> {
  if ((await rows.count(`accept ${token}`, acceptSeconds)).count > 1) return false;
  // A newer invitation ends this one.
  if ((await rows.get(invitationKind, token)) === null) return false;
  const { handle, password, passkeys } = person;
  const acceptedPerson = await changePerson(rows, person.user, (now) => {
    if (now?.handle !== handle) return null;
    return { ...now, password, passkeys, accepted: invitationHash(token) };
  });
  await rows.remove(invitationKind, token);
  return acceptedPerson !== null;
}

/** What is wrong with a password that a person chooses; null for nothing. */
export function passwordProblem(password: string): string | null {
  const { min, max } = passwordLength;
  if (password.length < min) return `A password has at least ${min} characters.`;
  if (password.length > max) return `A password has at most ${max} characters.`;
  return null;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("base64url")}.${(await derive(password, salt)).toString("base64url")}`;
}

/** As long for a person who is not there. One that no person can have costs nothing. */
export async function isPassword(person: Person | null, password: string): Promise<boolean> {
  if (password.length > passwordLength.max) return false;
  const [salt = "", hash = ""] = (person?.password ?? "AAAAAAAAAAAAAAAAAAAAAA.").split(".");
  const storedKey = Buffer.from(hash, "base64url");
  const derivedKey = await derive(password, Buffer.from(salt, "base64url"));
  return storedKey.length === derivedKey.length && timingSafeEqual(storedKey, derivedKey);
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, 32, scryptCost, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    }),
  );
}

/** People and grants, for commands and the HTTP API. */
export function openDesk(ports: DeskPorts): SignInDesk {
  const { rows } = ports;
  const invitationExpiries = async () => {
    const invitations = await rows.list<{ user: string; until: string }>(invitationKind);
    return new Map(
      invitations
        .filter(({ consumedAt }) => consumedAt === null)
        .map(({ value }) => [value.user, value.until]),
    );
  };

  return {
    revokeGrant: (id) => revokeGrant(ports, id),
    async people() {
      const expiries = await invitationExpiries();
      return (await rows.list<Person>(personKind)).map(({ value }) =>
        viewOf(value, expiries.get(value.user) ?? null),
      );
    },
    async invite(invitee, origin): Promise<Invited> {
      const user = requireText(invitee.user, "user");
      const person = (await changePerson(rows, user, (before) =>
        newPerson(invitee, user, before),
      )) as Person;
      const token = randomBytes(32).toString("base64url");
      const expiresAt = new Date(Date.now() + invitationSeconds * 1_000).toISOString();
      await revokeExcessGrants(ports, person);
      const previous = await rows.list<{ user: string }>(invitationKind, { account: person.user });
      for (const { id } of previous) await rows.remove(invitationKind, id);
      await rows.put(
        invitationKind,
        token,
        { user: person.user, until: expiresAt },
        { account: person.user, seconds: invitationSeconds },
      );
      return {
        person: viewOf(person, expiresAt),
        url: `${origin}/sign-in/invite/${token}`,
        expiresAt,
      };
    },
    async removePerson(user) {
      const endGrants = async () => {
        for (const grant of await rows.list("Grant", { account: user }))
          await revokeGrant(ports, grant.id);
      };
      // The tokens end first. What is allowed meanwhile ends once no more can be.
      await endGrants();
      const wasKnown = await rows.remove(personKind, user);
      await endGrants();
      for (const kind of ["Session", invitationKind])
        for (const row of await rows.list(kind, { account: user })) await rows.remove(kind, row.id);
      return wasKnown;
    },
    async grants(user) {
      const grants = await rows.list<StoredGrant>("Grant", user === null ? {} : { account: user });
      const listedClients = await ports.listedClients();
      return Promise.all(grants.map((grant) => grantView(rows, grant, listedClients)));
    },
  };
}

type StoredGrant = { accountId: string; clientId: string; resources?: Record<string, string> };

async function grantView(
  rows: Rows,
  { id, value, madeAt, usedAt }: Awaited<ReturnType<Rows["list"]>>[number],
  listedClients: ListedClients,
) {
  const grant = value as unknown as StoredGrant;
  const { accountId, clientId, resources = {} } = grant;
  const grantClient = await findGrantClient(rows, id);
  const view: GrantView = {
    id,
    user: accountId,
    client: describeClient({ id: clientId, self: foreign(grantClient) }, listedClients),
    scopes: withLimits(scopesIn(grant), grantClient?.limits ?? null),
    resources: Object.keys(resources),
    createdAt: new Date(madeAt).toISOString(),
    lastUsedAt: usedAt === null ? null : new Date(usedAt).toISOString(),
  };
  return view;
}

function viewOf(person: Person, invitedUntil: string | null): PersonView {
  const { user, groups, persona, scopes, source, passkeys, password, createdAt, lastSignInAt } =
    person;
  return {
    user,
    groups,
    persona,
    scopes,
    source,
    passkeys: passkeys.length,
    hasPassword: password !== null,
    invitedUntil,
    createdAt,
    lastSignInAt,
  };
}

function requireText(value: unknown, field: string): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= maxTextLength)
    return value.trim();
  throw new PlaneError(
    "USAGE",
    `'${field}' of a person must be a string of 1 to ${maxTextLength} characters.`,
  );
}

/** A second invitation changes what the person may, and lets them set up another passkey. */
function newPerson(invitee: PersonAsked, user: string, before: Person | null): Person {
  if (before?.source === "provider")
    throw new PlaneError(
      "USAGE",
      `${user} signs in at the identity provider and needs no invitation.`,
    );
  const scopes = invitee.scopes ?? before?.scopes ?? ["call"];
  const unknownScope = scopes.find((scope) => !knownScopes.includes(scope));
  if (unknownScope !== undefined)
    throw new PlaneError(
      "USAGE",
      `There is no scope '${unknownScope.slice(0, 40)}'. Use ${knownScopes.join(", ")}.`,
    );
  return {
    user,
    groups: (invitee.groups ?? before?.groups ?? []).map((group) => requireText(group, "groups")),
    persona: invitee.persona === undefined ? (before?.persona ?? null) : invitee.persona,
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
