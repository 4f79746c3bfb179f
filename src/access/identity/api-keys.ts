import type { CreatedApiKey, NewApiKey } from "../../model/access/credentials.ts";
import type { ApiKey } from "../../model/access/credentials-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject } from "../../model/json.ts";
import { everyScope, type Principal, principalOf, scopeNames } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { unauthenticated } from "./unauthenticated.ts";

const prefix = "tp_";
const secretShape = /^tp_[A-Za-z0-9_-]{43}$/;
const maxTextLength = 200;
const notedEveryMs = 60_000;
const lists = ["groups", "scopes", "toolGroups"] as const;
const texts: readonly (keyof NewApiKey)[] = ["name", "user", "persona", "workspace", "compliance", "expiresAt"];
const fields = [...texts, ...lists];
const knownScopes: readonly string[] = [...scopeNames, everyScope];

/** Node's cryptography is loaded on first use: it takes as long as a small command. */
const crypto = () => process.getBuiltinModule("node:crypto");

/** A secret of 256 random bits cannot be guessed from its hash, so the hash needs neither salt nor slowness. */
const hashSecret = (secret: string) => crypto().createHash("sha256").update(secret).digest("hex");

export function looksLikeKey(token: string): boolean {
  return token.startsWith(prefix);
}

type Ports = { store(): Promise<Store>; emit(event: PlaneEvent): void };

/** Reads the store every time, so that a key that another process revokes is revoked at once. */
export function createApiKeys({ store, emit }: Ports) {
  const find = async (id: string) => (await (await store()).apiKeys()).find((key) => key.id === id);
  return {
    list: async (): Promise<ApiKey[]> => (await store()).apiKeys(),
    exist: async (): Promise<boolean> => (await store()).hasApiKeys(),

    async create(given: NewApiKey, creator: Principal): Promise<CreatedApiKey> {
      const asked = parseNewKey(given, creator);
      const secret = prefix + crypto().randomBytes(32).toString("base64url");
      const createdAt = new Date().toISOString();
      const id = crypto().randomBytes(5).toString("hex");
      const createdBy = [creator.user ?? [], creator.keyCreators ?? []].flat();
      const key: ApiKey = { id, ...asked, createdAt, createdBy, lastUsedAt: null, revokedAt: null };
      await (await store()).addApiKey(key, hashSecret(secret));
      emit({ type: "key.created", keyId: id, name: key.name });
      return { key, secret };
    },

    async revoke(id: string, forget: boolean): Promise<boolean> {
      const key = await find(id);
      if (key === undefined)
        throw new PlaneError("NOT_FOUND", `There is no key '${id}'. 'toolplane keys list' shows them all.`);
      const { revokeApiKey, deleteApiKey } = await store();
      const isFirst = await revokeApiKey(id, new Date().toISOString());
      if (isFirst) emit({ type: "key.revoked", keyId: id, name: key.name });
      if (forget) await deleteApiKey(id);
      return isFirst;
    },

    async identify(secret: string): Promise<Principal> {
      const opened = await store();
      const found = secretShape.test(secret) ? await opened.apiKeyByHash(hashSecret(secret)) : null;
      const now = Date.now();
      const key = requireLive(found, now);
      // A key counts even where its use cannot be noted.
      if (key.lastUsedAt === null || now - Date.parse(key.lastUsedAt) >= notedEveryMs)
        await opened.touchApiKey(key.id, new Date(now).toISOString()).catch(() => undefined);
      return principalWith(key);
    },

    again: async (id: string) => principalWith(requireLive((await find(id)) ?? null, Date.now())),
  };
}

function principalWith(key: ApiKey): Principal {
  const { id, user, groups, persona, scopes, workspace, compliance = null, toolGroups, createdBy = [] } = key;
  const known = { user, groups, persona, scopes, workspace, compliance, key: id };
  const creators = createdBy.length === 0 ? {} : { keyCreators: createdBy };
  return principalOf({ ...known, ...creators, ...(toolGroups === undefined ? {} : { toolGroups }) });
}

/** Only the holder of the whole secret learns what became of the key. */
function requireLive(key: ApiKey | null, now: number): ApiKey {
  if (key === null) throw unauthenticated("unknown", "This API key is not known here. Check that it was copied whole.");
  const { id, revokedAt, expiresAt } = key;
  if (revokedAt !== null)
    throw unauthenticated("revoked", `The API key ${id} was revoked at ${revokedAt}. Use another one.`);
  if (expiresAt !== null && Date.parse(expiresAt) <= now)
    throw unauthenticated("expired", `The API key ${id} expired at ${expiresAt}. Use a new one.`);
  return key;
}

/** A new key with its defaults. It may come from outside, so everything is checked. */
function parseNewKey(given: NewApiKey, creator: Principal) {
  if (!isObject(given)) throw usage('A key is described by an object such as {"name": "ci"}');
  const unknown = Object.keys(given).find((field) => !fields.some((known) => known === field));
  if (unknown !== undefined) throw usage(`A key has no '${unknown}'. It takes: ${fields.join(", ")}`);
  const name = toText(given.name, "name");
  if (name === null) throw usage("A key needs a name, so that people know what it is for");
  const scopes = listIn(given, "scopes");
  const strange = scopes.find((scope) => !knownScopes.includes(scope));
  if (strange !== undefined) throw usage(`There is no scope '${strange.slice(0, 40)}'. Use ${knownScopes.join(", ")}`);
  return {
    name,
    user: toText(given.user, "user") ?? creator.user ?? name,
    groups: listIn(given, "groups"),
    persona: toText(given.persona, "persona"),
    scopes: scopes.length > 0 ? scopes : ["call"],
    workspace: toText(given.workspace, "workspace"),
    ...(given.compliance ? { compliance: toText(given.compliance, "compliance") ?? "" } : {}),
    // An empty list means none, a missing one the default.
    ...(given.toolGroups ? { toolGroups: listIn(given, "toolGroups") } : {}),
    expiresAt: futureTime(given.expiresAt),
  };
}

function toText(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.trim() !== "" && value.length <= maxTextLength) return value.trim();
  throw usage(`'${field}' of a key must be a string of 1 to ${maxTextLength} characters`);
}

function listIn(given: NewApiKey, field: (typeof lists)[number]): string[] {
  const value: unknown = given[field] ?? [];
  if (!Array.isArray(value)) throw usage(`'${field}' of a key must be a list of strings`);
  return [...new Set(value.map((item) => toText(item, field) ?? ""))].filter((item) => item !== "");
}

function futureTime(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const at = new Date(typeof value === "string" ? value : Number.NaN);
  if (Number.isNaN(at.getTime())) throw usage("'expiresAt' of a key must be a date such as 2027-01-31T12:00:00Z");
  if (at.getTime() <= Date.now()) throw usage("'expiresAt' of a key must lie in the future");
  return at.toISOString();
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", `${message}.`);
}
