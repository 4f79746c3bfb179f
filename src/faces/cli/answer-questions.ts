import { plainText } from "../../lib/text/plain-text.ts";
import type { Question } from "../../model/calls/provider.ts";
import { toPlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { colors } from "./colors.ts";
import { fillIn, type Prompts } from "./fill-in.ts";
import { printWarning, say } from "./output.ts";
import { terminal } from "./terminal.ts";
import { terminalPrompts } from "./terminal-prompts.ts";

/** Whoever has not given a fitting answer by then is not asked again. */
const maxAttempts = 3;

/** Only somebody at a terminal can be asked. */
export function canBeAsked(): boolean {
  return terminal.stdin.isTTY === true && terminal.stderr.isTTY === true;
}

/** Puts what servers ask to the person at the terminal, one question after the other. */
export function answerQuestions(
  plane: Plane,
  prompts: Prompts = terminalPrompts,
  /** Is somebody here waiting for a call that may ask? */
  isWaiting: () => boolean = () => true,
): Disposable {
  let last = Promise.resolve();
  const leave = plane.on("question.asked", ({ questionId }) => {
    if (!isWaiting()) return;
    last = last
      .then(() => put(plane, questionId, prompts))
      .catch((thrown) => printWarning(toPlaneError(thrown).message));
  });
  return { [Symbol.dispose]: leave };
}

async function put(plane: Plane, id: string, prompts: Prompts): Promise<void> {
  const question = (await plane.questions.list()).find((waiting) => waiting.id === id);
  if (!question) return;
  say(`${colors.bold(question.server)} asks: ${plainText(question.message)}`);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) if (await answerOnce(plane, question, prompts)) return;
  await plane.questions.answer(id, { action: "decline" });
}

/** False when what was said does not fit what was asked. */
async function answerOnce(plane: Plane, question: Question, prompts: Prompts): Promise<boolean> {
  const content = await fillIn(question, prompts);
  try {
    await plane.questions.answer(question.id, content === null ? { action: "decline" } : { action: "accept", content });
    return true;
  } catch (thrown) {
    const error = toPlaneError(thrown);
    // Nobody waits for it any more, which the call itself tells.
    if (error.code === "NOT_FOUND" || error.code === "CONFLICT") return true;
    printWarning(error.message);
    return content === null;
  }
}
