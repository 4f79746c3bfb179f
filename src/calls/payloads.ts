import { withoutLastWord } from "../lib/text/cut-text.ts";
import { redact, redactFields } from "../lib/text/redact.ts";
import type { Executed, Outcome, Requested } from "../model/calls/call.ts";
import type { CallPayload } from "../model/calls/call-schema.ts";
import type { Config } from "../model/config/config.ts";
import type { Json } from "../model/json.ts";
import { ownerOf, ownsRecord, type Principal } from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import { createInjectedHider, type InjectedHider } from "./hide-injected.ts";

type Call = Requested & Partial<Executed>;
type Owned = Pick<CallPayload, "arguments" | "result"> & { user: string | null; owner: string };
type Ports = {
  config(): Pick<Config, "observability">;
  store(): Promise<Pick<Store, "putPayloads" | "payloads">>;
};

const dayMs = 86_400_000;
/** Of one value as JSON; more is kept as its beginning. */
const maxCharacters = 256 * 1024;
/** Calls are answered first; what a crash takes is only what a person might have looked at. */
const flushMs = 100;
const maxWaiting = 500;

/** Arguments and results of calls, where the configuration wants them kept: redacted, and for some days. */
export function createPayloads({ config, store }: Ports) {
  let waiting: { call: Call; outcome: Outcome }[] = [];
  let clock: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  function flush() {
    clearTimeout(clock);
    clock = undefined;
    const batch = waiting;
    const days = config().observability.payloadDays;
    waiting = [];
    if (batch.length === 0) return writing;
    const expiresAt = new Date(Date.now() + days * dayMs).toISOString();
    writing = writing
      .then(store)
      .then((openStore) =>
        openStore.putPayloads(
          batch.map(({ call, outcome }) => ({ expiresAt, ...payloadOf(call, outcome) })),
        ),
      )
      .catch(() => undefined);
    return writing;
  }

  return {
    note(call: Call, outcome: Outcome): void {
      if (!config().observability.keepPayloads) return;
      waiting.push({ call, outcome });
      if (waiting.length >= maxWaiting) void flush();
      else clock ??= setTimeout(flush, flushMs).unref();
    },
    /** Null where they are not kept at all. */
    async read(ids: readonly string[], reader: Principal): Promise<CallPayload[] | null> {
      if (!config().observability.keepPayloads) return null;
      await flush();
      const now = new Date().toISOString();
      const payloads = await (await store()).payloads(ids);
      return payloads.flatMap(({ id, expiresAt, body }) => {
        const { user, owner, ...payload } = JSON.parse(body) as Owned;
        if (expiresAt <= now || !ownsRecord(reader, { user, owner })) return [];
        return [{ id, expiresAt, ...payload }];
      });
    },
    stop: async () => void (await flush()),
  };
}

function payloadOf(call: Call, outcome: Outcome): { id: string; body: string } {
  const hider = createInjectedHider(call.injected?.values ?? {});
  const args = call.input?.arguments ?? call.asked.arguments ?? {};
  const body: Owned = {
    user: call.principal.user,
    owner: ownerOf(call.principal),
    arguments: redacted(args, hider),
    result: outcome.result ? redacted(outcome.result, hider) : null,
  };
  return { id: outcome.call.id, body: JSON.stringify(body) };
}

function redacted(value: unknown, hider: InjectedHider): Json {
  const text = JSON.stringify(value);
  if (text.length <= maxCharacters)
    return redactFields(value, (part) => redact(hider.text(part))) as Json;
  // Half a secret at the end would not be recognised.
  const beginning = withoutLastWord(text.slice(0, maxCharacters));
  return { cut: true, characters: text.length, beginning: redact(hider.text(beginning)) };
}
