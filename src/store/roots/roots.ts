import { appendFile } from "node:fs/promises";
import { once } from "../../lib/async/once.ts";
import type { AuditRoot } from "../../model/audit-schema.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { PlaneCalls } from "../../model/plane-history.ts";
import { type Inside, requireScope } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import type { Sign } from "./make-root.ts";

const intervalMs = 60_000;
/** Planes on one store take turns: a root of another that is younger is as good. */
const recentMs = 30_000;
const webhookTimeoutMs = 10_000;
/** A plane that ends waits no longer for those who keep its roots. */
const finalWebhookMs = 2_000;

type RootsContext = {
  readonly settings: { config(): Config; signingKey(): Promise<string | undefined> };
  readonly recorder: { store(): Promise<Store>; emit(event: PlaneEvent): void };
};

/** Once a minute, and when the plane stops, the ends of all chains become a root, which is given to those who keep it elsewhere. */
export function createRoots({ settings, recorder }: RootsContext) {
  let timer: NodeJS.Timeout | undefined;
  let making: Promise<void> = Promise.resolve();
  let hasWarned = false;
  const stopping = new AbortController();

  const sign = async (): Promise<Sign | null> => {
    const key = await settings.signingKey();
    if (key === undefined) return null;
    const signer = (await import("./root-hash.ts")).createSigner(key);
    if (signer) return signer;
    throw new PlaneError(
      "CONFIG_INVALID",
      "'audit.signingKey' is no Ed25519 private key: give it as PEM (PKCS 8).",
    );
  };

  async function make(isLast: boolean): Promise<void> {
    const store = await recorder.store();
    const newRoots: AuditRoot[] = [];
    await store.alone("roots", async () => {
      const newest = await store.root();
      // One of a clock that was ahead is not young.
      if (!isLast && newest && Math.abs(Date.now() - Date.parse(newest.at)) < recentMs) return;
      const { makeRoot } = await import("./make-root.ts");
      const signer = await sign();
      for (
        let root = await makeRoot(store, signer);
        root !== null;
        root = await makeRoot(store, signer)
      ) {
        newRoots.push(root);
        recorder.emit(toEvent(root));
      }
    });
    if (newRoots.length > 0) await exportRoots(newRoots);
  }

  async function exportRoots(roots: readonly AuditRoot[]): Promise<void> {
    const { rootFile, rootWebhook } = settings.config().audit;
    if (rootFile !== undefined)
      await appendFile(rootFile, roots.map((root) => `${JSON.stringify(root)}\n`).join(""), {
        mode: 0o600,
      });
    // The last one covers the others.
    if (rootWebhook !== undefined)
      await post(rootWebhook, JSON.stringify(roots.at(-1)), stopping.signal);
    hasWarned = false;
  }

  /** A root that could not be made or given away is covered by the next one. */
  const quietly = (work: () => Promise<void>) => {
    making = making.then(work).catch((thrown) => {
      if (!hasWarned)
        process.emitWarning(`No audit root can be made or exported: ${(thrown as Error).message}`);
      hasWarned = true;
    });
    return making;
  };

  /** What is wrong with the key or the file is said at once, and not with the first root. */
  async function check(): Promise<void> {
    await sign();
    const { rootFile } = settings.config().audit;
    if (rootFile !== undefined) await appendFile(rootFile, "", { mode: 0o600 });
  }

  const verbs: Pick<Inside<PlaneCalls>, "prove"> = {
    async prove(id, { principal }) {
      requireScope(principal, "admin", "prove a recorded call");
      const { proveCall } = await import("./prove-call.ts");
      return proveCall(await recorder.store(), id, await sign());
    },
  };

  return {
    verbs,
    start(): void {
      if (timer) return;
      void quietly(check);
      timer = setInterval(() => void quietly(() => make(false)), intervalMs).unref();
    },
    stop: once(async () => {
      const wasStarted = timer !== undefined;
      clearInterval(timer);
      // A command that makes one call leaves it to the next plane that stays.
      const limit = setTimeout(() => stopping.abort(), finalWebhookMs);
      if (wasStarted) await quietly(() => make(true));
      clearTimeout(limit);
    }),
  };
}

function toEvent({ number, hash, leaves, signature, key }: AuditRoot): PlaneEvent {
  const signatureFields = signature !== undefined && key !== undefined ? { signature, key } : {};
  return { type: "audit.root", number, hash, chains: leaves.length, ...signatureFields };
}

async function post(url: string, body: string, stopping: AbortSignal): Promise<void> {
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.any([AbortSignal.timeout(webhookTimeoutMs), stopping]);
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    redirect: "error",
    signal,
  }).catch(() => null);
  await response?.body?.cancel();
  // The address may hold a credential.
  if (!response?.ok)
    throw new Error(
      `'audit.rootWebhook' ${response ? `answers HTTP ${response.status}` : "cannot be reached"}`,
    );
}
