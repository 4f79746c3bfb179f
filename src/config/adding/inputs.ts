import type { JsonObject } from "../../model/json.ts";
import { variableName } from "../clients/translate-entry.ts";
import type { Environment } from "../environment.ts";

/** What a person has to say about a server before it can be started. */
export type EntryInput = {
  key: string;
  title?: string | undefined;
  description?: string | undefined;
  isRequired: boolean;
  /** Never written: the entry refers to a variable of this name. */
  isSecret: boolean;
  default?: string | readonly string[] | undefined;
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
  const usual = Array.isArray(input.default) ? [...(input.default as string[])] : (input.default as string | undefined);
  const one: JsonObject = { type, ...(choices && choices.length > 0 ? { enum: [...choices] } : {}) };
  return {
    ...(isMany ? { type: "array", items: one } : one),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(usual === undefined ? {} : { default: usual }),
    ...(isSecret ? { writeOnly: true, format: "password" } : {}),
  };
}

/** As a configuration holds it: a dollar before a brace would be a reference. */
export function literal(text: string): string {
  return text.replaceAll(/(?<!\$)\$+(?=\{)/g, (run) => run + run);
}

/** What stands in the entry for an input: none where it is left out. */
export function inputValue(input: EntryInput, values: InputValues, environment: Environment): string[] {
  const { key, isSecret, isRequired, isVariable } = input;
  const given = values[key] ?? input.default;
  const isSet = (environment[key] ?? "") !== "";
  if (isSecret) return isRequired || values[key] !== undefined || isSet ? [`\${${key}}`] : [];
  if (given !== undefined && given !== "") return [given].flat().map(literal);
  return isVariable && isSet ? [`\${${key}}`] : [];
}

/** Required, and neither said nor known. Secrets are found as references that are not set. */
export function missingInputs(
  inputs: readonly EntryInput[],
  values: InputValues,
  environment: Environment,
): EntryInput[] {
  return inputs.filter(
    (input) => input.isRequired && !input.isSecret && inputValue(input, values, environment).length === 0,
  );
}

/** A value that is not one of the choices would only be refused by the server. */
export function wrongChoices(inputs: readonly EntryInput[], values: InputValues): string[] {
  return inputs.flatMap(({ key, choices = [] }) => {
    const given = [values[key] ?? []].flat();
    const wrong = choices.length === 0 ? undefined : given.find((one) => !choices.includes(one));
    return wrong === undefined ? [] : [`'${key}' must be one of ${choices.join(", ")}`];
  });
}

export { variableName };
