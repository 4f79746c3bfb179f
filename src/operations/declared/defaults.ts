import { z } from "zod";
import { ChangedDefault, ChangedDefaults } from "../../model/config/changed-defaults-schema.ts";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";

const tag = "Operation";
const id = text("The changed default, as `defaults.list` names it.");

const notes = {
  accept: "It is in force at once.",
  keep: "Refused where the old default is gone.",
} as const;
const summaries = {
  accept: "Accept a default that changed",
  keep: "Keep the default of the version that made the store",
} as const;

const abouts = {
  accept: "accept a default that changed since the version that made the store",
  keep: "keep the default of the version that made the store",
} as const;

/** Defaults that changed since the version that made the store, and what an admin decided about each. */
export const defaultOperations = [
  operation({
    name: "defaults.list",
    args: [],
    summary: "Defaults that changed since the version that made the store",
    description:
      "A default that allows more than before is in force once an admin has accepted it; any other, at once.",
    example: [
      "const { changes } = await plane.defaults.list();",
      "for (const { id, loosens } of changes) if (!loosens) await plane.defaults.accept(id);",
    ].join("\n"),
    scope: "read",
    input: z.object({}),
    output: ChangedDefaults,
    http: { method: "get", path: "/defaults", tag, answers: { 200: "All of them." } },
    cli: {
      command: "defaults list",
      about: "defaults that changed since the version that made the store",
      examples: ["defaults list", "defaults list --json"],
      looks: true,
      text: renderDefaults,
    },
  }),
  ...(["accept", "keep"] as const).map((decision) =>
    operation({
      name: `defaults.${decision}`,
      args: ["id"],
      summary: summaries[decision],
      scope: "admin",
      input: z.object({ id }),
      output: ChangedDefault,
      note: notes[decision],
      http: {
        method: "post",
        path: `/defaults/{id}/${decision}`,
        tag,
        answers: { 200: "The default that is in force now." },
      },
      audit: { after: ({ inForce }) => ({ inForce }) },
      cli: {
        command: `defaults ${decision}`,
        about: abouts[decision],
        arguments: { "<id>": "the changed default, as 'defaults list' names it" },
        examples: [`defaults ${decision} durability`],
        text: renderDefault,
      },
    }),
  ),
];

function renderDefaults({ madeBy, changes }: ChangedDefaults): string {
  if (changes.length === 0)
    return `Version ${madeBy} made this store. No default has changed since.`;
  return [
    `Version ${madeBy} made this store. Defaults that changed since:`,
    ...changes.map(renderDefault),
  ].join("\n\n");
}

function renderDefault(change: ChangedDefault): string {
  const mark = (side: "before" | "now") => (change.inForce === side ? "  (in force)" : "");
  return [
    `${change.id} (${change.version}): ${change.summary}`,
    `  before: ${change.before}${mark("before")}`,
    `  now:    ${change.now}${mark("now")}`,
    `  ${decisionText(change)}`,
  ].join("\n");
}

const deciders = { accept: "accepted", keep: "kept as it was" } as const;

function decisionText({
  id: changed,
  decision,
  gone,
  decidedBy,
  decidedAt,
}: ChangedDefault): string {
  if (decision === "configured") return `set in the configuration: '${changed}'`;
  if (decision !== "undecided") {
    const by = decidedBy === null ? "" : ` by ${decidedBy}`;
    return `${deciders[decision]}${by}, ${decidedAt}`;
  }
  if (gone !== null) return `${gone} Accept: toolplane defaults accept ${changed}`;
  return `Decide: toolplane defaults accept ${changed}, or: toolplane defaults keep ${changed}`;
}
