import { existsSync } from "node:fs";
import { createHeardValues } from "../../lib/async/heard-values.ts";
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
/** A first key that another process makes counts after this at the latest. */
const noticedMs = 1_000;
const lists = ["groups", "scopes", "toolGroups"] as const;
const texts: readonly (keyof NewApiKey)[] = [
  "name",
  "user",
  "persona",
  "workspace",
  "compliance",
  "expiresAt",
];
const fields = [...texts, ...lists];
const knownScopes: readonly string[] = [...scopeNames, everyScope];

/** Node's cryptography is loaded on first use: it takes as long as a small command. */
function crypto() {
  return process.getBuiltinModule("node:crypto");
}

/** A secret of 256 random bits cannot be guessed from its hash, so the hash needs neither salt nor slowness. */
function hashSecret(secret: string) {
  return crypto().createHash("sha256").update(secret).digest("hex");
}

export function looksLikeKey(token: string): boolean {
  return token.startsWith(prefix);
}

type Ports = {
  store(): Promise<Store>;
  emit(event: PlaneEvent): void;
  /** Whether other processes tell of the keys that they revoke. Where they do not, the store is read every time. */
  isInformed(): boolean;
  /** The files that make this plane another one than those that keep their keys in the same place; none where it is alone. */
  files?(): readonly string[];
};

/** A key that another process revokes is revoked at once where it tells of that, and after a second at the latest. */
export function createApiKeys({ store, emit, isInformed, files = () => [] }: Ports) {
  /** A key whose plane is gone is for all of them: moving a file must not open what a key has locked. */
  function isOurs({ files: theirs = [] }: ApiKey) {
    const planeFiles = files();
    return (
      planeFiles.length === 0 ||
      theirs.some((file) => planeFiles.includes(file)) ||
      !theirs.some((file) => existsSync(file))
    );
  }

  const list = async () => (await (await store()).apiKeys()).filter(isOurs);
  const find = async (id: string) => (await list()).find((key) => key.id === id);
  const byHash = createHeardValues({
    read: async (hash) => (await store()).apiKeyByHash(hash),
    isInformed,
    // Anybody can send keys that are none.
    isKept: (key) => key !== null,
  });
  const existence = createHeardValues({
    read: async () => (await (await store()).hasApiKeys()) && (await list()).length > 0,
    isInformed,
    untoldMs: noticedMs,
  });

  function changed() {
    byHash.changed();
    existence.changed();
  }

  /** A key counts even where its use cannot be noted. */
  async function noteUse(key: ApiKey, now: number) {
    if (key.lastUsedAt !== null && now - Date.parse(key.lastUsedAt) < notedEveryMs) return;
    key.lastUsedAt = new Date(now).toISOString();
    const usedAt = key.lastUsedAt;
    await store()
      .then(({ touchApiKey }) => touchApiKey(key.id, usedAt))
      .catch(() => undefined);
  }

  return {
    /** Here or elsewhere. */
    changed,
    list,
    /** Every request asks, and it changes about once in the life of a plane. */
    exist: (): boolean | Promise<boolean> => existence.get(""),

    async create(request: NewApiKey, creator: Principal): Promise<CreatedApiKey> {
      const parsed = parseNewKey(request, creator);
      const secret = prefix + crypto().randomBytes(32).toString("base64url");
      const createdAt = new Date().toISOString();
      const id = crypto().randomBytes(5).toString("hex");
      const createdBy = [creator.user ?? [], creator.keyCreators ?? []].flat();
      const planeFiles = files();
      const planeField = planeFiles.length === 0 ? {} : { files: [...planeFiles] };
      const key: ApiKey = {
        id,
        ...parsed,
        ...planeField,
        createdAt,
        createdBy,
        lastUsedAt: null,
        revokedAt: null,
      };
      await (await store()).addApiKey(key, hashSecret(secret)).finally(changed);
      emit({ type: "key.created", keyId: id, name: key.name });
      return { key, secret };
    },

    async revoke(id: string, forget: boolean): Promise<boolean> {
      const key = await find(id);
      if (key === undefined)
        throw new PlaneError(
          "NOT_FOUND",
          `There is no key '${id}'. 'toolplane keys list' shows them all.`,
        );
      const { revokeApiKey, deleteApiKey } = await store();
      const isFirst = await revokeApiKey(id, new Date().toISOString()).finally(changed);
      if (isFirst) emit({ type: "key.revoked", keyId: id, name: key.name });
      if (forget) await deleteApiKey(id).finally(changed);
      return isFirst;
    },

    async identify(secret: string): Promise<Principal> {
      const stored = secretShape.test(secret) ? byHash.get(hashSecret(secret)) : null;
      const now = Date.now();
      const key = requireLive(stored instanceof Promise ? await stored : stored, now);
      if (!isOurs(key))
        throw unauthenticated(
          "unknown",
          `The API key ${key.id} is for the plane of ${key.files?.join(" and ")}.`,
        );
      const noting = noteUse(key, now);
      // Who had to wait for the store anyway waits for this, too.
      if (stored instanceof Promise) await noting;
      return principalWith(key);
    },

    again: async (id: string) => principalWith(requireLive((await find(id)) ?? null, Date.now())),
  };
}

function principalWith(key: ApiKey): Principal {
  const {
    id,
    user,
    groups,
    persona,
    scopes,
    workspace,
    compliance = null,
    toolGroups,
    createdBy = [],
  } = key;
  const rights = { user, groups, persona, scopes, workspace, compliance, key: id };
  const creators = createdBy.length === 0 ? {} : { keyCreators: createdBy };
  return principalOf({
    ...rights,
    ...creators,
    ...(toolGroups === undefined ? {} : { toolGroups }),
  });
}

/** Only the holder of the whole secret learns what became of the key. */
function requireLive(key: ApiKey | null, now: number): ApiKey {
  if (key === null)
    throw unauthenticated(
      "unknown",
      "This API key is not known here. Check that it was copied whole.",
    );
  const { id, revokedAt, expiresAt } = key;
  if (revokedAt !== null)
    throw unauthenticated(
      "revoked",
      `The API key ${id} was revoked at ${revokedAt}. Use another one.`,
    );
  if (expiresAt !== null && Date.parse(expiresAt) <= now)
    throw unauthenticated("expired", `The API key ${id} expired at ${expiresAt}. Use a new one.`);
  return key;
}

/** A new key with its defaults. It may come from outside, so everything is checked. */
function parseNewKey(request: NewApiKey, creator: Principal) {
  if (!isObject(request)) throw usage('A key is described by an object such as {"name": "ci"}');
  const unknown = Object.keys(request).find(
    (field) => !fields.some((keyField) => keyField === field),
  );
  if (unknown !== undefined)
    throw usage(`A key has no '${unknown}'. It takes: ${fields.join(", ")}`);
  const name = toText(request.name, "name");
  if (name === null) throw usage("A key needs a name, so that people know what it is for");
  const scopes = listIn(request, "scopes");
  const unknownScope = scopes.find((scope) => !knownScopes.includes(scope));
  if (unknownScope !== undefined)
    throw usage(`There is no scope '${unknownScope.slice(0, 40)}'. Use ${knownScopes.join(", ")}`);
  return {
    name,
    user: toText(request.user, "user") ?? creator.user ?? name,
    groups: listIn(request, "groups"),
    persona: toText(request.persona, "persona"),
    scopes: scopes.length > 0 ? scopes : ["call"],
    workspace: toText(request.workspace, "workspace"),
    ...(request.compliance ? { compliance: toText(request.compliance, "compliance") ?? "" } : {}),
    // An empty list means none, a missing one the default.
    ...(request.toolGroups ? { toolGroups: listIn(request, "toolGroups") } : {}),
    expiresAt: futureTime(request.expiresAt),
  };
}

function toText(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.trim() !== "" && value.length <= maxTextLength)
    return value.trim();
  throw usage(`'${field}' of a key must be a string of 1 to ${maxTextLength} characters`);
}

function listIn(request: NewApiKey, field: (typeof lists)[number]): string[] {
  const value: unknown = request[field] ?? [];
  if (!Array.isArray(value)) throw usage(`'${field}' of a key must be a list of strings`);
  return [...new Set(value.map((item) => toText(item, field) ?? ""))].filter((item) => item !== "");
}

function futureTime(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const date = new Date(typeof value === "string" ? value : Number.NaN);
  if (Number.isNaN(date.getTime()))
    throw usage("'expiresAt' of a key must be a date such as 2027-01-31T12:00:00Z");
  if (date.getTime() <= Date.now()) throw usage("'expiresAt' of a key must lie in the future");
  return date.toISOString();
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", `${message}.`);
}
