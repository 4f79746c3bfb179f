import type { Environment } from "@toolplane/core/config/editing";
import { asShown, type Foreign, type Piece } from "@toolplane/core/model/foreign";
import type { JsonObject } from "@toolplane/core/model/json";

/** What a person has to say about a server before it can be started. Words of a stranger are for reading only. */
export type EntryInput = {
  key: string;
  title?: string | undefined;
  description?: string | undefined;
  isRequired: boolean;
  /** Never written: the entry refers to a variable of this name. */
  isSecret: boolean;
  default?: readonly Foreign<string>[] | undefined;
  choices?: readonly string[] | undefined;
  type?: "number" | "boolean" | undefined;
  isMany?: boolean | undefined;
  /** The variable of this name may hold it already. */
  isVariable?: boolean | undefined;
};

export type InputValues = Readonly<Record<string, string | readonly string[]>>;

/** A form as JSON Schema, for the questions of the command line and for the workbench. */
export function formOf(inputs: readonly EntryInput[]): JsonObject | null {
  if (inputs.length === 0) return null;
  const properties = inputs.map((input) => [input.key, fieldOf(input)] as const);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: inputs.filter(({ isRequired }) => isRequired).map(({ key }) => key),
  };
}

function fieldOf(input: EntryInput): JsonObject {
  const { title, description, choices, isSecret, isMany, type = "string" } = input;
  const defaults = input.default?.map(asShown);
  const schema: JsonObject = { type };
  if (choices && choices.length > 0) schema.enum = [...choices];
  const field: JsonObject = isMany ? { type: "array", items: schema } : schema;
  if (title !== undefined) field.title = title;
  if (description !== undefined) field.description = description;
  if (defaults !== undefined)
    field.default = defaults.length === 1 ? (defaults[0] ?? "") : defaults;
  if (isSecret) Object.assign(field, { writeOnly: true, format: "password" });
  return field;
}

/** What stands in the entry for an input: none where it is left out. */
export function inputPieces(
  input: EntryInput,
  values: InputValues,
  environment: Environment,
): Piece[] {
  const { key, isSecret, isRequired, isVariable } = input;
  const answer = values[key];
  const isSet = (environment[key] ?? "") !== "";
  const isReferredTo = isRequired || answer !== undefined || isSet;
  if (isSecret) return isReferredTo ? [{ variable: key }] : [];
  if (answer !== undefined && answer !== "") return [answer].flat();
  if (answer === undefined && input.default !== undefined) return [...input.default];
  if (isVariable && isSet) return [{ variable: key }];
  return [];
}

/** Required, and neither said nor known. Secrets are found as references that are not set. */
export function missingInputs(
  inputs: readonly EntryInput[],
  values: InputValues,
  environment: Environment,
): EntryInput[] {
  return inputs.filter(
    (input) =>
      input.isRequired && !input.isSecret && inputPieces(input, values, environment).length === 0,
  );
}

/** A value that is not one of the choices would only be refused by the server. */
export function wrongChoices(inputs: readonly EntryInput[], values: InputValues): string[] {
  return inputs.flatMap(({ key, choices = [] }) => {
    const answers = [values[key] ?? []].flat();
    const isValid = choices.length === 0 || answers.every((answer) => choices.includes(answer));
    return isValid ? [] : [`'${key}' must be one of ${choices.join(", ")}`];
  });
}
