import type { ApiKey, NewApiKey } from "../../model/api-key.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import { everyScope, type Principal, scopeNames } from "../../model/principal.ts";

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
export function parseNewKey(given: NewApiKey, creator: Principal): Asked {
  if (!isObject(given)) throw usage('A key is described by an object such as {"name": "ci"}');
  const unknown = Object.keys(given).find((field) => !fields.some((known) => known === field));
  if (unknown !== undefined) throw usage(`A key has no '${unknown}'. It takes: ${fields.join(", ")}`);
  const name = text(given.name, "name");
  if (name === null) throw usage("A key needs a name, so that people know what it is for");
  const scopes = texts(given.scopes, "scopes");
  const strange = scopes.find((scope) => !knownScopes.includes(scope));
  if (strange !== undefined)
    throw usage(`There is no scope '${strange.slice(0, 40)}'. Use ${knownScopes.join(", ")}`);
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
  if (Number.isNaN(at.getTime()))
    throw usage("'expiresAt' of a key must be a date such as 2027-01-31T12:00:00Z");
  if (at.getTime() <= Date.now()) throw usage("'expiresAt' of a key must lie in the future");
  return at.toISOString();
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", `${message}.`);
}
