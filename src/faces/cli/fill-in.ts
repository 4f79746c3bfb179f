import { plainText } from "../../lib/text/plain-text.ts";
import type { Question } from "../../model/calls/provider.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** The person would rather not. */
export const declined = Symbol("declined");
type Or<T> = T | typeof declined;

/** Ways to ask a person one thing. */
export type Prompts = {
  confirm(message: string, usual: boolean | undefined): Promise<Or<boolean>>;
  /** Undefined when something optional is left out. */
  choose(message: string, values: readonly unknown[], isRequired: boolean): Promise<Or<unknown>>;
  write(message: string, given: { usual?: string; isRequired: boolean }): Promise<Or<string | undefined>>;
};

/** What a server wants to know, field by field; null when the person would rather not say. */
export async function fillIn({ url, schema }: Question, prompts: Prompts): Promise<UnknownObject | null> {
  if (url !== null) return agree(`Open ${plainText(url)} in your browser. Done?`, prompts);
  const fields = isObject(schema?.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema?.required) ? schema.required : [];
  if (fields.length === 0) return agree("Do you agree?", prompts);
  const content: UnknownObject = {};
  for (const [name, field] of fields) {
    const value = await askField(name, isObject(field) ? field : {}, required.includes(name), prompts);
    if (value === declined) return null;
    if (value !== undefined) content[name] = value;
  }
  return content;
}

async function agree(message: string, { confirm }: Prompts): Promise<UnknownObject | null> {
  return (await confirm(message, undefined)) === true ? {} : null;
}

async function askField(
  name: string,
  field: UnknownObject,
  isRequired: boolean,
  { confirm, choose, write }: Prompts,
): Promise<Or<unknown>> {
  const message = plainText(String(field.title ?? field.description ?? name)).replaceAll(/\s+/g, " ");
  if (field.type === "boolean") return confirm(message, field.default === true);
  if (Array.isArray(field.enum)) return choose(message, field.enum, isRequired);
  const usual = field.default === undefined ? {} : { usual: String(field.default) };
  const given = await write(isRequired ? message : `${message} (optional)`, { ...usual, isRequired });
  if (given === declined || given === undefined || given === "") return given === "" ? undefined : given;
  const isNumber = field.type === "number" || field.type === "integer";
  // What is no number is refused by name, as whatever else does not fit.
  return isNumber && given.trim() !== "" && Number.isFinite(Number(given)) ? Number(given) : given;
}
