import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { ToolManifest, type WrittenManifest } from "../../../model/catalogue/tool.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { Done } from "../../../operations/fields.ts";
import { parseBody, parseFields } from "../body.ts";
import { hasReference, requireProof } from "../require-proof.ts";
import { type App, addRoute } from "../route.ts";

const params = { name: "The tool's name." };
const reason = z.string().optional().meta({ description: "Why; kept with the change." });

const EntryChange = z
  .object({
    kind: z.enum(["tool", "skill", "task", "job", "overlay"]),
    name: z.string(),
    persona: z.string().nullable(),
    change: z.enum(["added", "changed", "unchanged"]),
    covers: z.string().nullable().meta({ description: "The file whose entry it takes the place of." }),
  })
  .meta({ id: "EntryChange" });

const BundleExport = z.object({
  bundle: z.string().meta({ description: "The signed document as base64." }),
  entries: z.array(z.object({ kind: z.string(), name: z.string(), persona: z.string().nullable() })),
  hash: z.string(),
  fingerprint: z.string().meta({ description: "Of the key that the other side has to trust." }),
});

const BundleImport = z.object({
  dryRun: z.boolean(),
  entries: z.array(EntryChange),
  warnings: z.array(z.string()),
  fingerprint: z.string(),
  exportedBy: z.string().nullable(),
  exportedAt: z.string(),
});

const ImportBody = z.object({
  bundle: z.string(),
  reason: z.string().optional(),
  dryRun: z.boolean().optional(),
});

/** Tools that people set by hand, kept in the store. */
export function addEntryRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "put", path: "/tools/{name}", tag: "Tools", scope: "admin", params },
      summary: "Set a tool by hand, or what is said about a tool of a server",
      description:
        "It is there at once and after a restart. Under the name of a tool that a server lists it is an overlay: a description, arguments and metadata of yours on top of the server's. An entry with references like `${VAR}` takes a plane that asks for credentials.",
      query: z.object({ reason }),
      body: {
        schema: z.toJSONSchema(ToolManifest, { io: "input" }),
        description: "A manifest; its name may be left out.",
        example: {
          ...{ description: "Looks a word up", side_effects: "none" },
          providers: [{ name: "mcp", config: { server: "words", tool: "look_up" } }],
        },
      },
      answers: {
        200: {
          description: "What came of it.",
          schema: EntryChange.extend({ warnings: z.array(z.string()) }),
        },
      },
    },
    async ({ c, caller, param, query }) => {
      const manifest = parseManifest(await c.req.text(), param("name"));
      if (hasReference(manifest)) {
        await requireProof(plane, c, "Entries with references can be set", "toolplane tools set");
      }
      return c.json(await plane.tools.set(manifest, withoutUndefined(query), caller));
    },
  );
  addRoute(
    app,
    {
      ...{ method: "delete", path: "/tools/{name}", tag: "Tools", scope: "admin", params },
      summary: "Take away a tool that was set by hand",
      query: z.object({ persona: z.string().optional(), reason }),
      answers: { 200: { description: "`ok` is false when there was none.", schema: Done } },
    },
    async ({ c, caller, param, query }) =>
      c.json({ ok: await plane.tools.delete(param("name"), withoutUndefined(query), caller) }),
  );
  addBundleRoutes(app, plane);
}

function addBundleRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/{name}/export", tag: "Tools", scope: "admin", params },
      summary: "A hand-written tool as a signed document for another plane",
      query: z.object({ persona: z.string().optional() }),
      answers: { 200: { description: "The document.", schema: BundleExport } },
    },
    async ({ c, caller, param, query }) => {
      const choice = { names: [param("name")], kinds: ["tool"] as const, ...withoutUndefined(query) };
      return c.json(await plane.registry.export(choice, caller));
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/import", tag: "Tools", scope: "admin" },
      summary: "Take over what another plane exported: all of it or nothing",
      body: {
        schema: ImportBody,
        description: "`reason` is needed unless `dryRun` is true.",
        example: { bundle: "eyJ2ZXJzaW9uIjoxfQ==", reason: "the new search tools", dryRun: true },
      },
      answers: { 200: { description: "What it did, or would do.", schema: BundleImport } },
    },
    async ({ c, caller }) => {
      const { bundle, ...options } = parseFields(await c.req.text(), ImportBody, '{"bundle": "…", "reason": "…"}');
      return c.json(await plane.registry.import(bundle, withoutUndefined(options), caller));
    },
  );
}

function parseManifest(body: string, name: string): WrittenManifest {
  const manifest = parseBody(body, '{"description": "…", "side_effects": "none", "providers": […]}');
  if (manifest.name !== undefined && manifest.name !== name) {
    throw new PlaneError("USAGE", `The body names another tool than the address, which says '${name}'.`, {
      data: { parameter: "name" },
    });
  }
  // Whether it is one is found out where all manifests are checked.
  return { ...manifest, name } as WrittenManifest;
}

const overlayParams = { name: "The tool's name, with its server." };
const object = z.record(z.string(), z.unknown());

const Definition = z.object({
  description: z.string(),
  parameters: object,
  tokens: z.number().int(),
});

const OverlayView = z
  .object({
    tool: z.string(),
    source: z
      .enum(["stored", "config"])
      .nullable()
      .meta({ description: "Where it comes from; null where there is none." }),
    overlay: object.meta({
      description: "As `PUT /tools/{name}` takes it. Fixed values are `«hidden»`; given back so, they stay.",
    }),
    listed: Definition.meta({ description: "What a model would see without it." }),
    seen: Definition.meta({ description: "What a model sees with it." }),
    tokenizer: z.string(),
    warnings: z.array(z.string()),
  })
  .meta({ id: "OverlayView" });

/** What is said here about a tool of a server, and what would come of saying something else. */
export function addOverlayRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools/{name}/overlay", tag: "Tools", scope: "admin", params: overlayParams },
      summary: "What is said about a tool of a server, and what a model sees of it",
      answers: { 200: { description: "The overlay in force.", schema: OverlayView } },
    },
    async ({ c, caller, param }) => c.json(await plane.tools.overlay(param("name"), caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/{name}/overlay/preview", tag: "Tools", scope: "admin", params: overlayParams },
      summary: "What a model would see of a tool under another overlay; nothing is changed",
      body: {
        schema: object,
        description: "The overlay.",
        example: { arguments: [{ name: "name", description: "Whom to greet", default: "world" }] },
      },
      answers: { 200: { description: "What would come of it.", schema: OverlayView } },
    },
    async ({ c, caller, param }) => {
      const overlay = parseBody(await c.req.text(), '{"description": "…", "arguments": […]}');
      return c.json(await plane.tools.previewOverlay(param("name"), overlay, caller));
    },
  );
}
