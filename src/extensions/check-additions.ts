import { PlaneError } from "../model/errors.ts";
import { eventMeanings } from "../model/events.ts";
import type { ExtensionSetup } from "../model/extensions/extension.ts";
import { isObject } from "../model/json.ts";

/** Says what is wrong with an argument, such as `is a text`; null for what fits. */
type Check = (argument: unknown) => string | null;
type Parameter = { name: string; takes: string; check: Check };
type Adding = Exclude<keyof ExtensionSetup, "settings" | "directory" | "plane" | "log">;

/** What each function of `setup` takes. An extension without a compiler hears of a mistake when it starts. */
const signatures: Readonly<Record<Adding, readonly Parameter[]>> = {
  addOperation: [
    {
      ...object("operation", {}),
      takes: "{ name, summary, scope, input, run: (input, asker) => … }",
    },
  ],
  addProvider: [
    text("kind"),
    either(
      callable("spec", "args", "context"),
      object("provider", { create: callable("spec") }),
      "provider",
    ),
    optional(object("options", { check: optional(callable("spec", "signal")) })),
  ],
  addTransport: [text("scheme"), { ...callable("url", "to"), name: "open" }],
  addToolSource: [object("source", { list: callable() })],
  addSecrets: [text("kind"), { ...callable("name", "context"), name: "read" }],
  addScanner: [{ ...callable("definition"), name: "scan" }],
  addEmbedder: [{ ...callable("texts"), name: "embed" }],
  addRanker: [{ ...callable("query", "tools"), name: "rank" }],
  addApprovalChannel: [
    object("channel", {
      name: text("name"),
      ask: callable("held", "answer"),
      settled: optional(callable("held")),
    }),
  ],
  aroundExecute: [{ ...callable("call", "next"), name: "stage" }],
  onEvent: [{ ...callable("event"), name: "listen" }, optional(eventType())],
  addPanel: [object("panel", { title: text("title"), facts: callable() })],
};

/** The same functions; what they are given is checked before it is added. */
export function checkAdditions(setup: ExtensionSetup): ExtensionSetup {
  const checked = Object.entries(signatures).map(([name, parameters]) => {
    const add = setup[name as Adding] as (...given: unknown[]) => unknown;
    const addChecked = (...given: unknown[]) => {
      requireSignature(name, parameters, given);
      return add(...given);
    };
    return [name, addChecked];
  });
  return { ...setup, ...Object.fromEntries(checked) };
}

function requireSignature(
  name: string,
  parameters: readonly Parameter[],
  given: readonly unknown[],
): void {
  const refuse = (problem: string) => {
    const signature = parameters.map((parameter) => `${parameter.name}: ${parameter.takes}`);
    return new PlaneError(
      "USAGE",
      `The extension cannot be set up: ${problem}. It is ${name}(${signature.join(", ")}).`,
    );
  };
  if (given.length > parameters.length)
    throw refuse(`'${name}' was called with ${given.length} arguments`);
  for (const [index, parameter] of parameters.entries()) {
    const problem = parameter.check(given[index]);
    if (problem !== null)
      throw refuse(`'${parameter.name.replace("?", "")}' of '${name}' ${problem}`);
  }
}

function text(name: string): Parameter {
  const check: Check = (argument) => {
    if (typeof argument !== "string") return `is ${kindOf(argument)}`;
    return argument === "" ? "is empty" : null;
  };
  return { name, takes: "text", check };
}

/** A function that asks for more than it gets was written for something else. */
function callable(...gets: readonly string[]): Parameter {
  const takes = `(${gets.join(", ")}) => …`;
  const check: Check = (argument) => {
    if (typeof argument !== "function") return `is ${kindOf(argument)}`;
    if (argument.length <= gets.length) return null;
    return `takes ${argument.length} parameters and gets ${gets.length}`;
  };
  return { name: "function", takes, check };
}

function object(name: string, members: Readonly<Record<string, Parameter>>): Parameter {
  const takes = Object.entries(members).map(([key, member]) => `${key}: ${member.takes}`);
  const check: Check = (argument) => {
    if (!isObject(argument)) return `is ${kindOf(argument)}`;
    const problems = Object.entries(members).map(([key, member]) => {
      const problem = member.check(argument[key]);
      return problem === null ? null : `has no valid '${key}': it ${problem}`;
    });
    return problems.find((problem) => problem !== null) ?? null;
  };
  return { name, takes: `{ ${takes.join(", ")} }`, check };
}

function either(first: Parameter, second: Parameter, name: string): Parameter {
  const check: Check = (argument) => (isObject(argument) ? second : first).check(argument);
  return { name, takes: `${first.takes} | ${second.takes}`, check };
}

function optional(parameter: Parameter): Parameter {
  const { name, takes, check } = parameter;
  return {
    name: `${name}?`,
    takes,
    check: (argument) => (argument === undefined ? null : check(argument)),
  };
}

function eventType(): Parameter {
  const check: Check = (argument) =>
    typeof argument === "string" && argument in eventMeanings ? null : "is no type of event";
  return { name: "type", takes: "event type", check };
}

function kindOf(argument: unknown): string {
  if (argument === undefined) return "missing";
  if (argument === null) return "null";
  if (Array.isArray(argument)) return "a list";
  const kinds: Readonly<Record<string, string>> = {
    string: "a text",
    function: "a function",
    object: "an object",
  };
  return kinds[typeof argument] ?? `a ${typeof argument}`;
}
