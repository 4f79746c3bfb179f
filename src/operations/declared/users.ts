import { z } from "zod";
import { AnyObject } from "../../model/json-schema.ts";
import type { Plane } from "../../model/plane.ts";
import { type Principal, principalOf, withListed } from "../../model/principal.ts";
import { type Asker, operation } from "../operation.ts";

const composed = { missing: "it is made of `config`, `keys.list` and `tools.list`" };
/** What a slow server lists is there the next time. */
const waitMs = 1_000;
const names = z.array(z.string());

const Persona = z
  .object({
    name: z.string(),
    flags: AnyObject,
    users: names,
    keys: names.meta({ description: "Names of its keys that can still be used." }),
    servers: names.meta({ description: "Servers that are its own." }),
    tools: names.meta({ description: "Tools that are its own." }),
  })
  .meta({ id: "Persona" });

const User = z
  .object({
    name: z.string(),
    isConfigured: z.boolean().meta({ description: "`users` of the configuration has them." }),
    groups: names,
    persona: z.string().nullable(),
    workspace: z.string().nullable(),
    compliance: z.string().nullable(),
    toolGroups: names.nullable(),
    keys: z.number().int().meta({ description: "Keys that can still be used." }),
    lastUsedAt: z
      .string()
      .nullable()
      .meta({ description: "When one of their keys was used last." }),
  })
  .meta({ id: "User" });

/** Personas and users: what the configuration and the keys say of them together. */
export const userOperations = [
  operation({
    name: "personas.list",
    args: [],
    summary: "Personas: their flags, users, keys, servers and tools",
    scope: "admin",
    input: z.object({}),
    output: z.object({ personas: z.array(Persona) }),
    http: {
      method: "get",
      path: "/personas",
      tag: "Keys",
      answers: { 200: "All that anything names." },
    },
    cli: { missing: "`config show` has them" },
    socket: composed,
    run: async (plane, _input, asker) => ({ personas: await listPersonas(plane, asker) }),
  }),
  operation({
    name: "users.list",
    args: [],
    summary: "Users of the configuration and of keys",
    description:
      "Users of an identity provider are known when they call; they are not in this list.",
    scope: "admin",
    input: z.object({}),
    output: z.object({ users: z.array(User) }),
    http: { method: "get", path: "/users", tag: "Keys", answers: { 200: "All of them, by name." } },
    cli: { missing: "`config show` and `keys list` have them" },
    socket: composed,
    run: async (plane, _input, asker) => ({ users: await listUsers(plane, asker) }),
  }),
];

/** What keys there are that still open anything. */
async function usableKeys(plane: Plane, asker: Asker) {
  const now = new Date().toISOString();
  const keys = await plane.keys.list(asker);
  return keys.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
  );
}

/** Users of the configuration, and those of keys. */
export async function knownCallers(
  plane: Plane,
  asker: Asker,
): Promise<{ principal: Principal; key: string | null }[]> {
  const { users } = plane.config();
  const listed = Object.keys(users).map((user) => ({
    principal: withListed(principalOf({ user }), users),
    key: null,
  }));
  const keyed = (await usableKeys(plane, asker)).map(({ name: key, user, ...fields }) => {
    const { groups, persona, scopes, workspace, compliance = null, toolGroups } = fields;
    const brought = {
      user,
      groups,
      persona,
      scopes,
      workspace,
      compliance,
      ...(toolGroups && { toolGroups }),
    };
    return { principal: withListed(principalOf(brought), users), key };
  });
  return [...listed, ...keyed];
}

async function listPersonas(plane: Plane, asker: Asker) {
  const { personas, users, servers } = plane.config();
  const keys = await usableKeys(plane, asker);
  const rowByName = new Map<string, z.output<typeof Persona>>();
  const rowOf = (name: string) => {
    const flags = Object.hasOwn(personas, name) ? (personas[name]?.flags ?? {}) : {};
    const row = rowByName.get(name) ?? {
      name: name,
      flags,
      users: [],
      keys: [],
      servers: [],
      tools: [],
    };
    rowByName.set(name, row);
    return row;
  };
  for (const name of Object.keys(personas)) rowOf(name);
  for (const [user, { persona: of }] of Object.entries(users))
    if (of !== null) rowOf(of).users.push(user);
  for (const { name: key, persona: of } of keys) if (of !== null) rowOf(of).keys.push(key);
  for (const [server, { persona: of }] of Object.entries(servers))
    if (of !== null) rowOf(of).servers.push(server);
  for (const tool of await plane.tools.list({ ...asker, waitMs }))
    for (const of of tool.persona === null
      ? (tool.metadata.persona_allowlist ?? [])
      : [tool.persona])
      rowOf(of).tools.push(tool.name);
  return [...rowByName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function listUsers(plane: Plane, asker: Asker) {
  const { users } = plane.config();
  const keys = await plane.keys.list(asker);
  const usable = new Set((await usableKeys(plane, asker)).map(({ id }) => id));
  const userNames = [...new Set([...Object.keys(users), ...keys.map(({ user }) => user)])].sort();
  return userNames.map((user) => {
    const {
      groups,
      persona,
      workspace,
      compliance,
      toolGroups = null,
    } = withListed(principalOf({ user }), users);
    const ownKeys = keys.filter((key) => key.user === user);
    const usedAt = ownKeys.flatMap(({ lastUsedAt }) => lastUsedAt ?? []).sort();
    return {
      name: user,
      isConfigured: Object.hasOwn(users, user),
      groups,
      persona,
      workspace,
      compliance,
      toolGroups,
      keys: ownKeys.filter(({ id }) => usable.has(id)).length,
      lastUsedAt: usedAt.at(-1) ?? null,
    };
  });
}
