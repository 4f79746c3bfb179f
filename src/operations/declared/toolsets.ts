import { z } from "zod";
import { matchesGlob } from "../../lib/text/glob.ts";
import { unknownToolset } from "../../model/agent/unknown-toolset.ts";
import { ToolsetDefinition } from "../../model/config/config.ts";
import type { JsonObject } from "../../model/json.ts";
import { AnyObject } from "../../model/json-schema.ts";
import type { Plane } from "../../model/plane.ts";
import { mayDo, type Principal, principalOf, withListed } from "../../model/principal.ts";
import { Done, text } from "../fields.ts";
import { type Asker, filesOnly, operation } from "../operation.ts";
import { ToolRow } from "../schemas/tool-row.ts";
import { renderRows } from "../schemas/tool-views.ts";
import { setupIn, withoutPath } from "./setup.ts";

const tag = "Agents";
const name = text("The toolset's name in the configuration.");
const inWizard = { missing: "`servers wizard` changes them question by question" };
const inConfig = { missing: "`config show` has them" };
const ofToolset = {
  target: (input: { name: string }) => input.name,
  input: (input: object) => input,
  snapshot: (plane: Plane, input: { name: string }) => plane.config().toolsets[input.name] ?? null,
};
const composed = { missing: "it is made of `config`, `keys.list` and `tools.list`" };
/** What a slow server lists is there the next time. */
const waitMs = 1_000;
/** Each is one look at the whole catalogue. */
const maxCallers = 100;

const names = z.array(z.string());
const Definition = z.object({
  name: z.string(),
  providers: names.meta({ description: "Its servers." }),
  allow_tools: names
    .nullable()
    .meta({ description: "Tools of these servers, by glob; null for all." }),
  max_tool_call_turns: z.number().nullable(),
  timeout_sec: z.number().nullable(),
});

const Reach = z.object({
  user: z.string().nullable(),
  key: z
    .string()
    .nullable()
    .meta({ description: "The name of the key; null for a user of the configuration." }),
  tools: z.number().int().meta({ description: "How many of its tools they are given." }),
});

const Toolset = Definition.extend({
  tools: z.array(ToolRow).meta({ description: "Those that the caller is given." }),
  tokens: z
    .number()
    .int()
    .nullable()
    .meta({ description: "Of their definitions; null until they are counted." }),
  missing: names.meta({ description: "For admins: servers of it that are not configured." }),
  callers: z
    .array(Reach)
    .optional()
    .meta({ description: `For admins: known users and keys, ${maxCallers} at most.` }),
}).meta({ id: "Toolset" });

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

/** Toolsets, personas and users: what the configuration and the keys say of them together. */
export const toolsetOperations = [
  operation({
    name: "toolsets.list",
    args: [],
    summary: "The toolsets of the configuration",
    scope: "read",
    input: z.object({}),
    output: z.object({ toolsets: z.array(Definition) }),
    http: { method: "get", path: "/toolsets", tag, answers: { 200: "All of them." } },
    cli: inConfig,
    socket: composed,
    run: async (plane, _input, asker) => ({ toolsets: await knownToolsets(plane, asker) }),
  }),
  operation({
    name: "toolsets.get",
    args: ["name"],
    summary: "One toolset: its tools, their tokens, and how many of them each caller gets",
    scope: "read",
    input: z.object({ name }),
    output: Toolset,
    http: { method: "get", path: "/toolsets/{name}", tag, answers: { 200: "The toolset." } },
    cli: inConfig,
    socket: composed,
    run: async (plane, { name: alias }, asker) => showToolset(plane, alias, asker),
  }),
  operation({
    name: "toolsets.set",
    args: [],
    summary: "Write a toolset into the configuration, or replace the one of that name",
    scope: "admin",
    input: z.object({ name, definition: AnyObject }),
    output: Toolset,
    http: {
      method: "put",
      path: "/toolsets/{name}",
      tag,
      body: {
        whole: "definition",
        schema: () =>
          z.toJSONSchema(z.object({ ...ToolsetDefinition.shape }).partial(), { io: "input" }),
        description: "The entry as a configuration file has it.",
        example: { providers: ["files"], allow_tools: ["read_*"] },
      },
      answers: { 200: "What it selects now." },
    },
    cli: inWizard,
    socket: filesOnly,
    needsSetup: true,
    audit: ofToolset,
    async run(plane, { name: alias, definition }, asker, situation) {
      // Throws where it is no toolset.
      plane.toolset(definition as never, asker);
      await setupIn(situation)
        .putToolset(alias, definition as JsonObject)
        .catch(withoutPath);
      await plane.reload(asker);
      return showToolset(plane, alias, asker);
    },
  }),
  operation({
    name: "toolsets.remove",
    args: [],
    summary: "Remove a toolset from the configuration",
    scope: "admin",
    input: z.object({ name }),
    output: Done,
    http: { method: "delete", path: "/toolsets/{name}", tag, answers: { 200: "It is gone." } },
    cli: inWizard,
    socket: filesOnly,
    needsSetup: true,
    audit: ofToolset,
    async run(plane, { name: alias }, asker, situation) {
      plane.toolsets.select(alias);
      await setupIn(situation).removeToolset(alias).catch(withoutPath);
      await plane.reload(asker);
      return { ok: true };
    },
  }),
  operation({
    name: "toolsets.restore",
    args: [],
    summary: "Undo the removal of a toolset",
    description: "The plane that removed it can, until it ends.",
    scope: "admin",
    input: z.object({ name }),
    output: Toolset,
    http: {
      method: "post",
      path: "/toolsets/{name}/restore",
      tag,
      answers: { 200: "What it selects now." },
    },
    cli: { missing: "a command ends with what it removed" },
    socket: filesOnly,
    needsSetup: true,
    audit: ofToolset,
    async run(plane, { name: alias }, asker, situation) {
      await setupIn(situation).undoRemoval("toolsets", alias).catch(withoutPath);
      await plane.reload(asker);
      return showToolset(plane, alias, asker);
    },
  }),
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
    cli: inConfig,
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

/** To others than admins nothing in them names a server or a tool that they do not have. */
export async function knownToolsets(plane: Plane, asker: Asker) {
  const toolsets = Object.entries(plane.config().toolsets).map(([alias, definition]) => ({
    name: alias,
    ...definition,
  }));
  if (toolsets.length === 0 || mayDo(asker.principal, "admin")) return toolsets;
  const servers = new Set((await plane.servers.list(asker)).map((server) => server.name));
  const tools = await plane.tools.list({ ...asker, waitMs });
  return toolsets.flatMap((toolset) => {
    const { has } = plane.toolsets.select(toolset.name);
    const ownTools = tools.filter(has);
    const providers = toolset.providers.filter((server) => servers.has(server));
    if (providers.length === 0 && ownTools.length === 0) return [];
    const isOwn = (glob: string) =>
      ownTools.some(({ id, name: full }) =>
        [id.tool, full].some((spelling) => matchesGlob(glob, spelling)),
      );
    return [{ ...toolset, providers, allow_tools: toolset.allow_tools?.filter(isOwn) ?? null }];
  });
}

/** A toolset of which they have nothing is unknown to them. */
async function knownToolset(plane: Plane, alias: string, asker: Asker) {
  const toolsets = await knownToolsets(plane, asker);
  const toolset = toolsets.find((candidate) => candidate.name === alias);
  if (toolset || mayDo(asker.principal, "admin"))
    return { ...plane.toolsets.select(alias), ...(toolset && { shown: toolset }) };
  throw unknownToolset(
    alias,
    toolsets.map((toolset) => toolset.name),
  );
}

async function showToolset(plane: Plane, alias: string, asker: Asker) {
  const { definition, has, shown: known = definition } = await knownToolset(plane, alias, asker);
  const selected = async (principal: Principal, limitMs: number) =>
    (await plane.tools.list({ ...asker, principal, waitMs: limitMs })).filter(has);
  const tools = await renderRows(plane, await selected(asker.principal, waitMs));
  const counted = tools.map(({ tokens }) => tokens);
  const shown = {
    name: alias,
    ...known,
    tools,
    tokens: counted.some((tokens) => tokens === null)
      ? null
      : counted.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    missing: known.providers.filter((server) => !Object.hasOwn(plane.config().servers, server)),
  };
  if (!mayDo(asker.principal, "admin")) return shown;
  const callers = [];
  for (const { principal, key } of (await knownCallers(plane, asker)).slice(0, maxCallers))
    callers.push({ user: principal.user, key, tools: (await selected(principal, 0)).length });
  return { ...shown, callers };
}

/** What keys there are that still open anything. */
async function usableKeys(plane: Plane, asker: Asker) {
  const now = new Date().toISOString();
  const keys = await plane.keys.list(asker);
  return keys.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
  );
}

async function knownCallers(
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
