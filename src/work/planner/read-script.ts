import { sliceText } from "../../lib/cut-text.ts";
import type { ShellWord } from "../../lib/shell-word.ts";
import { readShell, type ShellCommand } from "../../lib/shell-words.ts";
import type { PlacedStep, PlanProblem, ReadPlan } from "../../model/tool-plan.ts";
import { readCall, UnreadableCall } from "./read-call.ts";
import { dryRunWord, scriptFrame } from "./script-frame.ts";

/** Commands that say something or do nothing; what they say is not printed. */
const idle = new Set(["echo", "true", ":"]);
const knownSetting = /^(-[eux]*o?|pipefail)$/;

/** The calls that a script makes, in order. Nothing of it is run, and what could do anything else is told. */
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
      problem(1, "There are zero bytes in it, which bash leaves out.", "Write the script anew as text."),
    );
  for (const command of readShell(script)) {
    const read = readCommand(command);
    if (read === null) continue;
    if ("message" in read) problems.push(read);
    else steps.push(read);
  }
  return { task: taskOf(text), steps, problems };
}

/** A step, what is wrong with it, or null when it does nothing. */
function readCommand({ line, words, problem: trouble }: ShellCommand): PlacedStep | PlanProblem | null {
  const meant = words.filter(({ source }) => source !== dryRunWord);
  const [name] = meant;
  if (trouble !== null)
    return problem(
      line,
      `${capital(trouble)} cannot be read.`,
      "Write one 'toolplane call' a line.",
      toolIn(meant),
    );
  const doubted = meant.find(({ doubt }) => doubt !== null);
  if (doubted)
    return problem(
      doubted.line,
      `'${short(doubted.source)}' cannot be read: ${doubted.doubt}.`,
      "Put single quotes around what is meant as it is written.",
      toolIn(meant),
    );
  if (name === undefined || isIdle(meant)) return null;
  if (name.text !== "toolplane")
    return problem(
      line,
      `'${short(name.text)}' is no call of a tool.`,
      "Write toolplane call NAME --args '{…}'.",
    );
  try {
    return { line, ...readCall(meant.slice(1)), why: "" };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableCall)) throw thrown;
    return problem(line, thrown.message, thrown.hint, thrown.tool);
  }
}

function isIdle([name, ...others]: readonly ShellWord[]): boolean {
  if (name?.text === "set") return others.every(({ text }) => knownSetting.test(text));
  return name !== undefined && idle.has(name.text);
}

/** Only where nothing but comments stands before it: inside of quotes it is text like any other. Lines stay where they are. */
function withoutFrame(text: string): string {
  const before = /^(?:#[^\n]*\n|\n)*/.exec(text)?.[0] ?? "";
  if (!text.startsWith(scriptFrame, before.length)) return text;
  const lines = "\n".repeat(scriptFrame.split("\n").length - 1);
  return before + lines + text.slice(before.length + scriptFrame.length);
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
  return text.length > 60 ? `${sliceText(text, 0, 60)}…` : text;
}
