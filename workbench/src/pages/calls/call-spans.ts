import type { CallAnswer } from "../../api/queries.ts";
import { providerText } from "./provider-text.ts";
import type { Span } from "./waterfall.tsx";

/** The stages of the path in order, with the attempts inside `execute`. */
export function callSpans({ stages, attempts, hooks = [], status, server }: CallAnswer): Span[] {
  const spans: Span[] = [];
  let startMs = 0;
  const isOver = status === "succeeded" || status === "dry_run" || status === "waiting";
  for (const [index, { stage, ms }] of stages.entries()) {
    const isLast = index === stages.length - 1;
    spans.push({
      key: stage,
      name: stage,
      startMs: startMs,
      ms,
      depth: 0,
      isBad: isLast && !isOver,
    });
    if (stage === "execute") spans.push(...attemptSpans(attempts, server, startMs));
    if (stage === "approve") spans.push(...hookSpans(hooks, startMs));
    startMs += ms;
  }
  return spans;
}

function attemptSpans(
  attempts: CallAnswer["attempts"],
  server: string | null,
  begunMs: number,
): Span[] {
  let nextStartMs = begunMs;
  return attempts.map(({ provider, ok, durationMs, error }, index) => {
    const startMs = nextStartMs;
    nextStartMs += durationMs;
    return {
      key: `attempt ${index}`,
      name: `${index + 1}. ${providerText(provider, server)}`,
      startMs,
      ms: durationMs,
      depth: 1,
      isBad: !ok,
      note: error ?? "answered",
    };
  });
}

function hookSpans(hooks: NonNullable<CallAnswer["hooks"]>, begunMs: number): Span[] {
  return hooks.map(({ name, decision, ms, failed = false }, index) => ({
    key: `hook ${index}`,
    name: `hook ${name}`,
    startMs: begunMs,
    ms,
    depth: 1,
    isBad: failed || decision === "deny",
    note: decision,
  }));
}
