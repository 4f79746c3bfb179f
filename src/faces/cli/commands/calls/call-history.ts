import { setTimeout as pause } from "node:timers/promises";
import { plainText } from "../../../../lib/text/plain-text.ts";
import { countOf } from "../../../../lib/text/wording.ts";
import type { RunPage } from "../../../../model/agent/agent-run.ts";
import type { VerifyOptions } from "../../../../model/calls/call-history.ts";
import type { ActivityEntry } from "../../../../model/calls/call-schema.ts";
import { PlaneError } from "../../../../model/errors.ts";
import type { Plane } from "../../../../model/plane.ts";
import { callOperations } from "../../../../operations/declared/calls.ts";
import type { Cli, GlobalOptions } from "../../cli.ts";
import {
  print,
  printJson,
  printStatus,
  renderMoment,
  renderTable,
  show,
} from "../../terminal/output.ts";
import { askOperation, viewOf, viewsOf } from "../../view.ts";
import { withPlane } from "../../with-plane.ts";
import { pickOptions } from "../option-values.ts";
import { writeStream } from "../state.ts";
import { renderCall, renderChain, renderPayload } from "./render-call.ts";

const view = viewsOf(callOperations);

export const listCalls = view("calls.list", {
  table: {
    rows: "calls",
    none: "No call is recorded.",
    columns: {
      at: { title: "WHEN", text: renderMoment },
      id: "ID",
      status: "STATUS",
      durationMs: { title: "MS", text: Math.round },
      principal: { title: "USER", text: ({ user }) => user },
      face: "FACE",
      tool: "TOOL",
    },
  },
  below: ({ calls }, { input: { payloads } }) =>
    payloads ? calls.map(renderPayload).join("\n") : null,
  warning: ({ calls }, { input: { payloads } }) =>
    payloads && calls.some(({ payload }) => payload === undefined)
      ? "Arguments and results are not kept. 'observability.keepPayloads' keeps those of calls to come."
      : null,
});

export const exportCalls = view("calls.export", {
  async text(answer, { args: [path] }) {
    const file = await writeCalls(answer, path);
    if (file !== null) printStatus(`Written to ${file}.`);
    return null;
  },
  async json(answer, { args: [path] }) {
    const file = await writeCalls(answer, path);
    return file === null ? null : { path: file };
  },
});

/** Null: to standard output. */
async function writeCalls(answer: unknown, path: unknown): Promise<string | null> {
  const { text } = answer as { text: AsyncIterable<string> };
  const file = typeof path === "string" && path !== "-" ? path : null;
  await writeStream(file ?? undefined, text);
  return file;
}

/** One call, or one run of an agent: their ids look alike. */
export async function showCall(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane, signal) => {
    const call = await askOperation(callOperations, "calls.get", { id }, { plane, signal }).catch(
      nullIfUnknown,
    );
    if (call === null) await showRun(plane, id, options);
    else show(options, { call }, () => renderCall(call));
  }).catch((thrown) => {
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

export const proveCall = view("calls.prove", {
  text: ({ root, chain, path }, { input: { id } }) =>
    [
      `Call '${plainText(id)}' is in the chain ${chain}, ${countOf(path.length, "step")} below root ${root.number} of ${root.at}.`,
      `Root: ${root.hash}${root.signature === undefined ? "" : `, signed by ${root.key}`}.`,
      "With --json you get the proof, for everyone who kept that root.",
    ].join("\n"),
});

export async function verifyCalls(
  cli: Cli,
  options: GlobalOptions & VerifyOptions,
): Promise<number> {
  const chain = await withPlane(cli, options, (plane) =>
    plane.calls.verify(pickOptions(options, "head", "since", "until", "keepDays")),
  );
  show(options, chain, () => renderChain(chain));
  return chain.ok ? 0 : 1;
}

export const listRuns = viewOf<object, RunPage>("runs.page", {
  table: {
    rows: "runs",
    none: "No run of an agent is kept.",
    columns: {
      at: { title: "WHEN", text: renderMoment },
      id: "ID",
      outcome: "OUTCOME",
      durationMs: { title: "SECONDS", text: (ms) => (ms / 1_000).toFixed(1) },
      turns: "TURNS",
      counters: { title: "CALLS", text: ({ totalToolCalls }) => totalToolCalls },
      usage: { title: "TOKENS", text: ({ totalTokens }) => totalTokens },
      user: "USER",
      model: "MODEL",
      question: "QUESTION",
    },
  },
});

async function showRun(plane: Plane, id: string, { json }: GlobalOptions): Promise<void> {
  if (json) printJson({ run: await plane.runs.get(id) });
  else print((await plane.runs.render(id, "text")).text);
}

const pollMs = 500;

export const showActivity = view("calls.activity", {
  async text({ activity }, { plane, options, signal }) {
    if (!plane.isRemote)
      printStatus(
        "Only a plane that runs remembers its last calls: start one with 'toolplane serve'.",
      );
    if (activity.length === 0 && !options.follow) return "No calls yet.";
    print(renderActivity(activity.toReversed()));
    if (options.follow && plane.isRemote) await follow(plane, activity, signal);
    return null;
  },
});

/** Polled: the memory of another process sends no events. */
async function follow(
  plane: Plane,
  shown: readonly ActivityEntry[],
  interrupted: AbortSignal,
): Promise<void> {
  let printedIds = new Set(shown.map(({ id }) => id));
  while (!interrupted.aborted) {
    await pause(pollMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return;
    const entries = await plane.calls.activity({ face: "cli" });
    const fresh = entries.filter(({ id }) => !printedIds.has(id)).reverse();
    if (fresh.length > 0) print(renderActivity(fresh).split("\n").slice(1).join("\n"));
    printedIds = new Set(entries.map(({ id }) => id));
  }
}

function renderActivity(entries: readonly ActivityEntry[]): string {
  return renderTable(
    ["WHEN", "TOOL", "USER", "STATUS", "MS", "ARGUMENTS → RESULT"],
    entries.map(({ at, tool, user, status, durationMs, arguments: args, result, code }) => [
      at.slice(11, 19),
      tool,
      user ?? "-",
      status,
      String(Math.round(durationMs)),
      `${args} → ${result ?? code ?? "-"}`,
    ]),
  );
}
