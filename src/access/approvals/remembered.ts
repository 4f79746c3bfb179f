import { hash } from "../../lib/json/stable-json.ts";
import { matchesGlob } from "../../lib/text/glob.ts";
import type { Injected, Verdict } from "../../model/calls/call.ts";
import type { HeldCall, Remember, Remembered } from "../../model/calls/held-call.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** What other processes remember is known after this time. */
const freshMs = 2_000;

/** What people said yes to for more than one call. */
export function createRemembered(store: () => Promise<Store>, fingerprint: Fingerprint) {
  const known = new Map<string | null, { at: number; entries: Promise<Remembered[]> }>();

  async function entriesOf(user: string | null): Promise<Remembered[]> {
    const before = known.get(user);
    if (before && Date.now() - before.at < freshMs) return before.entries;
    const entries = store().then((opened) => opened.remembered(user));
    known.set(user, { at: Date.now(), entries });
    entries.catch(() => known.delete(user));
    return entries;
  }

  return {
    /** The yes that covers this call. What a rule, a mode or a hook asks about is asked every time. */
    async covers(call: Injected, verdict: Verdict): Promise<Remembered | null> {
      if (verdict.verdict !== "ask" || !isRememberable(verdict)) return null;
      const entries = await entriesOf(call.principal.user);
      return entries.find((entry) => fits(entry, call, fingerprint)) ?? null;
    },
    async add(held: HeldCall, remember: Remember): Promise<Remembered> {
      const entry = toRemembered(held, remember);
      await (await store()).addRemembered(entry);
      known.delete(entry.user);
      return entry;
    },
    list: async ({ user }: Principal) => (await (await store()).remembered(user)).filter(isGood),
    async forget(id: string, { user }: Principal): Promise<boolean> {
      known.delete(user);
      return (await store()).forgetRemembered(id, user);
    },
  };
}

/** Only the profile's own question can be answered once and for all. */
export function isRememberable({ origin, rule }: Verdict): boolean {
  return rule === undefined && origin.startsWith("profile:");
}

function toRemembered(held: HeldCall, remember: Remember): Remembered {
  const ofServer = remember.for === "server" && held.toolId.server !== null;
  const patterns = remember.for === "arguments" ? (remember.arguments ?? null) : {};
  return {
    id: process.getBuiltinModule("node:crypto").randomUUID(),
    user: held.principal.user,
    tool: ofServer ? null : held.tool,
    server: ofServer ? held.toolId.server : null,
    fingerprint: ofServer ? null : held.fingerprint,
    arguments: patterns ?? {},
    // What the person said yes to is what they changed the arguments to.
    argumentsHash: patterns === null ? hash(held.answer?.arguments ?? held.arguments) : null,
    conversation: remember.conversation ? (held.options.conversation ?? null) : null,
    createdAt: new Date().toISOString(),
    expiresAt: remember.forMs === undefined ? null : new Date(Date.now() + remember.forMs).toISOString(),
  };
}

function fits(entry: Remembered, { tool, input, options }: Injected, fingerprint: Fingerprint): boolean {
  if (!isGood(entry)) return false;
  if (entry.conversation !== null && entry.conversation !== options.conversation) return false;
  if (entry.server !== null ? entry.server !== tool.id.server : entry.tool !== tool.name) return false;
  if (entry.fingerprint !== null && entry.fingerprint !== fingerprint(tool)) return false;
  if (entry.argumentsHash !== null) return entry.argumentsHash === hash(input.arguments);
  return Object.entries(entry.arguments).every(([name, glob]) => matchesGlob(glob, textOf(input.arguments, name)));
}

function isGood({ expiresAt }: Remembered): boolean {
  return expiresAt === null || Date.parse(expiresAt) > Date.now();
}

/** An argument that is not there is an empty text, which only a glob for anything matches. */
function textOf(args: JsonObject, name: string): string {
  const value: Json | undefined = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
