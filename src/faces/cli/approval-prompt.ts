import type { Outcome } from "../../model/call.ts";
import { errorTable, PlaneError, toPlaneError } from "../../model/errors.ts";
import type { Answer, HeldView } from "../../model/held-call.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { renderApproval } from "./approval-view.ts";
import { printWarning, say } from "./output.ts";

/** What a person says to a held call; null when they would rather decide later. */
export type AskPerson = (held: HeldView) => Promise<Answer | null>;

/** Puts a call that waits to the person at the terminal; also that of a plane in another process. */
export async function answerHere(
  plane: Plane,
  waiting: Outcome,
  ask: AskPerson = askPerson,
): Promise<Outcome> {
  const held = await plane.approval(waiting.approval?.id ?? "");
  say(renderApproval(held, Date.now()));
  for (;;) {
    try {
      const answer = await ask(held);
      if (answer === null) return waiting;
      const { outcome, approval } = await plane.answerApproval(held.id, answer);
      return outcome ?? notRun(waiting, approval);
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      if (code !== "INVALID_ARGUMENTS" && code !== "USAGE") throw thrown;
      printWarning(message);
    }
  }
}

function notRun(waiting: Outcome, { tool, status, answer }: HeldView): Outcome {
  if (status !== "rejected" || !waiting.error) return waiting;
  const { approval: _, ...rest } = waiting;
  const code = "APPROVAL_DENIED";
  const why = answer?.reason ? `: ${answer.reason}` : "";
  const message = `'${tool}' was not run: you rejected it${why}.`;
  return {
    ...rest,
    call: { ...waiting.call, status: "refused" },
    error: { ...waiting.error, code, category: errorTable[code].category, message },
  };
}

async function askPerson(held: HeldView): Promise<Answer | null> {
  const { isCancel, select, text } = await import("@clack/prompts");
  const output = process.stderr;
  const choice = await select({ message: "Shall it run?", options: choicesFor(held), output });
  if (isCancel(choice) || choice === "later") return null;
  if (choice === "reject") {
    const reason = await text({ message: "Why not? (optional)", output });
    return { decision: "reject", ...(isCancel(reason) || !reason ? {} : { reason }) };
  }
  if (choice === "edit") return { decision: "approve", arguments: await editArguments(held.arguments) };
  return { decision: "approve", ...(choice === "tool" ? { remember: { for: "tool" } } : {}) };
}

function choicesFor({ allowEdit, adminRequired }: HeldView) {
  return [
    { value: "approve", label: "Yes, this once" },
    ...(adminRequired ? [] : [{ value: "tool", label: "Yes, and do not ask again for this tool" }]),
    ...(allowEdit ? [{ value: "edit", label: "Yes, with other arguments" }] : []),
    { value: "reject", label: "No" },
    { value: "later", label: "Decide later; it goes on waiting" },
  ];
}

/** In the person's editor, or on one line where none is set. */
async function editArguments(args: JsonObject): Promise<JsonObject> {
  const editor = process.env.VISUAL || process.env.EDITOR;
  const edited = editor ? await editFile(editor, args) : await editLine(args);
  let parsed: unknown;
  try {
    parsed = JSON.parse(edited);
  } catch (thrown) {
    throw new PlaneError("USAGE", `The arguments are no valid JSON: ${(thrown as Error).message}.`);
  }
  if (isObject(parsed)) return parsed as JsonObject;
  throw new PlaneError("USAGE", 'The arguments must be a JSON object like {"key": "value"}.');
}

async function editLine(args: JsonObject): Promise<string> {
  const { isCancel, text } = await import("@clack/prompts");
  const given = await text({
    message: "The arguments, as JSON",
    initialValue: JSON.stringify(args),
    output: process.stderr,
  });
  return isCancel(given) ? JSON.stringify(args) : given;
}

async function editFile(editor: string, args: JsonObject): Promise<string> {
  const [{ spawnSync }, { mkdtempSync, readFileSync, rmSync, writeFileSync }, { tmpdir }, { join }] =
    await Promise.all([
      import("node:child_process"),
      import("node:fs"),
      import("node:os"),
      import("node:path"),
    ]);
  const directory = mkdtempSync(join(tmpdir(), "toolplane-"));
  try {
    const file = join(directory, "arguments.json");
    writeFileSync(file, `${JSON.stringify(args, null, 2)}\n`, { mode: 0o600 });
    const [command = editor, ...words] = editor.split(/\s+/);
    const { status, error } = spawnSync(command, [...words, file], { stdio: "inherit" });
    if (error || status !== 0)
      throw new PlaneError("USAGE", `The editor '${editor}' did not end well, so nothing was changed.`);
    return readFileSync(file, "utf8");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
