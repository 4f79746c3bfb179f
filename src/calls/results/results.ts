import { once } from "../../lib/async/once.ts";
import { pause } from "../../lib/async/pause.ts";
import { sizeOf } from "../../lib/json/json-text.ts";
import type { Executed, Outcome, Requested } from "../../model/calls/call.ts";
import { checkVerifyOptions } from "../../model/calls/call-history.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import { readArtifacts, viewOfArtifacts } from "../../model/calls/result.ts";
import { codeToolNames } from "../../model/catalogue/meta-tools.ts";
import type { ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import type { ResultPackages } from "../../model/packages.ts";
import type { PlaneCalls, PlaneResults } from "../../model/plane-history.ts";
import { type Inside, requireScope } from "../../model/principal.ts";
import { recordBytes, type Store } from "../../model/store.ts";
import {
  createBuiltinProvider,
  createReadResult,
  readResultManifest,
  withMetaTools,
} from "../providers/builtin.ts";
import type { Bucket } from "./bucket.ts";

type ResultsContext = {
  readonly packages: ResultPackages;
  readonly settings: { config(): Config; vaultKey(): Promise<string | undefined> };
  readonly recorder: { store(): Promise<Store> };
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type Results = ReturnType<typeof createResults>;

/** Code that stores results is loaded with the first large result. */
export function createResults({
  packages,
  settings: { config, vaultKey },
  recorder: { store },
}: ResultsContext) {
  const limits = () => config().results;
  // Another address is in force after the next start, as with the store.
  const address = once(() => limits().store);
  const openedBucket = once(async () =>
    (await import("./bucket.ts")).createBucket({ packages, address: address() ?? "", vaultKey }),
  );
  const bucket = () => (address() === undefined ? null : openedBucket());

  /** A bucket that was never used is not opened to be closed. */
  async function closeBucket() {
    if (openedBucket.made()) (await openedBucket()).close();
  }

  const readTool = () => (limits().builtinTool ? readResultManifest.name : null);
  const storedResults = once(async () =>
    (await import("./stored-results.ts")).createStoredResults({
      store,
      bucket,
      settings: limits,
      readTool,
    }),
  );
  const readResult = createReadResult(async (id, query, reader) =>
    (await storedResults()).read(id, query, reader),
  );
  const verbs: { results: Inside<PlaneResults>; calls: Pick<Inside<PlaneCalls>, "verify"> } = {
    results: {
      async get(id, query = {}, { principal }) {
        requireScope(principal, "read", "read results");
        return (await storedResults()).read(id, query, principal);
      },
      async page(filter = {}, { principal }) {
        requireScope(principal, "read", "look at results");
        return (await storedResults()).list(filter, principal);
      },
    },
    calls: {
      async verify(options = {}, { principal }) {
        requireScope(principal, "admin", "verify the record of calls");
        return (await store()).verifyCalls({ ...config().calls, ...checkVerifyOptions(options) });
      },
    },
  };

  let redactor: { madeFor: RedactSettings; redact: Promise<RedactResult> } | undefined;
  /** Null where nothing is to be redacted, so that a call loads and awaits nothing. */
  function currentRedactor(): Promise<RedactResult> | null {
    const settings = limits().redact;
    if (!settings.secrets && !settings.entropy && settings.patterns.length === 0) return null;
    if (redactor?.madeFor !== settings)
      redactor = { madeFor: settings, redact: loadRedactor(settings) };
    return redactor.redact;
  }

  function presentWhole(
    call: Requested,
    outcome: Outcome,
    isReadByModel: boolean,
  ): Outcome | Promise<Outcome> {
    const { result } = outcome;
    if (!result) return outcome;
    const artifacts = readArtifacts(result);
    const listed = artifacts ? { ...outcome, artifacts: viewOfArtifacts(artifacts) } : outcome;
    const limit = limitOf(call, outcome, isReadByModel ? limits().maxInlineBytes : 0);
    // A page of a stored result has its own limit.
    const isPage = outcome.call.provider === "builtin" && outcome.call.tool !== codeToolNames.run;
    if (limit === 0 || isPage || isShort(result, limit)) return listed;
    return storedResults().then(({ shorten }) => shorten(call, listed, limit));
  }

  return {
    verbs,
    /** Stores a large result, and presents its handle instead. */
    present(call: Requested & Partial<Executed>, outcome: Outcome): Outcome | Promise<Outcome> {
      if (!call.executed || !outcome.result) return outcome;
      const isReadByModel = call.face === "mcp" || call.face === "agent";
      const { result } = outcome;
      const redactor = isReadByModel ? currentRedactor() : null;
      if (redactor === null) return presentWhole(call, outcome, isReadByModel);
      return redactor.then((redact) =>
        presentWhole(call, { ...outcome, result: redact(result) } as Outcome, isReadByModel),
      );
    },
    /** Our own tools that are configured. */
    builtin: ({ results }: Config): { manifest: ToolManifest; source: string }[] =>
      results.builtinTool ? [{ manifest: readResultManifest, source: "builtin" }] : [],
    provider: withMetaTools(
      createBuiltinProvider(new Map([[readResultManifest.name, readResult]])),
    ),
    ...createUpkeep(config, store, bucket, closeBucket),
  };
}

type RedactSettings = Config["results"]["redact"];
type RedactResult = (result: ToolResult) => ToolResult;

async function loadRedactor(settings: RedactSettings): Promise<RedactResult> {
  try {
    return (await import("./redact-result.ts")).createResultRedactor(settings);
  } catch {
    return withholdResult;
  }
}

/** A model gets no result rather than one that was not searched for secrets. */
const withholdResult: RedactResult = () => ({
  content: [
    {
      type: "text",
      text: "The result was withheld: it could not be searched for secrets ('results.redact').",
    },
  ],
  isError: true,
});

/** A result far shorter than the limit is not measured exactly. */
function isShort(result: ToolResult, limit: number): boolean {
  return (sizeOf(result) ?? Number.POSITIVE_INFINITY) <= limit / 4;
}

function limitOf({ options }: Requested, { call }: Outcome, defaultLimit: number): number {
  const { maxResultBytes: requested = defaultLimit } = options;
  if (Number.isSafeInteger(requested) && requested >= 0) return requested;
  call.warnings.push(
    `'maxResultBytes' cannot be '${requested}': give a whole number, 0 for no limit. It was not heard.`,
  );
  return defaultLimit;
}

const betweenBatchesMs = 20;
/** The share of 'calls.maxBytes' that is left, so that not every hour removes a little. */
const shareAfterwards = 0.95;

const whyRemoved =
  "all records took more than 'calls.maxBytes'. 'toolplane calls verify' shows when and how many.";

/** Expired results go hourly, calls daily: each removal leaves a checkpoint. */
function createUpkeep(
  config: () => Config,
  store: () => Promise<Store>,
  bucket: () => Promise<Bucket> | null,
  closeBucket: () => Promise<void>,
) {
  let clock: NodeJS.Timeout | undefined;
  let isStopped = false;
  let callsDueAt = 0;

  /** Pauses between batches, so that the store answers callers in between. */
  async function inBatches(forget: () => Promise<number>) {
    while (!isStopped && (await forget()) > 0)
      await pause(betweenBatchesMs, { isBackground: true });
  }

  async function forgetBefore(openStore: Store, before: string) {
    await inBatches(() => openStore.forgetCalls(before));
    await inBatches(() => openStore.forgetRuns(before));
    await inBatches(() => openStore.forgetEvents(before));
  }

  async function forgetOld(openStore: Store, now: number) {
    const { keepDays } = config().calls;
    if (keepDays === 0 || now < callsDueAt) return;
    // Calls go by whole days, which a database drops at once.
    const before = `${new Date(now - keepDays * dayMs).toISOString().slice(0, 10)}T00:00:00.000Z`;
    await forgetBefore(openStore, before);
    await inBatches(() => openStore.forgetAudit(before));
    await inBatches(() => openStore.forgetRoots(before));
    callsDueAt = now + dayMs;
  }

  /** The oldest calls go until the rest fits. Changes stay: many calls must not hide what an administrator did. */
  async function forgetBeyond(openStore: Store) {
    const { maxBytes } = config().calls;
    let removed: string | null = null;
    while (!isStopped && maxBytes > 0) {
      const holdings = await openStore.holdings();
      const bytes = recordBytes(holdings);
      const calls = holdings.find(({ kind }) => kind === "calls")?.count ?? 0;
      if (bytes <= maxBytes) break;
      const share = Math.min(0.1, 1 - (maxBytes * shareAfterwards) / bytes);
      const before = await openStore.callAt(Math.floor(calls * share));
      if (before === null || (await openStore.forgetCalls(before)) === 0) break;
      removed = before;
      await forgetBefore(openStore, before);
    }
    if (removed !== null)
      process.emitWarning(`Calls before ${removed} were removed: ${whyRemoved}`);
  }

  async function tidy() {
    const now = Date.now();
    const openStore = await store();
    // One plane per store tidies up.
    await openStore.alone("tidy up", async () => {
      await inBatches(() => openStore.forgetResults(new Date(now).toISOString()));
      await inBatches(() => openStore.forgetPayloads(new Date(now).toISOString()));
      await forgetOld(openStore, now);
      await forgetBeyond(openStore);
      // Last: what the store keeps does not wait for a bucket.
      const before = new Date(now - config().results.keepMs - hourMs);
      if (!isStopped) await (await bucket())?.removeBefore(before);
    });
  }

  // What fails is tried again an hour later.
  const tidyQuietly = () => void tidy().catch(() => undefined);
  return {
    /** Tidies now and once an hour. */
    start(): void {
      if (clock) return;
      tidyQuietly();
      clock = setInterval(tidyQuietly, hourMs).unref();
    },
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(clock);
      await closeBucket();
    },
  };
}
