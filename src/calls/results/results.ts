import { setImmediate as nextTurn } from "node:timers/promises";
import { once } from "../../lib/async/once.ts";
import { sizeOf } from "../../lib/json/json-text.ts";
import type { Executed, Outcome, Requested } from "../../model/calls/call.ts";
import type { Provider } from "../../model/calls/provider.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import { readArtifacts, viewOfArtifacts } from "../../model/calls/result.ts";
import type { ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import type { PlaneCalls, PlaneResults } from "../../model/plane-history.ts";
import { type Principal, requireScope } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { createBuiltinProvider, createReadResult, readResultManifest, withMetaTools } from "../providers/builtin.ts";

type Parts = {
  config(): Config;
  store(): Promise<Store>;
  defaultPrincipal: Principal;
};

export type Results = {
  verbs: { results: PlaneResults; calls: Pick<PlaneCalls, "verify"> };
  /** A large result is stored, and its handle returned. */
  present(call: Requested & Partial<Executed>, outcome: Outcome): Outcome | Promise<Outcome>;
  /** Our own tools that are configured. */
  builtin(config: Config): { manifest: ToolManifest; source: string }[];
  provider: Provider;
  /** Now and once an hour. */
  start(): void;
  stop(): void;
};

const builtinSource = "builtin";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Loaded with the first large result. */
export function createResults({ config, store, defaultPrincipal }: Parts): Results {
  const settings = () => config().results;
  const loaded = once(async () =>
    (await import("./stored-results.ts")).createStoredResults({
      store,
      settings,
      readTool: () => (settings().builtinTool ? readResultManifest.name : null),
    }),
  );
  const upkeep = createUpkeep(config, store);

  return {
    verbs: {
      results: {
        async get(id, query = {}, { principal = defaultPrincipal } = {}) {
          requireScope(principal, "read", "read results");
          return (await loaded()).read(id, query, principal);
        },
        async page(filter = {}, { principal = defaultPrincipal } = {}) {
          requireScope(principal, "read", "look at results");
          return (await loaded()).list(filter, principal);
        },
      },
      calls: {
        async verify({ head } = {}, { principal = defaultPrincipal } = {}) {
          requireScope(principal, "admin", "verify the record of calls");
          return (await store()).verifyCalls(head);
        },
      },
    },
    present(call, outcome) {
      if (!call.executed || !outcome.result) return outcome;
      const found = readArtifacts(outcome.result);
      const listed = found ? { ...outcome, artifacts: viewOfArtifacts(found) } : outcome;
      const limit = limitOf(call, outcome, isReadByModel(call) ? settings().maxInlineBytes : 0);
      // A page of a stored result has its own limit.
      if (limit === 0 || outcome.call.provider === "builtin" || isShort(outcome.result, limit)) return listed;
      return loaded().then(({ shorten }) => shorten(call, listed, limit));
    },
    builtin: ({ results }) => (results.builtinTool ? [{ manifest: readResultManifest, source: builtinSource }] : []),
    provider: withMetaTools(
      createBuiltinProvider(
        new Map([
          [
            readResultManifest.name,
            createReadResult(async (id, query, reader) => (await loaded()).read(id, query, reader)),
          ],
        ]),
      ),
    ),
    ...upkeep,
  };
}

/** Far shorter than the limit, so nothing is counted. */
function isShort(result: ToolResult, limit: number): boolean {
  return (sizeOf(result) ?? Number.POSITIVE_INFINITY) <= limit / 4;
}

function isReadByModel({ face }: Requested): boolean {
  return face === "mcp" || face === "agent";
}

/** The call's own limit, where it makes sense. */
function limitOf({ options }: Requested, { call }: Outcome, usual: number): number {
  const { maxResultBytes: asked = usual } = options;
  if (Number.isSafeInteger(asked) && asked >= 0) return asked;
  call.warnings.push(`'maxResultBytes' cannot be '${asked}': give a whole number, 0 for no limit. It was not heard.`);
  return usual;
}

/** Expired results go hourly, calls daily: each removal leaves a checkpoint. */
function createUpkeep(config: () => Config, store: () => Promise<Store>): Pick<Results, "start" | "stop"> {
  let clock: NodeJS.Timeout | undefined;
  let isStopped = false;
  let callsDueAt = 0;
  const forgetCalls = async (kept: Store, now: number) => {
    const { keepDays } = config().calls;
    if (keepDays === 0 || now < callsDueAt) return;
    callsDueAt = now + dayMs;
    const before = new Date(now - keepDays * dayMs).toISOString();
    while (!isStopped && (await kept.forgetCalls(before)) > 0) await nextTurn();
    while (!isStopped && (await kept.forgetRuns(before)) > 0) await nextTurn();
  };
  const tidy = async () => {
    const now = Date.now();
    const kept = await store();
    // One plane per store tidies up.
    await kept.alone("tidy up", async () => {
      await kept.forgetResults(new Date(now).toISOString());
      await forgetCalls(kept, now);
    });
  };
  // Tried again an hour later.
  const tidyQuietly = () => void tidy().catch(() => undefined);
  return {
    start() {
      if (clock) return;
      tidyQuietly();
      clock = setInterval(tidyQuietly, hourMs).unref();
    },
    stop() {
      isStopped = true;
      clearInterval(clock);
    },
  };
}
