import { andThen } from "../lib/async/and-then.ts";
import {
  exactNumbersIn,
  findChanged,
  isTooDeep,
  noteExactNumbers,
  tooManyNumbers,
} from "../lib/json/exact-numbers.ts";
import { ambiguityOf, rememberText, sizeOf } from "../lib/json/json-text.ts";
import { parseLenientJson } from "../lib/json/lenient-json.ts";
import {
  ambiguityIn,
  halfText,
  hasHalf,
  maxClientValues,
  measureJson,
} from "../lib/json/measure-json.ts";
import { hasMembers } from "../lib/json/plain-data.ts";
import { repairTruncatedJson } from "../lib/json/repair-json.ts";
import { renderSignature } from "../lib/json/schema-words.ts";
import { foldName, nearest } from "../lib/text/nearest.ts";
import { createSafePattern, type SafePattern } from "../lib/text/safe-pattern.ts";
import type { Authorized, Input, Validated } from "../model/calls/call.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { type ErrorData, PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject, listOrEmpty, type UnknownObject } from "../model/json.ts";

/** Undeclared arguments are dropped, unless the schema allows them or has no list of properties. */
export function keepDeclared(
  tool: Tool,
  args: JsonObject,
): { kept: JsonObject; dropped: string[] } {
  const keeps = keeperOf(tool);
  const names = Object.keys(args);
  const budget: StepBudget = { stepsLeft: maxNameSteps };
  const dropped = names.filter((name) => !keeps(name, budget));
  if (dropped.length === 0) return { kept: args, dropped };
  const refused = new Set(dropped);
  return {
    kept: Object.fromEntries(Object.entries(args).filter(([name]) => !refused.has(name))),
    dropped,
  };
}

/** About 10 ms of patterns for all names of one call. */
const maxNameSteps = 500_000;
type StepBudget = { stepsLeft: number };
type Keeps = (name: string, budget: StepBudget) => boolean;

/** Once per tool of a snapshot. */
const keepers = new WeakMap<Tool, Keeps>();

function keeperOf(tool: Tool): Keeps {
  const cached = keepers.get(tool);
  if (cached) return cached;
  const { names, demanded, patterns, open } = declaredBy(tool.parameters);
  const welcomesAll =
    open || (isSilent(tool.parameters) && names.size === 0 && tool.injects.length === 0);
  const isDeclared = (name: string, budget: StepBudget) =>
    names.has(name) ||
    demanded.has(name) ||
    patterns.some((pattern) => mayMean(pattern, name, budget));
  const reservedNames = new Set(tool.reserved.map(foldName));
  // No careless server may take one name for the other.
  const isForged = (name: string) =>
    tool.reserved.includes(name) ||
    (!names.has(name) && (reservedNames.has(foldName(name)) || name === "__proto__"));
  const keeps: Keeps = (name, budget) =>
    !isForged(name) && (welcomesAll || isDeclared(name, budget));
  keepers.set(tool, keeps);
  return keeps;
}

/** A pattern that cannot be asked here may have meant the name: the check against the schema decides. */
function mayMean(pattern: SafePattern, name: string, budget: StepBudget): boolean {
  const steps = pattern.steps(name.length);
  if (!Number.isFinite(steps)) return true;
  budget.stepsLeft -= 1 + steps;
  return budget.stepsLeft < 0 || pattern.test(name) !== false;
}

/** An empty list of properties declares that there are none. */
function isSilent({ properties, additionalProperties, patternProperties }: UnknownObject): boolean {
  return [properties, additionalProperties, patternProperties].every(
    (keyword) => keyword === undefined,
  );
}

type Declared = {
  names: Set<string>;
  demanded: Set<string>;
  patterns: SafePattern[];
  open: boolean;
};

/** With composed schemas. A reference may declare anything. */
function declaredBy(schema: UnknownObject): Declared {
  const parts = [schema.allOf, schema.anyOf, schema.oneOf, [schema.if, schema.then, schema.else]]
    .flatMap(listOrEmpty)
    .filter(isObject)
    .map(declaredBy);
  const { properties, patternProperties, additionalProperties, required } = schema;
  // What must be there may be there, whether it is described or not.
  const requiredNames = Array.isArray(required)
    ? required.filter((name) => typeof name === "string")
    : [];
  return {
    names: new Set([...keysOf(properties), ...parts.flatMap(({ names }) => [...names])]),
    patterns: [
      ...keysOf(patternProperties).flatMap(compile),
      ...parts.flatMap(({ patterns }) => patterns),
    ],
    demanded: new Set([...requiredNames, ...parts.flatMap(({ demanded }) => [...demanded])]),
    open:
      additionalProperties === true ||
      isObject(additionalProperties) ||
      typeof schema.$ref === "string" ||
      parts.some(({ open }) => open),
  };
}

function keysOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  return Object.keys(value);
}

function compile(pattern: string): SafePattern[] {
  const safe = createSafePattern(pattern);
  return safe ? [safe] : [];
}

export type ArgumentProblem = {
  path: string;
  message: string;
  /** The property that is required and not there. */
  missing?: string;
};

/** `warnings` receives what could not be checked. */
export type CheckArguments = (
  schema: JsonObject,
  args: JsonObject,
  warnings?: string[],
) => ArgumentProblem[] | Promise<ArgumentProblem[]>;

/** For tools that may write, no argument is guessed. */
export type OnlyReads = (tool: Tool) => boolean;

/** Synchronous where the check is; rejects what does not fit. */
export function validate(
  call: Authorized,
  check: CheckArguments,
  onlyReads: OnlyReads = () => false,
): Validated | Promise<Validated> {
  try {
    return read(call, check, onlyReads);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function read(
  call: Authorized,
  check: CheckArguments,
  onlyReads: OnlyReads,
): Validated | Promise<Validated> {
  const { asked, tool } = call;
  const mayGuess = typeof asked.arguments === "string" && onlyReads(tool);
  const {
    arguments: parsed,
    repaired,
    respelt,
  } = parseArguments(asked.arguments, tool.name, mayGuess);
  const { kept: declaredArgs, dropped } = keepDeclared(tool, parsed);
  const args = withDefaults(tool, declaredArgs);
  const warnings: string[] = [];
  return andThen(check(tool.parameters, args, warnings), (problems): Validated => {
    if (problems.length > 0) throw refuse(tool, problems, dropped);
    const exact = exactNumbersIn(parsed);
    if (exact.length > 0) refuseEndless(exact, tool.name);
    const input: Input = { arguments: args, repaired, dropped };
    if (respelt !== undefined) input.respelt = respelt;
    if (exact.length > 0) input.exact = exact;
    if (warnings.length > 0) input.warnings = warnings;
    const validated = call as Validated;
    validated.input = input;
    return validated;
  });
}

/** The same object where nothing is added, so that its text is passed on as it was written. */
function withDefaults({ defaults }: Tool, args: JsonObject): JsonObject {
  if (defaults && hasMembers(defaults)) return { ...defaults, ...args };
  return args;
}

/** More help no reader. */
const maxUnknown = 20;

function refuse(tool: Tool, problems: ArgumentProblem[], dropped: string[]): PlaneError {
  const declared = [...declaredBy(tool.parameters).names];
  const misspelt = dropped
    .slice(0, maxUnknown)
    .flatMap((name) => nearest(name, declared, 1).map((near) => `'${name}' → '${near}'`));
  const lines = problems.map(({ path, message }) => `${path === "" ? "" : `${path} `}${message}`);
  const guess = misspelt.length === 0 ? "" : `Misspelt? ${misspelt.join(", ")}. `;
  const hint = `${guess}It takes: ${renderSignature(tool.parameters)}.`;
  const data: ErrorData = { problems, hint };
  if (dropped.length > 0) data.unknown = dropped.slice(0, maxUnknown);
  return invalid(tool.name, `are invalid: ${lines.join("; ")}. ${hint.slice(0, -1)}`, data);
}

type ParsedArguments = {
  arguments: JsonObject;
  repaired: boolean;
  /** What was not spelt as JSON. */
  respelt?: string[];
};

/** What is no object never runs as `{}`. Cut-off text is completed for read-only tools, else only with brackets. */
export function parseArguments(args: unknown, tool: string, onlyReads = true): ParsedArguments {
  if (args === undefined || args === null) return { arguments: {}, repaired: false };
  if (typeof args !== "string")
    return { arguments: requireClear(requireObject(args, tool), tool), repaired: false };
  if (args.trim() === "") return { arguments: {}, repaired: false };
  try {
    return { arguments: parse(args, tool), repaired: false };
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    if (args.length > maxRepaired)
      throw invalid(tool, `are not valid JSON, and too long to be mended`);
    return repair(args, tool, onlyReads);
  }
}

/** Longer text is read as it is or not at all: every character of it would be looked at. */
const maxRepaired = 256 * 1024;

function parse(text: string, tool: string): JsonObject {
  const { tooMuch, members, inexact } = measureJson(text, maxClientValues);
  if (tooMuch !== null) throw invalid(tool, `cannot be read: ${tooMuch}`);
  const parsed: unknown = JSON.parse(text);
  if (members < 0 && isTooDeep(parsed))
    throw invalid(tool, "cannot be read: they are nested too deeply");
  if (!noteExactNumbers(parsed, text, inexact))
    throw invalid(tool, `cannot be read: ${tooManyNumbers}`);
  const ambiguity = ambiguityIn(text, parsed, members);
  if (ambiguity !== null) throw invalid(tool, `cannot be read: ${ambiguity}`);
  if (parsed === null) return {};
  const object = requireObject(parsed, tool);
  rememberText(object, text);
  return object;
}

/** Other readers would read another value, or none. */
function requireClear(args: JsonObject, tool: string): JsonObject {
  // A face that read the text has looked at it already.
  const isRead = sizeOf(args) !== undefined;
  if (isRead) return args;
  const ambiguity =
    ambiguityOf(args) ?? (isTooDeep(args) ? "they are nested too deeply" : undefined);
  if (ambiguity !== undefined || hasHalf(args))
    throw invalid(tool, `cannot be read: ${ambiguity ?? halfText}`);
  return args;
}

function refuseEndless(
  numbers: readonly { path: readonly string[]; text: string }[],
  tool: string,
): void {
  const endless = numbers.find(({ text }) => !Number.isFinite(Number(text)));
  if (endless === undefined) return;
  const path = `/${endless.path.join("/")}`;
  const problems = [{ path, message: "is larger than any number that JSON readers can hold" }];
  throw invalid(tool, `cannot be read: ${path} ${problems[0]?.message}`, { problems });
}

function repair(text: string, tool: string, onlyReads: boolean): ParsedArguments {
  const lenient = parseLenientJson(text);
  if (lenient.text?.startsWith("{"))
    return { arguments: parse(lenient.text, tool), repaired: true, respelt: lenient.changes };
  const completed = repairTruncatedJson(text);
  if (completed === undefined || Object.keys(completed.value).length === 0)
    throw invalid(
      tool,
      `are not valid JSON: ${lenient.text === null ? placeOf(lenient) : "they must be an object"}`,
    );
  const notGuessed =
    "were cut off, and what was to come is not guessed for a tool that may change something";
  if (completed.isGuess && !onlyReads) throw invalid(tool, `${notGuessed}. Give them whole`);
  return { arguments: completed.value as JsonObject, repaired: true };
}

/** Only the place: errors are recorded, and the text may hold anything. */
function placeOf({
  at: position,
  line,
  column,
  isEnd,
}: {
  at: number;
  line: number;
  column: number;
  isEnd: boolean;
}): string {
  if (isEnd) return "they end too early";
  return `they break at position ${position} (line ${line}, column ${column})`;
}

/** Far above what tools declare; each name is looked at several times. */
const maxNames = 10_000;

function requireObject(value: unknown, tool: string): JsonObject {
  if (isObject(value)) {
    const { length } = Object.keys(value);
    if (length > maxNames)
      throw invalid(tool, `have ${length} names, and a call takes ${maxNames} at most`);
    return value as JsonObject;
  }
  const kind = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw invalid(tool, `must be a JSON object, not ${kind}`);
}

function invalid(tool: string, what: string, data: ErrorData = {}): PlaneError {
  return new PlaneError("INVALID_ARGUMENTS", `The arguments of '${tool}' ${what}.`, {
    data: { tool, ...data },
  });
}

const maxShown = 40;

/** It would be shown, kept or used as another number: better none. */
export function requireReadable({ tool, input }: Validated, why: string): void {
  const first = findChanged(input.exact);
  if (first === undefined) return;
  const name = first.path.join(".");
  const { length } = first.text;
  const shortNumber =
    length > maxShown ? `${first.text.slice(0, maxShown)}… (${length} characters)` : first.text;
  const text = `'${name}' of '${tool.name}' is ${shortNumber}, which is another number as soon as it is read, and ${why}. Give a number of at most 15 digits, or a text if the tool takes one.`;
  const problems = [{ path: name, message: "cannot be read exactly" }];
  throw new PlaneError("INVALID_ARGUMENTS", text, { data: { tool: tool.name, problems } });
}
