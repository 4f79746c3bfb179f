import type {
  OverlayView,
  ToolArgument,
  ToolOverlay,
} from "../../../../src/model/catalogue/tool.ts";
import {
  type Json,
  listOrEmpty,
  stringOrEmpty,
  type UnknownObject,
} from "../../../../src/model/json.ts";

/** Checked against the schema's type. */
export const types = [
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
] as const satisfies ToolArgument["type"][];

export type Visibility = "shown" | "hidden" | "fixed";

/** One argument while it is edited, as typed. */
export type ArgumentDraft = {
  key: number;
  name: string;
  /** Whether the server defines it. */
  isListed: boolean;
  type: ToolArgument["type"] | "";
  description: string;
  required: "" | "yes" | "no";
  fallback: string;
  choices: string;
  visibility: Visibility;
  fixed: string;
};

/** The server's values, shown as placeholders. */
export type ListedArgument = { type: string; description: string; isRequired: boolean };

const isRecord = (value: unknown): value is UnknownObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function listedArguments({ listed }: OverlayView): Map<string, ListedArgument> {
  const { properties, required } = listed.parameters;
  const requiredNames = listOrEmpty(required);
  return new Map(
    Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
      const { type, description } = isRecord(schema) ? schema : {};
      const texts = {
        type: stringOrEmpty(type),
        description: stringOrEmpty(description),
      };
      return [name, { ...texts, isRequired: requiredNames.includes(name) }];
    }),
  );
}

/** The server's arguments with their overlays, then our own. */
export function toDrafts(view: OverlayView): ArgumentDraft[] {
  const overlaidArguments = new Map(
    (view.overlay.arguments ?? []).map((argument) => [argument.name, argument]),
  );
  const listed = listedArguments(view);
  const names = [...new Set([...listed.keys(), ...overlaidArguments.keys()])];
  return names.map((name, key) => ({
    ...toDraft(overlaidArguments.get(name) ?? { name }, key),
    isListed: listed.has(name),
  }));
}

export function emptyDraft(key: number): ArgumentDraft {
  return { ...toDraft({ name: "" }, key), type: "string" };
}

function toDraft(argument: ToolArgument, key: number): ArgumentDraft {
  const {
    name,
    type = "",
    description = "",
    required,
    default: fallback,
    enum: choices,
    fixed,
  } = argument;
  return {
    key,
    name,
    type,
    description,
    isListed: false,
    required: requiredText(required),
    fallback: toText(fallback),
    choices: (choices ?? []).map(toText).join(", "),
    visibility: visibilityOf(argument),
    fixed: toText(fixed),
  };
}

function requiredText(required: boolean | undefined): ArgumentDraft["required"] {
  if (required === undefined) return "";
  return required ? "yes" : "no";
}

function visibilityOf({ fixed, hidden }: ToolArgument): Visibility {
  if (fixed !== undefined) return "fixed";
  return hidden ? "hidden" : "shown";
}

/** The overlay: only differences from the server's definition. */
export function toOverlay(
  overlay: ToolOverlay,
  description: string,
  drafts: readonly ArgumentDraft[],
): ToolOverlay {
  const { arguments: _, description: __, ...otherSettings } = overlay;
  const changedArguments = drafts
    .map(toArgument)
    .filter((argument) => Object.keys(argument).length > 1);
  const changed: ToolOverlay = { ...otherSettings };
  if (description.trim() !== "") changed.description = description.trim();
  if (changedArguments.length > 0) changed.arguments = changedArguments;
  return changed;
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
  const argument: ToolArgument = { name: name.trim() };
  const choiceTexts = splitChoices(choices);
  if (type !== "") argument.type = type;
  // An argument of our own exists by its name alone.
  else if (!isListed) argument.type = "string";
  if (description.trim() !== "") argument.description = description.trim();
  if (required !== "") argument.required = required === "yes";
  if (fallback !== "") argument.default = toValue(fallback, type);
  if (choiceTexts.length > 0) argument.enum = choiceTexts.map((text) => toValue(text, type));
  if (visibility === "hidden") argument.hidden = true;
  if (visibility === "fixed") argument.fixed = toValue(fixed, type);
  return argument;
}

function splitChoices(text: string): string[] {
  return text
    .split(",")
    .map((choice) => choice.trim())
    .filter((choice) => choice !== "");
}

/** A string stays as typed; other types are parsed as JSON if possible. */
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
