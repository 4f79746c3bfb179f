import { isTooDeep } from "@toolplane/core/lib/json/exact-numbers";
import { sliceText } from "@toolplane/core/lib/text/cut-text";
import { readShell, type ShellCommand, type ShellWord } from "@toolplane/core/lib/text/shell";
import type { PlacedStep, PlanProblem, ReadPlan } from "@toolplane/core/model/calls/tool-plan";
import {
  isObject,
  type JsonObject,
  objectOrEmpty,
  stringOrEmpty,
  stringOrNull,
} from "@toolplane/core/model/json";
import { readCall, UnreadableCall } from "./read-call.ts";
import { dryRunWord, scriptFrame } from "./write-script.ts";

/** Commands that say something or do nothing; what they say is not printed. */
const idleCommands = new Set(["echo", "true", ":"]);
const knownSetting = /^(-[eux]*o?|pipefail)$/;

/** The calls that a script makes, in order. Nothing of it is run, and anything else in it is reported. */
export function readScript(text: string): ReadPlan {
  const steps: PlacedStep[] = [];
  const problems: PlanProblem[] = [];
  const isForeign = /^[^\n]*\r\n/.test(text);
  const script = withoutFrame(isForeign ? text.replaceAll("\r\n", "\n") : text);
  if (isForeign)
    problems.push(
      problem(
        1,
        "Lines end with carriage returns, which bash takes for a part of words.",
        "Save the script with Unix line ends.",
      ),
    );
  if (text.includes("\0"))
    problems.push(
      problem(
        1,
        "There are zero bytes in it, which bash leaves out.",
        "Write the script again as text.",
      ),
    );
  const commands = [...readShell(script)];
  for (const command of commands) {
    if (command === commands.at(-1) && isExit(command)) continue;
    const stepOrProblem = readCommand(command);
    if (stepOrProblem === null) continue;
    if ("message" in stepOrProblem) problems.push(stepOrProblem);
    else steps.push(stepOrProblem);
  }
  return { task: taskOf(text), steps, problems };
}

/** A step, what is wrong with it, or null when it does nothing. */
function readCommand({
  line,
  words,
  problem: shellProblem,
}: ShellCommand): PlacedStep | PlanProblem | null {
  const commandWords = words.filter(({ source }) => source !== dryRunWord);
  const [name] = commandWords;
  if (shellProblem !== null)
    return problem(
      line,
      `${capital(shellProblem)} cannot be read.`,
      "Write one 'toolplane call' a line.",
      toolIn(commandWords),
    );
  const doubtedWord = commandWords.find(({ doubt }) => doubt !== null);
  if (doubtedWord)
    return problem(
      doubtedWord.line,
      `'${short(doubtedWord.source)}' cannot be read: ${doubtedWord.doubt}.`,
      "Put single quotes around what is meant as it is written.",
      toolIn(commandWords),
    );
  if (name === undefined || isIdle(commandWords)) return null;
  if (name.text !== "toolplane")
    return problem(
      line,
      `'${short(name.text)}' is not a tool call.`,
      "Write toolplane call NAME --args '{…}'.",
    );
  try {
    return { line, ...readCall(commandWords.slice(1)), why: "" };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableCall)) throw thrown;
    return problem(line, thrown.message, thrown.hint, thrown.tool);
  }
}

/** At the end it runs nothing and keeps nothing from running: a script to be filled in says that nothing was done. */
function isExit({ words: [name, ...exitArguments], problem: shellProblem }: ShellCommand): boolean {
  const isStatus =
    exitArguments.length === 0 ||
    (exitArguments.length === 1 && /^\d{1,3}$/.test(exitArguments[0]?.text ?? ""));
  return shellProblem === null && name?.text === "exit" && isStatus;
}

function isIdle([name, ...commandArguments]: readonly ShellWord[]): boolean {
  if (name?.text === "set") return commandArguments.every(({ text }) => knownSetting.test(text));
  return name !== undefined && idleCommands.has(name.text);
}

/** Only where nothing but comments stands before it: inside of quotes it is text like any other. Lines stay where they are. */
function withoutFrame(text: string): string {
  const leadingComments = /^(?:#[^\n]*\n|\n)*/.exec(text)?.[0] ?? "";
  if (!text.startsWith(scriptFrame, leadingComments.length)) return text;
  const lines = "\n".repeat(scriptFrame.split("\n").length - 1);
  return leadingComments + lines + text.slice(leadingComments.length + scriptFrame.length);
}

function taskOf(text: string): string | null {
  return /^# Task: (.+)$/m.exec(text)?.[1] ?? null;
}

function toolIn([program, verb, tool]: readonly ShellWord[]): string | null {
  const isCall = program?.text === "toolplane" && verb?.text === "call" && tool?.doubt === null;
  return isCall && !tool.text.startsWith("-") ? tool.text : null;
}

function problem(
  line: number,
  message: string,
  hint: string | null,
  tool: string | null = null,
): PlanProblem {
  return { line, tool, message, hint };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function short(text: string): string {
  if (text.length > 60) return `${sliceText(text, 0, 60)}…`;
  return text;
}

const token = /"(?:[^"\\]|\\.)*"|[[\]{},:\n]|[^\s[\]{},:"]+/g;

/** The lines on which the elements of a list begin: the list that is the whole JSON text, or the one under `key`. */
function elementLines(json: string, key: string | null): number[] {
  const lines: number[] = [];
  const listDepth = key === null ? 1 : 2;
  let line = 1;
  let depth = 0;
  let lastText = "";
  let isList = key === null;
  let isExpected = false;
  for (const [jsonToken] of json.matchAll(token)) {
    if (jsonToken === "\n") {
      line += 1;
      continue;
    }
    if (depth === listDepth && isList && isExpected && jsonToken !== "]") lines.push(line);
    isExpected = false;
    if (jsonToken === "[" || jsonToken === "{") {
      depth += 1;
      isExpected = depth === listDepth && jsonToken === "[";
    } else if (jsonToken === "]" || jsonToken === "}") depth -= 1;
    else if (jsonToken === ",") isExpected = depth === listDepth;
    else if (jsonToken === ":" && depth === 1 && key !== null)
      isList = JSON.parse(lastText) === key;
    else lastText = jsonToken;
  }
  return lines;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** A plan as JSON: `{task?, steps: [{tool, arguments?, why?, dependsOn?}]}`, or the steps alone. */
function readSteps(text: string): ReadPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const position = Number(
      /at position (\d+)/.exec((thrown as Error).message)?.[1] ?? text.length,
    );
    return unreadable(
      lineAt(text, position),
      "It is not valid JSON.",
      "Compare the brackets and quotes there.",
    );
  }
  const rawSteps = isObject(value) ? value.steps : value;
  if (!Array.isArray(rawSteps))
    return unreadable(
      1,
      "There is no list of steps in it.",
      `Write {"steps": [{"tool": "NAME", "arguments": {…}}]}.`,
    );
  const lines = elementLines(text, isObject(value) ? "steps" : null);
  const steps: PlacedStep[] = [];
  const problems: PlanProblem[] = [];
  for (const [index, step] of rawSteps.entries()) {
    const stepOrProblem = readStep(step, index + 1, lines[index] ?? 1);
    if ("message" in stepOrProblem) problems.push(stepOrProblem);
    else steps.push(stepOrProblem);
  }
  return {
    task: stringOrNull(objectOrEmpty(value).task),
    steps,
    problems,
  };
}

function readStep(step: unknown, number: number, line: number): PlacedStep | PlanProblem {
  const { tool, arguments: args = {}, why = "", dependsOn } = objectOrEmpty(step);
  const problemWith = (message: string, hint: string): PlanProblem => ({
    line,
    tool: stringOrNull(tool),
    message: `Step ${number} ${message}.`,
    hint,
  });
  if (typeof tool !== "string" || tool.trim() === "" || tool.includes("\0"))
    return problemWith("names no tool", `Write {"tool": "NAME", "arguments": {…}}.`);
  if (!isObject(args))
    return problemWith(
      "has arguments that are not an object",
      `Write "arguments": {"key": "value"}.`,
    );
  const placedStep = {
    line,
    tool,
    arguments: args as JsonObject,
    why: stringOrEmpty(why),
  };
  if (dependsOn === undefined || dependsOn === null) return placedStep;
  const isEarlier = (dependency: unknown) =>
    Number.isInteger(dependency) && (dependency as number) >= 1 && (dependency as number) < number;
  if (!Array.isArray(dependsOn) || !dependsOn.every(isEarlier))
    return problemWith(
      "depends on something that is not done before it",
      "Name earlier steps by their numbers, starting at 1.",
    );
  return { ...placedStep, dependsOn: dependsOn as number[] };
}

function unreadable(line: number, message: string, hint: string): ReadPlan {
  return { task: null, steps: [], problems: [{ line, tool: null, message, hint }] };
}

const maxCharacters = 1_000_000;
const maxSteps = 500;

/** What a plan says, be it a script or JSON. */
export function readPlan(text: string): ReadPlan {
  if (text.length > maxCharacters)
    return tooLarge(
      `It has ${text.length} characters, and a plan may have ${maxCharacters}.`,
      "Split it into several plans.",
    );
  const plan = /^\s*[[{]/.test(text) ? readSteps(text) : readScript(text);
  if (plan.steps.length > maxSteps)
    return tooLarge(
      `It has ${plan.steps.length} steps, and a plan may have ${maxSteps}.`,
      "Split it into several plans.",
    );
  if (plan.steps.length === 0 && plan.problems.length === 0)
    return {
      ...plan,
      problems: [
        {
          line: 1,
          tool: null,
          message: "There is no step in it.",
          hint: "Write toolplane call NAME --args '{…}', one a line.",
        },
      ],
    };
  const tooDeepStep = plan.steps.find((step) => isTooDeep(step.arguments));
  if (tooDeepStep === undefined) return plan;
  const { line, tool } = tooDeepStep;
  const hint = "Write them with fewer brackets inside of each other.";
  return {
    ...plan,
    steps: [],
    problems: [{ line, tool, message: "Its arguments are nested too deeply.", hint }],
  };
}

function tooLarge(message: string, hint: string): ReadPlan {
  return { task: null, steps: [], problems: [{ line: 1, tool: null, message, hint }] };
}
