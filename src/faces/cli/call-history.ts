import type { CallStatus } from "../../model/call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { CallFilter } from "../../model/store.ts";
import { renderCall, renderCalls, renderChain } from "./call-history-view.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

const usualPage = 50;
const statuses: readonly CallStatus[] = [
  "succeeded",
  "tool_error",
  "failed",
  "refused",
  "waiting",
  "cancelled",
  "dry_run",
];

type ListOptions = GlobalOptions & {
  tool?: string;
  status?: string;
  run?: string;
  limit?: string;
  cursor?: string;
};

export async function listCalls(cli: Cli, options: ListOptions): Promise<void> {
  const { tool, status, user, run, limit: asked, cursor } = options;
  const limit = asked === undefined ? usualPage : toLimit(asked);
  const filter: CallFilter = {
    ...(tool === undefined ? {} : { tool }),
    ...(status === undefined ? {} : { status: toStatus(status) }),
    ...(user === undefined ? {} : { user }),
    ...(run === undefined ? {} : { run }),
    ...(cursor === undefined ? {} : { before: cursor }),
    // One more than is shown tells whether there are more.
    limit: limit + 1,
  };
  const found = await withPlane(cli, options, (plane) => plane.calls(filter));
  const calls = found.slice(0, limit);
  const nextCursor = found.length > limit ? (calls.at(-1)?.id ?? null) : null;
  if (options.json) return printJson({ calls, nextCursor });
  print(renderCalls(calls));
  if (nextCursor !== null) say(`There are more; the next ones with --cursor ${nextCursor}`);
}

/** One call, or one run of an agent: their ids look alike. */
export async function showCall(
  cli: Cli,
  id: string,
  options: GlobalOptions & { html?: string },
): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const call = options.html === undefined ? await plane.callRecord(id).catch(nullIfUnknown) : null;
    if (call === null) await (await import("./run-history.ts")).showRun(plane, id, options);
    else if (options.json) printJson({ call });
    else print(renderCall(call));
  }).catch((thrown) => {
    // What is to be a page was meant to be a run.
    if (options.html !== undefined) throw thrown;
    nullIfUnknown(thrown);
    throw new PlaneError(
      "NOT_FOUND",
      `No call or run '${id}' found. List them: toolplane calls list, toolplane calls runs`,
    );
  });
}

function nullIfUnknown(thrown: unknown): null {
  if (thrown instanceof PlaneError && thrown.code === "NOT_FOUND") return null;
  throw thrown;
}

export async function verifyCalls(cli: Cli, options: GlobalOptions & { head?: string }): Promise<number> {
  const { head } = options;
  const chain = await withPlane(cli, options, (plane) =>
    plane.verifyCalls(head === undefined ? {} : { head }),
  );
  if (options.json) printJson(chain);
  else print(renderChain(chain));
  return chain.ok ? 0 : 1;
}

function toStatus(text: string): CallStatus {
  const known = statuses.find((status) => status === text);
  if (known) return known;
  throw new PlaneError("USAGE", `--status cannot be '${text}': give one of ${statuses.join(", ")}.`);
}

function toLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 1_000) return limit;
  throw new PlaneError("USAGE", `--limit cannot be '${text}': give a whole number from 1 to 1000.`);
}
