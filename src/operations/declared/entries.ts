import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { BundleImport, EntryChange } from "../../model/catalogue/change-schema.ts";
import { ToolManifest, type WrittenManifest } from "../../model/catalogue/tool.ts";
import { OverlayShown } from "../../model/catalogue/tool-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import { AnyObject } from "../../model/json-schema.ts";
import { Done, flag, text } from "../fields.ts";
import { changedEntry, operation, pick } from "../operation.ts";

const tag = "Tools";
const name = text("The tool's name.");
const ofServer = text("The tool's name, with its server.");
const persona = z.string().optional();
const maxSwitched = 20_000;
const reason = z.string().optional().meta({ description: "Why; kept with the change." });

/** Also of what is no manifest at all, which is refused and recorded. */
const nameOf = (manifest: unknown) =>
  typeof manifest === "string" ? manifest : pick(manifest, "name").name;

/** Of many tools at once: all or nothing, one revision of the catalogue. */
function switchOperation<Name extends "tools.enable" | "tools.disable">(verb: Name) {
  const action = verb === "tools.enable" ? "enable" : "disable";
  const effect =
    action === "enable"
      ? "models see and call them again"
      : "they stay listed; models neither see nor call them";
  return operation({
    name: verb,
    args: ["names", "..."],
    summary: `${action === "enable" ? "Enable" : "Disable"} tools of servers, all of them or none`,
    description: `${effect.charAt(0).toUpperCase()}${effect.slice(1)}. It is kept in the overlay of each tool; the rest of the overlay stays.`,
    scope: "admin",
    input: z.object({
      names: z
        .array(z.string())
        .min(1)
        .max(maxSwitched)
        .meta({ description: "Names of tools, with their server." }),
      reason,
    }),
    output: z.object({
      changed: z
        .array(z.string())
        .meta({ description: "Their names; the others were so already." }),
    }),
    http: {
      method: "post",
      path: `/tools/${action}`,
      tag,
      body: {
        description: "Which ones.",
        example: { names: ["demo.greet"], reason: "no one calls it" },
      },
      answers: { 200: "What was changed." },
    },
    audit: {
      target: ({ names }: { names: readonly string[] }) =>
        names.length === 1 ? names[0] : `${names.length} tools`,
      input: (input) => pick(input, "reason"),
      after: ({ changed = [] }) => ({ changed: (changed as readonly string[]).length }),
    },
    cli: {
      command: `tools ${action}`,
      about: `${action} tools of servers: ${effect}`,
      arguments: { "<names...>": "names of tools, with their server" },
      options: { "--reason <text>": "why, for the history" },
      examples: [`tools ${action} demo.greet demo.add`],
      text: ({ changed }) =>
        changed.length === 0
          ? `Nothing to ${action}.`
          : `${action === "enable" ? "Enabled" : "Disabled"} ${changed.join(", ")}.`,
    },
  });
}

/** Tools that people set by hand, kept in the store. */
export const entryOperations = [
  switchOperation("tools.enable"),
  switchOperation("tools.disable"),
  operation({
    name: "tools.set",
    args: ["manifest", "..."],
    summary: "Set a hand-written tool, or the overlay of a server's tool",
    description:
      "It is there at once and after a restart, in this configuration. Under the name of a tool that a server lists it is an overlay: a description, arguments and metadata of yours on top of the server's.",
    scope: "admin",
    input: z.object({
      name,
      manifest: AnyObject,
      reason,
      forAll: flag("For all configurations on the store, not this one alone."),
    }),
    output: EntryChange.extend({ warnings: z.array(z.string()) }),
    http: {
      method: "put",
      path: "/tools/{name}",
      tag,
      body: {
        whole: "manifest",
        schema: () => z.toJSONSchema(ToolManifest, { io: "input" }),
        description:
          "A manifest; its name may be left out. `reason` beside it is kept with the change.",
        example: {
          description: "Looks a word up",
          side_effects: "none",
          providers: [{ name: "mcp", config: { server: "words", tool: "look_up" } }],
        },
      },
      answers: { 200: "The result." },
    },
    audit: changedEntry((input: { manifest: unknown }) => nameOf(input.manifest)),
    cli: {
      command: "tools set",
      about: "set a tool; it takes precedence over one of the same name in a file",
      arguments: {
        "<file>": "a manifest, - for standard input; with --server and --tool the name of the tool",
      },
      options: {
        "--server <name>": "call a tool of this server",
        "--tool <name>": "the tool of that server",
        "--description <text>": "what it does; the server's description when left out",
        "--argument <name:type:text>": {
          about: "an argument, name?: for an optional one; repeatable",
          kind: "list",
        },
        "--side-effects <kind>": "none, write, network, …",
        "--tool-group <name>": { about: "add it to this tool group; repeatable", kind: "list" },
        "--state <name>": "the state an agent is in after it",
        "--applicable-states <name>": {
          about: "available only in this state; repeatable",
          kind: "list",
        },
        "--for-all": "for all configurations on this store, not this one alone",
        "--reason <text>": "why, for the history",
      },
      examples: [
        "tools set lookup.json --reason 'for the help desk'",
        "tools set weather --server demo --tool greet --argument 'name:string:Whom to greet: a first name'",
        "tools set - < lookup.json",
      ],
    },
    async run(plane, { name: tool, manifest, ...options }, asker) {
      if (manifest.name !== undefined && manifest.name !== tool)
        throw new PlaneError(
          "USAGE",
          `The body names another tool than the address, which says '${tool}'.`,
          {
            data: { parameter: "name" },
          },
        );
      // No key of a manifest: who sends a body says the reason in it.
      const { reason: reasonInBody, ...written } = manifest;
      const reason =
        options.reason ?? (typeof reasonInBody === "string" ? reasonInBody : undefined);
      // Whether it is a manifest is found out where all manifests are checked.
      const definition = typeof reasonInBody === "string" ? written : manifest;
      const { forAll } = options;
      return plane.tools.set(
        { ...definition, name: tool } as WrittenManifest,
        withoutUndefined({ reason: reason, forAll }),
        asker,
      );
    },
  }),
  operation({
    name: "tools.delete",
    args: ["name", "..."],
    summary: "Delete a tool that was set by hand",
    scope: "admin",
    input: z.object({ name, persona, reason }),
    output: Done,
    http: {
      method: "delete",
      path: "/tools/{name}",
      tag,
      answers: { 200: "It was deleted." },
      show(ok: boolean) {
        if (ok) return { ok };
        throw new PlaneError(
          "NOT_FOUND",
          "No tool of this name was set by hand. GET /tools lists what there is.",
        );
      },
    },
    audit: changedEntry((input: { name: string }) => input.name),
    cli: {
      command: "tools delete",
      about: "delete a tool that was set; a tool of that name in a file applies again",
      arguments: { "<name>": "its name; with --persona that persona's" },
      options: { "--reason <text>": "why, for the history" },
      examples: ["tools delete lookup --reason 'not needed any more'"],
    },
  }),
  operation({
    name: "registry.export",
    args: ["..."],
    summary: "A hand-written tool as a signed document for another plane",
    scope: "admin",
    input: z.object({ name, persona }),
    output: z.object({
      bundle: z.string().meta({ description: "The signed document as base64." }),
      entries: z.array(
        z.object({ kind: z.string(), name: z.string(), persona: z.string().nullable() }),
      ),
      hash: z.string(),
      fingerprint: z.string().meta({ description: "Of the key that the other side has to trust." }),
    }),
    http: { method: "post", path: "/tools/{name}/export", tag, answers: { 200: "The document." } },
    cli: {
      command: "registry export",
      about: "hand-written tools, skills, tasks and jobs as one signed bundle on standard output",
      arguments: { "[names...]": "only these" },
      options: { "--kind <kind>": { about: "tool, skill, task or job; repeatable", kind: "list" } },
      examples: ["registry export > all.bundle", "registry export lookup > lookup.bundle"],
    },
    run: (plane, { name: tool, ...options }, asker) =>
      plane.registry.export({ names: [tool], kinds: ["tool"], ...(options as object) }, asker),
  }),
  operation({
    name: "registry.import",
    args: ["bundle", "..."],
    summary: "Import what another plane exported: all of it or nothing",
    scope: "admin",
    input: z.object({
      bundle: z.string(),
      reason: z.string().optional(),
      dryRun: z.boolean().optional(),
    }),
    output: BundleImport,
    http: {
      method: "post",
      path: "/tools/import",
      tag,
      body: {
        description: "`reason` is needed unless `dryRun` is true.",
        example: { bundle: "eyJ2ZXJzaW9uIjoxfQ==", reason: "the new search tools", dryRun: true },
      },
      answers: { 200: "What it did, or would do." },
    },
    audit: {
      target: (_, result) => result?.fingerprint,
      input: (input) => pick(input, "reason", "dryRun"),
      after: (answer) => pick(answer, "entries", "exportedBy", "exportedAt"),
      isTrial: ({ dryRun }) => dryRun === true,
    },
    cli: {
      command: "registry import",
      about: "import a bundle, all of it or nothing",
      arguments: { "<file>": "a bundle, - for standard input" },
      options: {
        "--reason <text>": "why, for the history; required without --dry-run",
        "--dry-run": "only show what would change",
      },
      examples: [
        "registry import all.bundle --dry-run",
        "registry import all.bundle --reason 'release 7'",
      ],
    },
  }),
  operation({
    name: "tools.overlay",
    args: ["name"],
    summary: "The overlay of a server's tool, and what a model sees of it",
    scope: "admin",
    input: z.object({ name: ofServer }),
    output: OverlayShown,
    http: {
      method: "get",
      path: "/tools/{name}/overlay",
      tag,
      answers: { 200: "The overlay in force." },
    },
    cli: { missing: "`tools show` shows the tool with it" },
  }),
  operation({
    name: "tools.previewOverlay",
    args: ["name", "overlay"],
    summary: "What a model would see of a tool under another overlay; nothing is changed",
    scope: "admin",
    input: z.object({ name: ofServer, overlay: AnyObject }),
    output: OverlayShown,
    http: {
      method: "post",
      path: "/tools/{name}/overlay/preview",
      tag,
      body: {
        whole: "overlay",
        description: "The overlay.",
        example: { arguments: [{ name: "name", description: "Whom to greet", default: "world" }] },
      },
      answers: { 200: "What would change." },
    },
    cli: { missing: "`tools set` stores it and prints its warnings" },
  }),
];
