import { plainText } from "../../lib/plain-text.ts";
import { toPlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Question } from "../../model/question.ts";
import { colors } from "./colors.ts";
import { printWarning, say } from "./output.ts";

/** Only somebody at a terminal can be asked. */
export function canBeAsked(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Puts what servers ask to the person at the terminal, one question after the other. */
export function answerQuestions(plane: Plane): Disposable {
  let last = Promise.resolve();
  const leave = plane.on("question.asked", ({ questionId }) => {
    last = last
      .then(() => put(plane, questionId))
      .catch((thrown) => printWarning(toPlaneError(thrown).message));
  });
  return { [Symbol.dispose]: leave };
}

async function put(plane: Plane, id: string): Promise<void> {
  const question = (await plane.questions()).find((waiting) => waiting.id === id);
  if (!question) return;
  say(`${colors.bold(question.server)} asks: ${plainText(question.message)}`);
  const content = question.url === null ? await fillIn(question) : await visit(question.url);
  await plane.answer(id, content === null ? { action: "decline" } : { action: "accept", content });
}

async function visit(url: string): Promise<UnknownObject | null> {
  const { confirm } = await import("@clack/prompts");
  const done = await confirm({
    message: `Open ${plainText(url)} in your browser. Done?`,
    output: process.stderr,
  });
  return done === true ? {} : null;
}

/** Null when the person would rather not. */
async function fillIn({ schema }: Question): Promise<UnknownObject | null> {
  const { confirm } = await import("@clack/prompts");
  const fields = isObject(schema?.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema?.required) ? schema.required : [];
  if (fields.length === 0) {
    const agreed = await confirm({ message: "Do you agree?", output: process.stderr });
    return agreed === true ? {} : null;
  }
  const content: UnknownObject = {};
  for (const [name, field] of fields) {
    const value = await askField(name, isObject(field) ? field : {}, required.includes(name));
    if (value === cancelled) return null;
    if (value !== undefined) content[name] = value;
  }
  return content;
}

const cancelled = Symbol("cancelled");

async function askField(name: string, field: UnknownObject, isRequired: boolean): Promise<unknown> {
  const { confirm, isCancel, select, text } = await import("@clack/prompts");
  const output = process.stderr;
  const message = plainText(String(field.title ?? field.description ?? name));
  const or = <T>(answer: T) => (isCancel(answer) ? cancelled : answer);
  if (field.type === "boolean") {
    return or(await confirm({ message, initialValue: field.default === true, output }));
  }
  if (Array.isArray(field.enum)) {
    const options = field.enum.map((value) => ({ value, label: plainText(String(value)) }));
    return or(await select({ message, options, output }));
  }
  const given = or(
    await text({
      message: isRequired ? message : `${message} (optional)`,
      ...(field.default === undefined ? {} : { initialValue: String(field.default) }),
      validate: (value) => (isRequired && !value ? "This is needed." : undefined),
      output,
    }),
  );
  if (given === cancelled) return cancelled;
  if (given === undefined || given === "") return undefined;
  return field.type === "number" || field.type === "integer" ? Number(given) : given;
}
