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
  taken: ReadonlySet<string>,
) {
  const input = schema as JsonObject;
  const properties = propertiesOf(input);
  const required = new Set(Array.isArray(input.required) ? input.required.map(String) : []);
  const byPosition = positional.filter((name) => properties.has(name));
  for (const [at, name] of byPosition.entries()) {
    const shape = shapeOf(properties.get(name) ?? {});
    const isLast = at === byPosition.length - 1;
    const argument = new Argument(
      `[${name}${shape.isList && isLast ? "..." : ""}]`,
      aboutOf(properties.get(name)),
    );
    command.addArgument(readWith(argument, shape));
  }
  const words = byPosition.map((name, at) =>
    usageOf(name, properties.get(name), at === byPosition.length - 1),
  );
  command.usage(
    [
      "[options]",
      ...words.map((word, at) => bracket(word, required.has(byPosition[at] ?? ""))),
    ].join(" "),
  );
  const owners = new Map<string, string>();
  const used = new Set([...taken, "--input"]);
  for (const [name, schema] of properties) {
    if (!canBeFlag.test(name)) continue;
    const flags = flagsOf(name, used);
    for (const [at, flag] of flags.entries()) {
      const about = byPosition.includes(name)
        ? `the same as the argument '${name}'`
        : aboutOf(schema);
      for (const option of optionsOf(flag, schema, about, at === 0)) {
        owners.set(option.attributeName(), name);
        command.addOption(option);
      }
    }
  }
  const whole = new Option(
    "--input <json>",
    "all of the input as a JSON object; arguments and options replace what it says",
  );
  command.addOption(whole.argParser((text) => readObject(text)));
  return (typed: readonly unknown[], options: Readonly<Record<string, unknown>>): JsonObject => {
    const { input: base, ...others } = options;
    const named = Object.entries(others).flatMap(([key, value]) => {
      const name = owners.get(key);
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    });
    const placed = byPosition.flatMap((name, at) =>
      isGiven(typed[at]) ? [[name, typed[at]] as const] : [],
    );
    const twice = placed.find(([name]) => named.some(([other]) => other === name))?.[0];
    if (twice !== undefined)
      command.error(`'${twice}' is given twice: as an argument and as an option`);
    const given = {
      ...(base as JsonObject | undefined),
      ...Object.fromEntries([...named, ...placed]),
    } as JsonObject;
    const missing = [...required].find((name) => given[name] === undefined);
    if (missing !== undefined)
      command.error(
        byPosition.includes(missing)
          ? `missing required argument '${missing}'`
          : `required option '--${kebab(missing)}' not specified`,
      );
    return given;
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
const bracket = (word: string, isRequired: boolean) => (isRequired ? `<${word}>` : `[${word}]`);

/** As people write it, and as the schema does. One that all commands have already gets a prefix. */
function flagsOf(name: string, used: Set<string>): string[] {
  const usual = [...new Set([`--${kebab(name)}`, `--${name}`])];
  const free = usual.filter((flag) => !used.has(flag) && !flag.startsWith("--no-"));
  const flags = free.length > 0 ? free : [`--input-${kebab(name)}`];
  for (const flag of flags) used.add(flag).add(flag.replace("--", "--no-"));
  return flags;
}

function optionsOf(flag: string, schema: JsonObject, about: string, isShown: boolean): Option[] {
  if (typeOf(schema) === "boolean") {
    const [yes, no] = [new Option(flag, about), new Option(flag.replace("--", "--no-"), about)];
    const isUsual = schema.default === true;
    return [yes.hideHelp(!isShown || isUsual), no.hideHelp(!isShown || !isUsual)];
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

function aboutOf({ description, title, default: usual, type }: JsonObject = {}): string {
  const said = [description, title].find((text) => typeof text === "string" && text !== "");
  const list = type === "array" ? "repeatable" : null;
  const otherwise =
    usual === undefined || usual === false ? null : `default: ${JSON.stringify(usual)}`;
  const added = [list, otherwise].filter((part) => part !== null).join("; ");
  return [...(said === undefined ? [] : [said]), ...(added === "" ? [] : [`(${added})`])].join(" ");
}

/** Of several types, the first that is a value. */
function typeOf({ type }: JsonObject): unknown {
  return Array.isArray(type) ? type.find((one) => one !== "null") : type;
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
  const read = (text: string) => {
    const at = choices.indexOf(text);
    if (at < 0) throw new InvalidArgumentError(`Give one of ${choices.join(", ")}.`);
    return values[at];
  };
  return { placeholder: "choice", read, choices, isList: false };
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
