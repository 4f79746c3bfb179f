import type { OverlayView, ToolArgument, ToolOverlay } from "../../../../src/model/catalogue/tool.ts";
import type { Json, UnknownObject } from "../../../../src/model/json.ts";

/** The type alone is taken from the schema; the list is checked against it. */
export const types = [
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
] as const satisfies ToolArgument["type"][];

export type Visibility = "shown" | "hidden" | "fixed";

/** One argument as somebody edits it: texts, as they are typed. */
export type ArgumentDraft = {
  key: number;
  name: string;
  /** Does the server know it? */
  isListed: boolean;
  type: ToolArgument["type"] | "";
  description: string;
  required: "" | "yes" | "no";
  fallback: string;
  choices: string;
  visibility: Visibility;
  fixed: string;
};

/** What the server says about an argument; in the place of what is left empty. */
export type ListedArgument = { type: string; description: string; isRequired: boolean };

const isRecord = (value: unknown): value is UnknownObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function listedArguments({ listed }: OverlayView): Map<string, ListedArgument> {
  const { properties, required } = listed.parameters;
  const needed = Array.isArray(required) ? required : [];
  return new Map(
    Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
      const { type, description } = isRecord(schema) ? schema : {};
      const shown = {
        type: typeof type === "string" ? type : "",
        description: typeof description === "string" ? description : "",
      };
      return [name, { ...shown, isRequired: needed.includes(name) }];
    }),
  );
}

/** Every argument of the server, with what is said about it here, then those that only we know. */
export function toDrafts(view: OverlayView): ArgumentDraft[] {
  const said = new Map((view.overlay.arguments ?? []).map((argument) => [argument.name, argument]));
  const listed = listedArguments(view);
  const names = [...new Set([...listed.keys(), ...said.keys()])];
  return names.map((name, key) => ({
    ...toDraft(said.get(name) ?? { name }, key),
    isListed: listed.has(name),
  }));
}

export function emptyDraft(key: number): ArgumentDraft {
  return { ...toDraft({ name: "" }, key), type: "string" };
}

function toDraft(argument: ToolArgument, key: number): ArgumentDraft {
  const { name, type = "", description = "", required, default: fallback, enum: choices, hidden, fixed } = argument;
  return {
    ...{ key, name, type, description, isListed: false },
    required: required === undefined ? "" : required ? "yes" : "no",
    fallback: toText(fallback),
    choices: (choices ?? []).map(toText).join(", "),
    visibility: fixed !== undefined ? "fixed" : hidden ? "hidden" : "shown",
    fixed: toText(fixed),
  };
}

/** What is set: only what differs from the server's words. */
export function toOverlay(overlay: ToolOverlay, description: string, drafts: readonly ArgumentDraft[]): ToolOverlay {
  const { arguments: _, description: __, ...rest } = overlay;
  const said = drafts.map(toArgument).filter((argument) => Object.keys(argument).length > 1);
  return {
    ...rest,
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    ...(said.length === 0 ? {} : { arguments: said }),
  };
}

function toArgument({
  name,
  isListed,
  type,
  description,
  required,
  fallback,
  choices,
  visibility,
  fixed,
}: ArgumentDraft): ToolArgument {
  const values = splitChoices(choices);
  return {
    name: name.trim(),
    ...(type === "" ? {} : { type }),
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    ...(required === "" ? {} : { required: required === "yes" }),
    ...(fallback === "" ? {} : { default: toValue(fallback, type) }),
    ...(values.length === 0 ? {} : { enum: values.map((text) => toValue(text, type)) }),
    ...(visibility === "hidden" ? { hidden: true } : {}),
    ...(visibility === "fixed" ? { fixed: toValue(fixed, type) } : {}),
    // Of what only we know a name alone already says that it is there.
    ...(isListed || type !== "" ? {} : { type: "string" as const }),
  };
}

function splitChoices(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** A text is what it says; everything else is JSON where it is some. */
function toValue(text: string, type: ArgumentDraft["type"]): Json {
  if (type === "string") return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function toText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
