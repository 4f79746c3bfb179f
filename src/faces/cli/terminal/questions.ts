import { plainText } from "../../../lib/text/plain-text.ts";
import type { Outcome } from "../../../model/calls/call.ts";
import type { AskHere } from "../../../model/calls/held-call.ts";
import type { Question } from "../../../model/calls/question-schema.ts";
import { toPlaneError } from "../../../model/errors.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { colors, printStatus, printWarning } from "./output.ts";
import { confirm, isCancel, password, select, text } from "./prompts.ts";
import { terminal } from "./terminal.ts";

/** The person would rather not. */
export const declined = Symbol("declined");
type Or<T> = T | typeof declined;

export type Prompts = {
  confirm(message: string, usual: boolean | undefined): Promise<Or<boolean>>;
  /** Undefined when something optional is left out. */
  choose(message: string, values: readonly unknown[], isRequired: boolean): Promise<Or<unknown>>;
  /** `isHidden`: what is typed is not shown. */
  write(
    message: string,
    options: { usual?: string; isRequired: boolean; isHidden?: boolean },
  ): Promise<Or<string | undefined>>;
};

/** What a server wants to know, field by field; null when the person would rather not say. */
async function fillIn({ url, schema }: Question, prompts: Prompts): Promise<UnknownObject | null> {
  if (url !== null) return agree(`Open ${plainText(url)} in your browser. Done?`, prompts);
  if (fieldsOf(schema).length === 0) return agree("Do you agree?", prompts);
  return fillForm(schema ?? {}, prompts);
}

function fieldsOf(schema: UnknownObject | null): [string, unknown][] {
  if (!isObject(schema?.properties)) return [];
  return Object.entries(schema.properties);
}

/** A form as JSON Schema; null when the person would rather not. */
export async function fillForm(
  schema: UnknownObject,
  prompts: Prompts,
): Promise<UnknownObject | null> {
  const fields = fieldsOf(schema);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const content: UnknownObject = {};
  for (const [name, field] of fields) {
    const value = await askField(
      name,
      isObject(field) ? field : {},
      required.includes(name),
      prompts,
    );
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
  const message = plainText(String(field.title ?? field.description ?? name)).replaceAll(
    /\s+/g,
    " ",
  );
  if (field.type === "boolean") return confirm(message, field.default === true);
  if (Array.isArray(field.enum)) return choose(message, field.enum, isRequired);
  const usual = field.default !== undefined && { usual: String(field.default) };
  const isHidden = field.format === "password";
  const answer = await write(isRequired ? message : `${message} (optional)`, {
    ...usual,
    isRequired,
    isHidden,
  });
  if (answer === "") return undefined;
  if (answer === declined || answer === undefined) return answer;
  const isNumber = field.type === "number" || field.type === "integer";
  // What is no number is refused by name, like any other invalid answer.
  const canBeRead = isNumber && answer.trim() !== "" && Number.isFinite(Number(answer));
  return canBeRead ? Number(answer) : answer;
}

/** Questions that take the terminal for themselves. */
export const terminalPrompts: Prompts = {
  async confirm(message, usual) {
    const answer = await confirm({
      message,
      ...(usual !== undefined && { initialValue: usual }),
    });
    return orDeclined(answer);
  },
  async choose(message, values) {
    const options = values.map((value) => ({ value, label: plainText(String(value)) }));
    return orDeclined(await select({ message, options }));
  },
  async write(message, { usual, isRequired, isHidden }) {
    if (isHidden) {
      return orDeclined(await password({ message }));
    }
    const answer = await text({
      message,
      ...(usual !== undefined && { initialValue: usual }),
      validate: (value) => (isRequired && !value ? "This is needed." : undefined),
    });
    return orDeclined(answer);
  },
};

function orDeclined<T>(answer: T): Or<Exclude<T, symbol>> {
  return isCancel(answer) ? declined : (answer as Exclude<T, symbol>);
}

/** After so many invalid answers the question is declined. */
const maxAttempts = 3;

export function canBeAsked(): boolean {
  return terminal.stdin.isTTY === true && terminal.stderr.isTTY === true;
}

/** Says of a call that a person typed it. What comes out of a pipe may be anyone's. */
export function typedHere(): { typed?: true } {
  if (terminal.stdin.isTTY !== true) return {};
  return { typed: true };
}

/** What comes of a call once the person here was asked about it, where it waits for that. */
export async function answerIfAsked(plane: Plane, outcome: Outcome): Promise<Outcome> {
  if (!outcome.approval) return outcome;
  return (await import("./approval-prompt.ts")).answerHere(plane, outcome);
}

/** Lets a run of the plane ask the person here about its waiting calls, where there is one. */
export async function askingHere({ json }: { json?: boolean }): Promise<{ askHere?: AskHere }> {
  if (json || !canBeAsked()) return {};
  return { askHere: (await import("./approval-prompt.ts")).askAtTerminal() };
}

/** Puts what servers ask to the person at the terminal, one question after the other. */
export function answerQuestions(
  plane: Plane,
  prompts: Prompts = terminalPrompts,
  /** Does a person here wait for a call that may ask? */
  isWaiting: () => boolean = () => true,
): Disposable {
  let lastQuestion = Promise.resolve();
  const unsubscribe = plane.on("question.asked", ({ questionId }) => {
    if (!isWaiting()) return;
    lastQuestion = lastQuestion
      .then(() => putQuestion(plane, questionId, prompts))
      .catch((thrown) => printWarning(toPlaneError(thrown).message));
  });
  return { [Symbol.dispose]: unsubscribe };
}

async function putQuestion(plane: Plane, id: string, prompts: Prompts): Promise<void> {
  const question = (await plane.questions.list()).find((waiting) => waiting.id === id);
  if (!question) return;
  printStatus(`${colors.bold(question.server)} asks: ${plainText(question.message)}`);
  for (let attempt = 1; attempt <= maxAttempts; attempt++)
    if (await answerOnce(plane, question, prompts)) return;
  await plane.questions.answer(id, { action: "decline" });
}

async function answerOnce(plane: Plane, question: Question, prompts: Prompts): Promise<boolean> {
  const content = await fillIn(question, prompts);
  try {
    await plane.questions.answer(
      question.id,
      content === null ? { action: "decline" } : { action: "accept", content },
    );
    return true;
  } catch (thrown) {
    const error = toPlaneError(thrown);
    // No call waits for it any more; the call itself says so.
    if (error.code === "NOT_FOUND" || error.code === "CONFLICT") return true;
    printWarning(error.message);
    return content === null;
  }
}
