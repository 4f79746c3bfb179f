import type { Otlp, OtlpPorts } from "@toolplane/core/calls";

export { describeCall, traceAttempt, traceCall, traceRun } from "./otel-spans.ts";

/** Loaded where a collector is configured: spans for a program's own tracer need no SDK. */
export async function openOtlp(ports: OtlpPorts): Promise<Otlp> {
  return (await import("./otlp.ts")).createOtlp(ports);
}
