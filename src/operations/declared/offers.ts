import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { UnknownObject } from "../../model/json.ts";
import { AnyObject } from "../../model/json-schema.ts";
import type { Listed as ListedItem } from "../../model/plane-tools.ts";
import { NextCursor, page, pageAfterCursor, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { OutcomeSchema } from "../schemas/outcome.ts";
import { ListedSchema } from "../schemas/server.ts";

const tag = "Servers";
const name = text("The server's name in the configuration.");
const ofServer = z.object({
  ...page,
  server: z.string().optional().meta({ description: "Of this server alone." }),
});
/** What it holds is the server's business. */
const asItCame = z
  .unknown()
  .meta({ type: "object", description: "As the server answered." }) as z.ZodType<UnknownObject>;
const keyOf = ({ server, ...item }: ListedItem) =>
  `${server}\n${item.name ?? item.uri ?? item.uriTemplate ?? ""}`;

/** What pages of MCP Apps ask of the one who shows them; calls and reads have verbs of their own. */
const askedByPages = [
  "ui/open-link",
  "ui/message",
  "ui/update-model-context",
  "ui/download-file",
  "notifications/message",
] as const;

function originOf(
  server: string,
  { page, conversation }: { page?: string | undefined; conversation?: string | undefined },
) {
  return withoutUndefined({
    conversation,
    page: page === undefined ? undefined : { server, uri: page },
  });
}

/** What servers offer beside their tools. */
export const offerOperations = [
  operation({
    name: "prompts.list",
    args: ["server"],
    summary: "Prompts",
    scope: "read",
    input: ofServer,
    output: z.object({ prompts: z.array(ListedSchema), nextCursor: NextCursor }),
    http: { method: "get", path: "/prompts", tag, answers: { 200: "One page." } },
    cli: {
      command: "prompts list",
      about: "every prompt",
      options: { "--server <name>": "only those of this server" },
      examples: ["prompts list"],
    },
    async run(plane, query, asker) {
      const { items: prompts, nextCursor } = pageAfterCursor(
        await plane.prompts.list(query.server, asker),
        keyOf,
        query,
      );
      return { prompts, nextCursor };
    },
  }),
  operation({
    name: "prompts.get",
    args: ["name", "prompt", "arguments"],
    summary: "One prompt, filled in",
    scope: "call",
    input: z.object({
      name,
      prompt: text("The prompt's name."),
      arguments: z.record(z.string(), z.string()).optional(),
    }),
    output: asItCame,
    http: {
      method: "post",
      path: "/servers/{name}/prompts/{prompt}",
      tag,
      open: true,
      body: {
        description: "What to fill in.",
        example: { arguments: { topic: "tools" } },
        optional: true,
      },
      answers: { 200: "The prompt." },
    },
    cli: {
      command: "prompts get",
      about: "one prompt, filled in",
      arguments: { "<server>": "", "<name>": "", "[values...]": "key=text" },
      examples: ["prompts get everything args-prompt city=Bern"],
    },
  }),
  operation({
    name: "resources.list",
    args: ["server"],
    summary: "Resources, and templates of more",
    description: "Templates come with the first page, all of them.",
    scope: "read",
    input: ofServer,
    output: z.object({
      resources: z.array(ListedSchema),
      resourceTemplates: z.array(ListedSchema),
      nextCursor: NextCursor,
    }),
    http: { method: "get", path: "/resources", tag, answers: { 200: "One page." } },
    cli: {
      command: "resources list",
      about: "every resource and resource template",
      options: { "--server <name>": "only those of this server" },
      examples: ["resources list --server everything"],
    },
    async run(plane, query, asker) {
      const [resources, templates] = await Promise.all([
        plane.resources.list(query.server, asker),
        query.cursor === undefined ? plane.resources.templates(query.server, asker) : [],
      ]);
      const { items: pageResources, nextCursor } = pageAfterCursor(resources, keyOf, query);
      return { resources: pageResources, resourceTemplates: templates, nextCursor };
    },
  }),
  operation({
    name: "resources.read",
    args: ["name", "uri"],
    summary: "The content of a resource",
    scope: "call",
    input: z.object({
      name,
      uri: z.string("say which resource with ?uri=…"),
      page: z
        .string()
        .optional()
        .meta({ description: "The address of the server's page that reads it." }),
      conversation: z.string().optional(),
    }),
    output: asItCame,
    http: {
      method: "get",
      path: "/servers/{name}/resource",
      tag,
      answers: { 200: "The content." },
    },
    cli: {
      command: "resources read",
      about: "one resource",
      arguments: { "<server>": "", "<uri>": "" },
      examples: ["resources read everything demo://resource/static/document/features.md"],
    },
    run: (plane, { name: server, uri, ...origin }, asker) =>
      plane.resources.read(server, uri, { ...asker, ...originOf(server, origin) }),
  }),
  operation({
    name: "pages.ask",
    args: ["name", "page", "method", "params", "conversation"],
    summary: "May a page of MCP Apps do this at its host?",
    description:
      "For hosts of pages. What a page asks its host takes the path of a call, as `SERVER.pages/METHOD`: rules can name it, and it is recorded with its page. Nothing is sent to the server.",
    scope: "call",
    input: z.object({
      name,
      page: text("The page's address at its server."),
      method: z.enum(askedByPages).meta({ description: "What the page asks for." }),
      params: AnyObject.optional().meta({ description: "With which values." }),
      conversation: z
        .string()
        .optional()
        .meta({ description: "The host's name for the page that is open." }),
    }),
    output: OutcomeSchema,
    http: {
      method: "post",
      path: "/servers/{name}/pages",
      tag,
      open: true,
      body: {
        description: "What it asks.",
        example: {
          page: "ui://clock/page.html",
          method: "ui/open-link",
          params: { url: "https://example.com" },
        },
      },
      answers: { 200: "It may, and it is on record.", 202: "A person has to say yes first." },
    },
    cli: { missing: "pages are shown by hosts, such as the workbench" },
    socket: { missing: "pages are shown by hosts, which speak HTTP" },
    run: (plane, { name: server, page, method, params = {}, conversation }, asker) =>
      plane.call({ server, tool: `pages/${method}`, kind: "page" }, params, {
        ...asker,
        ...originOf(server, { page, conversation }),
      }),
  }),
];
