import type { CodeParts, CodeRunner } from "@toolplane/core/agent";
import { once } from "@toolplane/core/lib/async/once";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import {
  type CodeOutcome,
  type RunCodeOptions,
  renderSearch,
} from "@toolplane/core/model/agent/code-run";
import type { CodeSearch } from "@toolplane/core/model/agent/code-schema";
import type { Relay } from "@toolplane/core/model/calls/provider";
import { resultText, type ToolResult } from "@toolplane/core/model/calls/result";
import { codeToolNames } from "@toolplane/core/model/catalogue/meta-tools";
import { PlaneError } from "@toolplane/core/model/errors";
import type { UnknownObject } from "@toolplane/core/model/json";
import type { PlaneCode } from "@toolplane/core/model/plane-work";
import {
  type Inside,
  type KnownCaller,
  ownerOf,
  requireScope,
} from "@toolplane/core/model/principal";
import { createEndings } from "./endings.ts";
import { createKeptValues } from "./kept-values.ts";
import { readSource } from "./program-text.ts";
import { createProgramTools } from "./program-tools.ts";
import { createRecordedCalls, type WaitingRun } from "./recorded-calls.ts";
import { runCode } from "./run-code.ts";

type KnownOptions = RunCodeOptions & KnownCaller;

/** Programs that call tools as functions. */
export function createCode(parts: CodeParts): CodeRunner {
  const { plane, store, stopping } = parts;
  const tools = createProgramTools(parts);
  const recorded = createRecordedCalls(store);
  const sandbox = once(async () => (await import("./sandbox.ts")).createSandbox());
  const active = new Set<Promise<unknown>>();
  const values = createKeptValues(parts.conversations);
  const { outcomeOf, refusedBy } = createEndings(parts, values);

  async function begin(
    args: UnknownObject,
    id: string,
    options: KnownOptions,
  ): Promise<WaitingRun> {
    const { principal, conversation = null, readOnly = false } = options;
    const owner = ownerOf(principal);
    if (typeof args.resume === "string") {
      const waitingRun = await recorded.take(args.resume, owner);
      if (waitingRun) return waitingRun;
      const remedy = "It is over, goes on already, or was never yours. Run the program itself.";
      throw new PlaneError("NOT_FOUND", `No run '${args.resume}' waits. ${remedy}`);
    }
    const source = readSource(args.code);
    return {
      id,
      owner,
      source,
      startedAt: Date.now(),
      store: await values.of(conversation, principal),
      readOnly,
      conversation,
      recorded: {},
    };
  }

  async function perform(
    args: UnknownObject,
    id: string,
    options: KnownOptions,
    signal: AbortSignal,
  ): Promise<CodeOutcome> {
    const { principal } = options;
    const startedAt = performance.now();
    const run = await begin(args, id, options);
    const writes = run.readOnly ? tools.writesIn(run.source, principal) : [];
    const endFacts = { principal, run, options, startedAt };
    if (writes.length > 0) return outcomeOf({ writes }, endFacts, recorded);
    await tools.listFor(run.source, principal);
    const ports = { plane, sandbox: await sandbox(), tools, recorded };
    const endedRun = await runCode(
      run,
      principal,
      options,
      AbortSignal.any([signal, stopping]),
      ports,
    );
    return outcomeOf(endedRun, endFacts, recorded);
  }

  const track = <T>(running: Promise<T>): Promise<T> => {
    const tracked = running.finally(() => active.delete(tracked));
    active.add(tracked);
    return tracked;
  };

  /** The run is a call itself: recorded, limited, and shortened where it is long. */
  async function run(code: string, options: KnownOptions): Promise<CodeOutcome> {
    const { principal, face = "library", signal, resume } = options;
    requireScope(principal, "call", "run a program");
    const id = resume ?? `code-${uniqueId()}`;
    let outcome: CodeOutcome | undefined;
    const onOwnTool: Relay["onOwnTool"] = async (_, args, running) => {
      outcome = await perform(args, id, options, running);
      return toResult(outcome);
    };
    const args = resume === undefined ? { code } : { resume };
    // Its calls are counted in the conversation; it is not counted beside them.
    const callOutcome = await plane().call({ server: null, tool: codeToolNames.run }, args, {
      principal,
      face,
      timeoutMs: 0,
      run: options.run ?? id,
      ...withoutUndefined({ signal }),
      relay: { ...withoutUndefined({ meta: options.relay?.meta }), onOwnTool },
    });
    if (outcome === undefined) return refusedBy(callOutcome, id);
    const text = callOutcome.result ? resultText(callOutcome.result) : outcome.text;
    return { ...outcome, text, ...withoutUndefined({ stored: callOutcome.stored }) };
  }

  async function search(
    query: unknown,
    options: Parameters<Inside<PlaneCode>["search"]>[1],
  ): Promise<CodeSearch> {
    const { principal } = options;
    requireScope(principal, "read", "look at tools");
    return tools.search(String(query ?? ""), principal, options);
  }

  return {
    verbs: { run: (source, options) => track(run(source, options)), search },
    ownTool: (options) => async (tool, args, signal) => {
      if (tool === codeToolNames.run)
        return toResult(await track(perform(args, `code-${uniqueId()}`, options, signal)));
      const codeSearch = await search(args.query, {
        ...options,
        ...withoutUndefined({ limit: typeof args.limit === "number" ? args.limit : undefined }),
      });
      return { content: [{ type: "text", text: renderSearch(codeSearch) }] };
    },
    keepAnswer: async (approval, outcome) => void (await recorded.keepAnswer(approval, outcome)),
    async stop() {
      await Promise.allSettled(active);
      if (sandbox.made()) await (await sandbox()).close();
    },
  };
}

const toResult = ({ ok, text, blocks = [] }: CodeOutcome): ToolResult => ({
  content: [{ type: "text", text }, ...(blocks as NonNullable<ToolResult["content"]>)],
  ...withoutUndefined({ isError: ok ? undefined : true }),
});
