import { sentence } from "../lib/sentence.ts";
import type { Attempt, Routed } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import { isRepeatable, type ProviderSpec, providerLabel } from "../model/tool.ts";

/** How the ways of executing a tool do, told while they are tried. A tool goes by its `healthKey`. */
export type RoutingMemory = {
  /** `restMs` is how long the provider itself asks to be left alone. */
  failed(tool: string, provider: string, reason: string, restMs?: number): void;
  worked(tool: string, provider: string): void;
  /** Null when it is there; asked at most once in its interval. */
  check(tool: string, provider: string, spec: ProviderSpec, signal: AbortSignal): Promise<string | null>;
};

/** These say something about the call or the caller, not about the way it was tried. */
const notTheirFault = new Set([
  "CANCELLED",
  "TIMEOUT",
  "INVALID_ARGUMENTS",
  "FORBIDDEN",
  "INTERNAL",
  "BUDGET_EXCEEDED",
]);

/** May another provider be asked after this failure? Never where this one may have done something. */
export function mayFallOver(call: Routed, error: PlaneError): boolean {
  if (notTheirFault.has(error.code)) return false;
  return error.data.sent === false || isRepeatable(call.tool);
}

/** Every way has failed: one error that names each with its reason. */
export function everyProviderFailed(
  call: Routed,
  failures: readonly { provider: string; reason: string }[],
  attempts: readonly Attempt[],
): PlaneError {
  const reasons = failures.map(({ provider, reason }) => `${provider}: ${sentence(reason)}`).join(" ");
  return new PlaneError("NO_PROVIDER", `Every provider of '${call.tool.name}' failed. ${reasons}`, {
    data: {
      tool: call.tool.name,
      // Those that were asked did nothing, or the tool may be repeated: otherwise no other would have been tried.
      sent: false,
      retryAt: null,
      attempts: attempts.length,
      history: attempts,
      providers: Object.fromEntries(failures.map(({ provider, reason }) => [provider, reason])),
    },
  });
}

/** How long a provider has asked to be left alone, if it has. */
export function restOf({ data: { retryInMs } }: PlaneError): number {
  return typeof retryInMs === "number" ? retryInMs : 0;
}

export function labelOf(call: Routed, spec: ProviderSpec): string {
  return providerLabel(spec, call.tool.providers);
}
