import { serialized } from "../../../lib/async/once.ts";
import type { Outcome, WaitingOutcome } from "../../../model/calls/call.ts";
import type { ApprovalAnswer, AskHere } from "../../../model/calls/held-call.ts";
import type { HeldView } from "../../../model/calls/held-schema.ts";
import { errorTable, PlaneError, toPlaneError } from "../../../model/errors.ts";
import { isObject, type JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { renderApproval } from "../commands/approvals.ts";
import { printStatus, printWarning } from "./output.ts";
import { isCancel, text } from "./prompts.ts";
import { terminal } from "./terminal.ts";

type AnswerLimits = Pick<HeldView, "adminRequired" | "allowEdit">;

/** What can be said about a call that waits. A line with nothing on it decides nothing. */
export function choicesFor({ adminRequired, allowEdit }: AnswerLimits, mayEdit = true): string {
  const choices = ["yes", "no"];
  if (!adminRequired) choices.push("always (for this tool)");
  if (allowEdit && mayEdit) choices.push("edit (its arguments)");
  return choices.join(", ").concat(" or later");
}

/** Undefined when it is no answer; null when the person would rather decide later. */
export function readAnswer(
  line: string,
  limits: AnswerLimits,
): ApprovalAnswer | "edit" | null | undefined {
  const [choice = "", ...reason] = line.trim().split(/\s+/);
  switch (choice.toLowerCase()) {
    case "y":
    case "yes":
      return { decision: "approve" };
    case "a":
    case "always":
      return limits.adminRequired ? undefined : { decision: "approve", remember: { for: "tool" } };
    case "e":
    case "edit":
      return limits.allowEdit ? "edit" : undefined;
    case "n":
    case "no":
      return { decision: "reject", ...(reason.length > 0 && { reason: reason.join(" ") }) };
    case "":
    case "l":
    case "later":
      return null;
    default:
      return undefined;
  }
}

/** What a person says to a held call; null when they would rather decide later. */
export type AskPerson = (
  heldCall: HeldView,
  signal?: AbortSignal,
) => Promise<ApprovalAnswer | null>;

/** Puts a call that waits to the person at the terminal; also that of a plane in another process. */
export async function answerHere(
  plane: Plane,
  waiting: WaitingOutcome,
  ask: AskPerson = askPerson,
): Promise<Outcome> {
  const heldCall = await plane.approvals.get(waiting.approval.id);
  printStatus(renderApproval(heldCall, Date.now()));
  for (;;) {
    try {
      const answer = await ask(heldCall);
      if (answer === null) return waiting;
      const { outcome, approval } = await plane.approvals.answer(heldCall.id, answer);
      return outcome ?? notRun(waiting, approval);
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      if (code !== "INVALID_ARGUMENTS" && code !== "USAGE") throw thrown;
      printWarning(message);
    }
  }
}

/** The same for the waiting calls of an agent, here or in another process. */
export function askAtTerminal(ask: AskPerson = askPerson): AskHere {
  return serialized<Parameters<AskHere>, ApprovalAnswer | null>(
    async (heldCall, signal, problem) => {
      if (signal.aborted) return null;
      if (problem === null) printStatus(renderApproval(heldCall, Date.now()));
      else printWarning(problem);
      return ask(heldCall, signal);
    },
  );
}

function notRun(waiting: WaitingOutcome, { tool, status, answer }: HeldView): Outcome {
  if (status !== "rejected") return waiting;
  const code = "APPROVAL_DENIED";
  const reasonText = answer?.reason ? `: ${answer.reason}` : "";
  const message = `'${tool}' was not run: you rejected it${reasonText}.`;
  return {
    ok: false,
    call: { ...waiting.call, status: "refused" },
    error: { ...waiting.error, code, category: errorTable[code].category, message },
  };
}

/** A word and Enter: neither a key that was pressed by mistake nor one that was pressed too early says yes. */
async function askPerson(heldCall: HeldView, signal?: AbortSignal): Promise<ApprovalAnswer | null> {
  const choices = choicesFor(heldCall);
  const line = await text({
    message: `Shall it run? ${choices}:`,
    placeholder: "later",
    ...(signal && { signal }),
    validate: (typed) =>
      readAnswer(typed ?? "", heldCall) === undefined ? `Say ${choices}.` : undefined,
  });
  const answer = isCancel(line) ? null : (readAnswer(line ?? "", heldCall) ?? null);
  if (answer !== "edit") return answer;
  return { decision: "approve", arguments: await editArguments(heldCall.arguments) };
}

/** In the person's editor, or on one line where none is set. */
async function editArguments(args: JsonObject): Promise<JsonObject> {
  const editor = terminal.env.VISUAL || terminal.env.EDITOR;
  const edited = editor ? await editFile(editor, args) : await editLine(args);
  let parsed: unknown;
  try {
    parsed = JSON.parse(edited);
  } catch (thrown) {
    throw new PlaneError(
      "USAGE",
      `The arguments are not valid JSON: ${(thrown as Error).message}.`,
    );
  }
  if (isObject(parsed)) return parsed as JsonObject;
  throw new PlaneError("USAGE", 'The arguments must be a JSON object like {"key": "value"}.');
}

async function editLine(args: JsonObject): Promise<string> {
  const typed = await text({
    message: "The arguments, as JSON",
    initialValue: JSON.stringify(args),
  });
  return isCancel(typed) ? JSON.stringify(args) : typed;
}

async function editFile(editor: string, args: JsonObject): Promise<string> {
  const [
    { spawnSync },
    { mkdtempSync, readFileSync, rmSync, writeFileSync },
    { tmpdir },
    { join },
  ] = await Promise.all([
    import("node:child_process"),
    import("node:fs"),
    import("node:os"),
    import("node:path"),
  ]);
  const directory = mkdtempSync(join(tmpdir(), "toolplane-"));
  try {
    const file = join(directory, "arguments.json");
    writeFileSync(file, `${JSON.stringify(args, null, 2)}\n`, { mode: 0o600 });
    const [command = editor, ...editorArgs] = editor.split(/\s+/);
    const { status, error } = spawnSync(command, [...editorArgs, file], { stdio: "inherit" });
    if (error || status !== 0)
      throw new PlaneError(
        "USAGE",
        `The editor '${editor}' exited with an error. Nothing was changed.`,
      );
    return readFileSync(file, "utf8");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
