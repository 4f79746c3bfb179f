import { type ContentBlock, type ErrorCode, type Outcome, resultText } from "toolplane";

export function explain(outcome: Outcome): string {
  if (outcome.ok)
    return outcome.stored ? `large: ${outcome.stored.id}` : resultText(outcome.result);
  if (outcome.approval) return `waits for ${outcome.approval.id}`;
  if (outcome.plan) return `change ${outcome.plan.change} of plan ${outcome.plan.id}`;
  const code: ErrorCode = outcome.error.code;
  const said: ContentBlock[] = outcome.result?.content ?? [];
  return `${code}: ${outcome.error.message} (${said.length} blocks, ${outcome.call.status})`;
}

export const failures = (outcomes: Outcome[]) =>
  outcomes.filter((outcome) => !outcome.ok).map(({ error }) => error.recoverable);
