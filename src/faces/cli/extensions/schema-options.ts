import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { ExtensionVerb } from "../../../model/extensions/extension-schema.ts";
import { isObject, type Json, type JsonObject } from "../../../model/json.ts";

/** Reads one value that was typed; `before` are those of the same option so far. */
type Read = (text: string, before?: unknown) => unknown;
type Shape = {
  placeholder: string;
  read: Read;
  choices: readonly string[] | null;
  isList: boolean;
};

const canBeFlag = /^[A-Za-z][\w-]*$/;

/** `maxItems` and `max_items` are `max-items`. */
export function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, "-").toLowerCase();
}

/** Gives a command the arguments and options of an operation. What is returned makes an input of what was typed. */
export function addInputs(
  command: Command,
  { input: schema, positional }: ExtensionVerb,
  takenFlags: ReadonlySet<string>,
) {
  const input = schema as JsonObject;
  const properties = propertiesOf(input);
  const required = new Set(Array.isArray(input.required) ? input.required.map(String) : []);
  const byPosition = positional.filter((name) => properties.has(name));
  for (const [index, name] of byPosition.entries()) {
    const shape = shapeOf(properties.get(name) ?? {});
    const isLast = index === byPosition.length - 1;
    const argument = new Argument(
      `[${name}${shape.isList && isLast ? "..." : ""}]`,
      aboutOf(properties.get(name)),
    );
    command.addArgument(readWith(argument, shape));
  }
  const usages = byPosition.map((name, index) =>
    usageOf(name, properties.get(name), index === byPosition.length - 1),
  );
  command.usage(
    [
      "[options]",
      ...usages.map((usage, index) => bracket(usage, required.has(byPosition[index] ?? ""))),
    ].join(" "),
  );
  const owners = new Map<string, string>();
  const used = new Set([...takenFlags, "--input"]);
  for (const [name, schema] of properties) {
    if (!canBeFlag.test(name)) continue;
    const flags = flagsOf(name, used);
    for (const [index, flag] of flags.entries()) {
      const isArgument = byPosition.includes(name);
      const about = isArgument ? `the same as the argument '${name}'` : aboutOf(schema);
      for (const option of optionsOf(flag, schema, about, index === 0)) {
        owners.set(option.attributeName(), name);
        command.addOption(option);
      }
    }
  }
  const inputOption = new Option(
    "--input <json>",
    "all of the input as a JSON object; arguments and options replace what it says",
  );
  command.addOption(inputOption.argParser((text) => readObject(text)));
  return (typed: readonly unknown[], options: Readonly<Record<string, unknown>>): JsonObject => {
    const { input: base, ...flagValues } = options;
    const byFlag = Object.entries(flagValues)
      .map(([key, value]) => [owners.get(key) ?? "", value] as const)
      .filter(([name, value]) => name !== "" && value !== undefined);
    const byArgument = byPosition
      .map((name, index) => [name, typed[index]] as const)
      .filter(([, value]) => isGiven(value));
    const duplicate = byArgument.find(([name]) =>
      byFlag.some(([flagName]) => flagName === name),
    )?.[0];
    if (duplicate !== undefined)
      command.error(`'${duplicate}' is given twice: as an argument and as an option`);
    const input = {
      ...(base as JsonObject | undefined),
      ...Object.fromEntries([...byFlag, ...byArgument]),
    } as JsonObject;
    const missing = [...required].find((name) => input[name] === undefined);
    if (missing === undefined) return input;
    if (byPosition.includes(missing)) command.error(`missing required argument '${missing}'`);
    return command.error(`required option '--${kebab(missing)}' not specified`);
  };
}

/** A list that takes the rest of the words is empty where there are none. */
const isGiven = (value: unknown) =>
  value !== undefined && !(Array.isArray(value) && value.length === 0);

function propertiesOf({ properties }: JsonObject): Map<string, JsonObject> {
  const listed = isObject(properties) ? Object.entries(properties) : [];
  return new Map(
    listed.map(([name, schema]) => [name, isObject(schema) ? (schema as JsonObject) : {}]),
  );
}

const usageOf = (name: string, schema: JsonObject | undefined, isLast: boolean) =>
  isLast && shapeOf(schema ?? {}).isList ? `${name}...` : name;
const bracket = (usage: string, isRequired: boolean) => (isRequired ? `<${usage}>` : `[${usage}]`);

/** As people write it, and as the schema does. One that all commands have already gets a prefix. */
function flagsOf(name: string, used: Set<string>): string[] {
  const spellings = [...new Set([`--${kebab(name)}`, `--${name}`])];
  const unused = spellings.filter((flag) => !used.has(flag) && !flag.startsWith("--no-"));
  const flags = unused.length > 0 ? unused : [`--input-${kebab(name)}`];
  for (const flag of flags) used.add(flag).add(flag.replace("--", "--no-"));
  return flags;
}

function optionsOf(flag: string, schema: JsonObject, about: string, isShown: boolean): Option[] {
  if (typeOf(schema) === "boolean") {
    const [positive, negative] = [
      new Option(flag, about),
      new Option(flag.replace("--", "--no-"), about),
    ];
    const isUsual = schema.default === true;
    return [positive.hideHelp(!isShown || isUsual), negative.hideHelp(!isShown || !isUsual)];
  }
  const shape = shapeOf(schema);
  const option = new Option(`${flag} <${shape.placeholder}>`, about).hideHelp(!isShown);
  return [readWith(option, shape)];
}

function readWith<Taker extends Option | Argument>(taker: Taker, { choices, read }: Shape): Taker {
  if (choices !== null) taker.choices(choices);
  taker.argParser(read as never);
  return taker;
}

function aboutOf({ description, title, default: defaultValue, type }: JsonObject = {}): string {
  const about = [description, title].find((text) => typeof text === "string" && text !== "");
  const notes: string[] = [];
  if (type === "array") notes.push("repeatable");
  if (defaultValue !== undefined && defaultValue !== false)
    notes.push(`default: ${JSON.stringify(defaultValue)}`);
  const noteText = notes.length > 0 && `(${notes.join("; ")})`;
  return [about, noteText].filter(Boolean).join(" ");
}

/** Of several types, the first that is a value. */
function typeOf({ type }: JsonObject): unknown {
  if (!Array.isArray(type)) return type;
  return type.find((name) => name !== "null");
}

function shapeOf(schema: JsonObject): Shape {
  if (Array.isArray(schema.enum)) return choiceOf(schema.enum);
  const plain = (placeholder: string, read: (text: string) => unknown): Shape => ({
    placeholder,
    read,
    choices: null,
    isList: false,
  });
  switch (typeOf(schema)) {
    case "string":
      return plain("text", (text) => text);
    case "number":
      return plain("number", (text) => readNumber(text, "Give a number."));
    case "integer":
      return plain("number", (text) => readNumber(text, "Give an integer.", Number.isInteger));
    case "boolean":
      return choiceOf([true, false]);
    case "object":
      return plain("json", readObject);
    case "array":
      return listOf(isObject(schema.items) ? (schema.items as JsonObject) : {});
    default:
      return plain("value", readAny);
  }
}

function choiceOf(values: readonly Json[]): Shape {
  const choices = values.map(String);
  const readChoice = (text: string) => {
    const index = choices.indexOf(text);
    if (index < 0) throw new InvalidArgumentError(`Give one of ${choices.join(", ")}.`);
    return values[index];
  };
  return { placeholder: "choice", read: readChoice, choices, isList: false };
}

/** One entry after the other. */
function listOf(items: JsonObject): Shape {
  const { placeholder, read, choices } = shapeOf(items);
  const readNext: Read = (text, before) => [...(Array.isArray(before) ? before : []), read(text)];
  return { placeholder, read: readNext, choices, isList: true };
}

function readNumber(
  text: string,
  hint: string,
  isFine: (number: number) => boolean = Number.isFinite,
): number {
  const number = Number(text);
  if (text.trim() === "" || !isFine(number)) throw new InvalidArgumentError(hint);
  return number;
}

function readObject(text: string): JsonObject {
  const value = parsed(text);
  if (!isObject(value))
    throw new InvalidArgumentError('Give a JSON object such as {"key": "value"}.');
  return value as JsonObject;
}

/** JSON where it is, else the text itself. */
function readAny(text: string): unknown {
  const value = parsed(text);
  return value === undefined ? text : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
