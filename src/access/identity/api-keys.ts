import type { ApiKey, CreatedApiKey, NewApiKey } from "../../model/access/credentials.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject } from "../../model/json.ts";
import { everyScope, type Principal, principalOf, scopeNames } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { hashSecret, isWholeSecret, makeKeyId, makeSecret } from "./key-secret.ts";
import { unauthenticated } from "./unauthenticated.ts";

type Asked = Omit<ApiKey, "id" | "createdAt" | "lastUsedAt" | "revokedAt">;

const longest = 200;
const fields: readonly (keyof NewApiKey)[] = [
  "name",
  "user",
  "groups",
  "persona",
  "scopes",
  "workspace",
  "compliance",
  "toolGroups",
  "expiresAt",
];
const knownScopes: readonly string[] = [...scopeNames, everyScope];

/** What somebody asks for, complete; it may come from outside, so nothing of it is taken for granted. */
function parseNewKey(given: NewApiKey, creator: Principal): Asked {
  if (!isObject(given)) throw usage('A key is described by an object such as {"name": "ci"}');
  const unknown = Object.keys(given).find((field) => !fields.some((known) => known === field));
  if (unknown !== undefined) throw usage(`A key has no '${unknown}'. It takes: ${fields.join(", ")}`);
  const name = text(given.name, "name");
  if (name === null) throw usage("A key needs a name, so that people know what it is for");
  const scopes = texts(given.scopes, "scopes");
  const strange = scopes.find((scope) => !knownScopes.includes(scope));
  if (strange !== undefined) throw usage(`There is no scope '${strange.slice(0, 40)}'. Use ${knownScopes.join(", ")}`);
  return {
    name,
    user: text(given.user, "user") ?? creator.user ?? name,
    groups: texts(given.groups, "groups"),
    persona: text(given.persona, "persona"),
    scopes: scopes.length > 0 ? scopes : ["call"],
    workspace: text(given.workspace, "workspace"),
    ...(given.compliance ? { compliance: text(given.compliance, "compliance") ?? "" } : {}),
    // An empty list is an answer, too: none.
    ...(given.toolGroups ? { toolGroups: texts(given.toolGroups, "toolGroups") } : {}),
    expiresAt: future(given.expiresAt),
  };
}

function text(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.trim() !== "" && value.length <= longest) return value.trim();
  throw usage(`'${field}' of a key must be a text of 1 to ${longest} characters`);
}

function texts(value: unknown, field: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw usage(`'${field}' of a key must be a list of texts`);
  return [...new Set(value.map((item) => text(item, field) ?? ""))].filter((item) => item !== "");
}

function future(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const at = typeof value === "string" ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) throw usage("'expiresAt' of a key must be a date such as 2027-01-31T12:00:00Z");
  if (at.getTime() <= Date.now()) throw usage("'expiresAt' of a key must lie in the future");
  return at.toISOString();
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", `${message}.`);
}

/** A key that is used all the time is not written all the time. */
const notedEveryMs = 60_000;

export type ApiKeysOptions = { store(): Promise<Store>; emit(event: PlaneEvent): void };

/** Every question goes to the store, so that what another process revokes is revoked at once. */
export function createApiKeys({ store, emit }: ApiKeysOptions) {
  return {
    list: async (): Promise<ApiKey[]> => (await store()).apiKeys(),
    exist: async (): Promise<boolean> => (await store()).hasApiKeys(),

    async create(given: NewApiKey, creator: Principal): Promise<CreatedApiKey> {
      const asked = parseNewKey(given, creator);
      const secret = makeSecret();
      const createdAt = new Date().toISOString();
      const key: ApiKey = { id: makeKeyId(), ...asked, createdAt, lastUsedAt: null, revokedAt: null };
      await (await store()).addApiKey(key, hashSecret(secret));
      emit({ type: "key.created", keyId: key.id, name: key.name });
      return { key, secret };
    },

    async revoke(id: string, forget: boolean): Promise<boolean> {
      const { apiKeys, revokeApiKey, deleteApiKey } = await store();
      const key = (await apiKeys()).find((one) => one.id === id);
      if (key === undefined)
        throw new PlaneError("NOT_FOUND", `There is no key '${id}'. 'toolplane keys list' shows them all.`);
      const isFirst = await revokeApiKey(id, new Date().toISOString());
      if (isFirst) emit({ type: "key.revoked", keyId: id, name: key.name });
      if (forget) await deleteApiKey(id);
      return isFirst;
    },

    /** Whose key it is. */
    async identify(secret: string): Promise<Principal> {
      const opened = await store();
      const key = isWholeSecret(secret) ? await opened.apiKeyByHash(hashSecret(secret)) : null;
      const now = Date.now();
      const { id, lastUsedAt, ...known } = requireLive(key, now);
      if (lastUsedAt === null || now - Date.parse(lastUsedAt) >= notedEveryMs) {
        // Whoever may come in is not kept out because a note could not be made.
        await opened.touchApiKey(id, new Date(now).toISOString()).catch(() => undefined);
      }
      return { ...principalWith(known), key: id };
    },

    /** Whose key it is now; throws where it is good no more. */
    async again(id: string): Promise<Principal> {
      const key = (await (await store()).apiKeys()).find((one) => one.id === id);
      return { ...principalWith(requireLive(key ?? null, Date.now())), key: id };
    },
  };
}

function principalWith({
  user,
  groups,
  persona,
  scopes,
  workspace,
  compliance = null,
  toolGroups,
}: Omit<ApiKey, "id" | "lastUsedAt" | "compliance"> & { compliance?: string | null }): Principal {
  const said = { user, groups, persona, scopes, workspace, compliance };
  return principalOf(toolGroups === undefined ? said : { ...said, toolGroups });
}

/** Only whoever has the whole secret learns what became of the key. */
function requireLive(key: ApiKey | null, now: number): ApiKey {
  if (key === null) throw unauthenticated("unknown", "This API key is not known here. Check that it was copied whole.");
  const { id, revokedAt, expiresAt } = key;
  if (revokedAt !== null)
    throw unauthenticated("revoked", `The API key ${id} was revoked at ${revokedAt}. Use another one.`);
  if (expiresAt !== null && Date.parse(expiresAt) <= now)
    throw unauthenticated("expired", `The API key ${id} expired at ${expiresAt}. Use a new one.`);
  return key;
}
