import { matchesGlob } from "@toolplane/core/lib/text/glob";
import { unknownToolset } from "@toolplane/core/model/agent/unknown-toolset";
import { ToolsetDefinition } from "@toolplane/core/model/config/config";
import type { JsonObject } from "@toolplane/core/model/json";
import { AnyObject } from "@toolplane/core/model/json-schema";
import type { Plane } from "@toolplane/core/model/plane";
import { mayDo, type Principal } from "@toolplane/core/model/principal";
import { setupIn, withoutPath } from "@toolplane/core/operations/declared/setup";
import { knownCallers } from "@toolplane/core/operations/declared/users";
import { Done, text } from "@toolplane/core/operations/fields";
import { type Asker, filesOnly, operation } from "@toolplane/core/operations/operation";
import { ToolRow } from "@toolplane/core/operations/schemas/tool-row";
import { renderRows } from "@toolplane/core/operations/schemas/tool-views";
import { z } from "zod";

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

/** Named selections of tools. */
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
