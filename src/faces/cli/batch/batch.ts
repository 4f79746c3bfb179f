import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { PlaneCallOptions } from "../../../model/plane.ts";
import type { Cli } from "../cli.ts";
import { withPlane } from "../with-plane.ts";
import { type Entry, type Fields, fit, readEntries } from "./read-entries.ts";
import { type BatchOptions, runBatch } from "./run-batch.ts";

const fields = {
  tool: fit.name,
  arguments: fit.anything,
  timeoutMs: fit.whole,
  conversation: fit.name,
  idempotencyKey: fit.name,
  toolGroups: fit.texts,
  state: fit.text,
  maxResultBytes: fit.whole,
} satisfies Fields;

type Line = Pick<PlaneCallOptions, "timeoutMs" | "conversation" | "idempotencyKey" | "state" | "maxResultBytes"> & {
  tool: string;
  arguments?: unknown;
  toolGroups?: string[];
};

/** Many calls, each along the whole path. */
export async function batchCalls(
  cli: Cli,
  file: string,
  options: BatchOptions & { yes?: boolean; dryRun?: boolean },
): Promise<number> {
  const entries = await readEntries(file, fields, "tool");
  return withPlane(cli, options, (plane, interrupted) =>
    runBatch(entries, { ...options, noun: "call" }, interrupted, async (entry: Entry, signal) => {
      const { tool, arguments: args = {}, ...rest } = entry.fields as Line;
      const outcome = await plane.call(tool, args, {
        ...withoutUndefined(rest),
        ...(options.yes ? { consent: true } : {}),
        ...(options.dryRun ? { dryRun: true } : {}),
        face: "cli",
        signal,
      });
      return { ...outcome };
    }),
  );
}
