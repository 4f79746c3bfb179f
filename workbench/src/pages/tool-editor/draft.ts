import type {
  OverlayView,
  ToolArgument,
  ToolOverlay,
} from "../../../../src/model/catalogue/tool.ts";
import type { Json, UnknownObject } from "../../../../src/model/json.ts";

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
  const requiredNames = Array.isArray(required) ? required : [];
  return new Map(
    Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
      const { type, description } = isRecord(schema) ? schema : {};
      const texts = {
        type: typeof type === "string" ? type : "",
        description: typeof description === "string" ? description : "",
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
    hidden,
    fixed,
  } = argument;
  return {
    key,
    name,
    type,
    description,
    isListed: false,
    required: required === undefined ? "" : required ? "yes" : "no",
    fallback: toText(fallback),
    choices: (choices ?? []).map(toText).join(", "),
    visibility: fixed !== undefined ? "fixed" : hidden ? "hidden" : "shown",
    fixed: toText(fixed),
  };
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
  return {
    ...otherSettings,
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    ...(changedArguments.length === 0 ? {} : { arguments: changedArguments }),
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
    // An argument of our own exists by its name alone.
    ...(isListed || type !== "" ? {} : { type: "string" as const }),
  };
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
