import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { Invited, PersonAsked } from "../../../src/model/access/person.ts";
import type { PersonRights, SignInDesk, SignInPorts } from "../../../src/model/access/sign-in.ts";
import type { GrantView, PersonView } from "../../../src/model/access/sign-in-schema.ts";
import { PlaneError } from "../../../src/model/errors.ts";
import { foreign } from "../../../src/model/foreign.ts";
import {
  everyScope,
  mayDo,
  principalOf,
  type Scope,
  scopeNames,
} from "../../../src/model/principal.ts";
import { describeClient, type ListedClients } from "./client-view.ts";
import { findAllowed, withLimits } from "./grants.ts";

const personKind = "Person";
const invitationKind = "Invitation";
/** One request at a time uses an invitation; where it is not heard of again, the next may after this. */
const acceptSeconds = 60;
const invitationSeconds = 7 * 24 * 3_600;
const maxTextLength = 200;
/** 32 MiB for each try. */
const cost = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
export const passwordLength = { least: 12, most: 1_000 };
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
  const person =
    session?.accountId === undefined ? null : await findPerson(rows, session.accountId);
  return person !== null && session?.acr === stateOf(person) ? person : null;
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
  const of = (before: Person | null): Person => {
    if (before?.source === "local")
      throw new PlaneError(
        "FORBIDDEN",
        "A person of this name was invited here and signs in without the provider.",
      );
    const known = before ? Object.fromEntries(unsaid.map((name) => [name, before[name]])) : {};
    return {
      ...rights,
      ...known,
      source: "provider",
      createdAt: before?.createdAt ?? now,
      lastSignInAt: now,
      passkeys: [],
      password: null,
      handle: before?.handle ?? randomBytes(32).toString("base64url"),
    };
  };
  const person = (await changePerson(ports.rows, rights.user, of)) as Person;
  await endWhatIsTooMuch(ports, person);
  return person;
}

/** Its tokens end first: whatever becomes of this process then, they stay ended. */
export async function revokeGrant({ rows, revoked }: GrantPorts, id: string): Promise<boolean> {
  if ((await rows.get("Grant", id)) !== null) await revoked(id);
  await rows.removeGrant(id);
  return rows.remove("Grant", id);
}

/** A client keeps nothing that its person may no longer give. */
async function endWhatIsTooMuch(ports: GrantPorts, person: Person): Promise<void> {
  for (const { id, value } of await ports.rows.list<KeptGrant>("Grant", { account: person.user }))
    if (grantable(person, scopesIn(value)).refused.length > 0) await revokeGrant(ports, id);
}

const scopesIn = ({ resources = {} }: KeptGrant) => [
  ...new Set(Object.values(resources).flatMap((scope) => scope.split(" "))),
];

/** The scopes that a person may give away. */
export function grantable(
  person: Person,
  asked: readonly string[],
): { given: string[]; refused: string[] } {
  const rights = principalOf({ scopes: person.scopes });
  const isOurs = (scope: string): scope is Scope =>
    (scopeNames as readonly string[]).includes(scope);
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
  const kept = await changePerson(rows, person.user, (now) =>
    now?.handle === handle ? { ...now, password, passkeys, accepted: markOf(token) } : null,
  );
  await rows.remove(invitationKind, token);
  return kept !== null;
}

/** What is wrong with a password that a person chooses; null for nothing. */
export function passwordProblem(password: string): string | null {
  const { least, most } = passwordLength;
  if (password.length < least) return `A password has at least ${least} characters.`;
  return password.length > most ? `A password has at most ${most} characters.` : null;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString("base64url")}.${(await derive(password, salt)).toString("base64url")}`;
}

/** As long for a person who is not there. One that no person can have costs nothing. */
export async function isPassword(person: Person | null, password: string): Promise<boolean> {
  if (password.length > passwordLength.most) return false;
  const [salt = "", hash = ""] = (person?.password ?? "AAAAAAAAAAAAAAAAAAAAAA.").split(".");
  const known = Buffer.from(hash, "base64url");
  const given = await derive(password, Buffer.from(salt, "base64url"));
  return known.length === given.length && timingSafeEqual(known, given);
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, 32, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}

/** People and grants, for commands and the HTTP API. */
export function openDesk(ports: DeskPorts): SignInDesk {
  const { rows } = ports;
  const invitations = async () => {
    const open = await rows.list<{ user: string; until: string }>(invitationKind);
    return new Map(
      open
        .filter(({ consumedAt }) => consumedAt === null)
        .map(({ value }) => [value.user, value.until]),
    );
  };

  return {
    revokeGrant: (id) => revokeGrant(ports, id),
    async people() {
      const until = await invitations();
      return (await rows.list<Person>(personKind)).map(({ value }) =>
        viewOf(value, until.get(value.user) ?? null),
      );
    },
    async invite(asked, origin): Promise<Invited> {
      const user = nameIn(asked);
      const person = (await changePerson(rows, user, (before) =>
        newPerson(asked, user, before),
      )) as Person;
      const token = randomBytes(32).toString("base64url");
      const expiresAt = new Date(Date.now() + invitationSeconds * 1_000).toISOString();
      await endWhatIsTooMuch(ports, person);
      for (const old of await rows.list<{ user: string }>(invitationKind, { account: person.user }))
        await rows.remove(invitationKind, old.id);
      const about = { account: person.user, seconds: invitationSeconds };
      await rows.put(invitationKind, token, { user: person.user, until: expiresAt }, about);
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
        for (const kept of await rows.list(kind, { account: user }))
          await rows.remove(kind, kept.id);
      return wasKnown;
    },
    async grants(user) {
      const kept = await rows.list<KeptGrant>("Grant", user === null ? {} : { account: user });
      const listed = await ports.listedClients();
      return Promise.all(kept.map((grant) => grantView(rows, grant, listed)));
    },
  };
}

type KeptGrant = { accountId: string; clientId: string; resources?: Record<string, string> };

async function grantView(
  rows: Rows,
  { id, value, madeAt, usedAt }: Awaited<ReturnType<Rows["list"]>>[number],
  listed: ListedClients,
) {
  const kept = value as unknown as KeptGrant;
  const { accountId, clientId, resources = {} } = kept;
  const known = await findAllowed(rows, id);
  const view: GrantView = {
    id,
    user: accountId,
    client: describeClient({ id: clientId, self: foreign(known) }, listed),
    scopes: withLimits(scopesIn(kept), known?.limits ?? null),
    resources: Object.keys(resources),
    createdAt: new Date(madeAt).toISOString(),
    lastUsedAt: usedAt === null ? null : new Date(usedAt).toISOString(),
  };
  return view;
}

function viewOf(person: Person, invitedUntil: string | null): PersonView {
  const { user, groups, persona, scopes, source, passkeys, password, createdAt, lastSignInAt } =
    person;
  const signsIn = { passkeys: passkeys.length, hasPassword: password !== null };
  return {
    user,
    groups,
    persona,
    scopes,
    source,
    ...signsIn,
    invitedUntil,
    createdAt,
    lastSignInAt,
  };
}

function text(value: unknown, field: string): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= maxTextLength)
    return value.trim();
  throw new PlaneError(
    "USAGE",
    `'${field}' of a person must be a string of 1 to ${maxTextLength} characters.`,
  );
}

const nameIn = ({ user }: PersonAsked) => text(user, "user");

/** A second invitation changes what the person may, and lets them set up another passkey. */
function newPerson(asked: PersonAsked, user: string, before: Person | null): Person {
  if (before?.source === "provider")
    throw new PlaneError(
      "USAGE",
      `${user} signs in at the identity provider and needs no invitation.`,
    );
  const scopes = asked.scopes ?? before?.scopes ?? ["call"];
  const strange = scopes.find((scope) => !knownScopes.includes(scope));
  if (strange !== undefined)
    throw new PlaneError(
      "USAGE",
      `There is no scope '${strange.slice(0, 40)}'. Use ${knownScopes.join(", ")}.`,
    );
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
