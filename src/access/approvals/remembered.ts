import { findChanged } from "../../lib/json/exact-numbers.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { matchesGlob } from "../../lib/text/glob.ts";
import type { Injected } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type { Remember } from "../../model/calls/held-call.ts";
import type { HeldCall, RememberedApproval } from "../../model/calls/held-schema.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { JsonObject } from "../../model/json.ts";
import { isSameName, ownerOf, type Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { type ApprovalSettings, ownYesCounts } from "./answerers.ts";

/** What other processes remember is known after this time. */
const freshMs = 2_000;

export type Fingerprint = (tool: Tool) => string;

/** Where a server is reached; null for one that is a process. */
export type OriginOf = (server: string | null) => string | null;

/** Where a call of this caller works; null for a server that is the same wherever it is asked for. */
export type PlaceOf = (server: string | null, principal: Principal) => string | null;

/** A server may move while its tools stay the same, so a yes is to both. */
export function atOrigin(fingerprint: string, origin: string | null | undefined): string {
  if (!origin) return fingerprint;
  return `${fingerprint} ${origin}`;
}

/** A hash over all of a tool that a person relies on when they approve it. */
export function createFingerprint(fixedOf: (tool: Tool) => JsonObject): Fingerprint {
  const fingerprints = new WeakMap<Tool, string>();
  return (tool) => {
    const cached = fingerprints.get(tool);
    if (cached !== undefined) return cached;
    const { id, title, description, parameters, outputSchema, injects, annotations } = tool;
    const { metadata, persona, providers, source, listed } = tool;
    const { _meta, icons, ...listing } = listed ?? {};
    const definition = { id, title, description, parameters, outputSchema, injects, annotations };
    const about = { ...definition, metadata, persona, providers, source, fixed: fixedOf(tool) };
    const fingerprint = hash(
      Object.keys(listing).length === 0 ? about : { ...about, said: listing },
    );
    fingerprints.set(tool, fingerprint);
    return fingerprint;
  };
}

/**
 * As version 0.1 made it, for calls that wait since then. Every tool had `allow_parallel`, and only those for which
 * someone had written it had `default_timeout`.
 */
export function earlierFingerprints(tool: Tool, fixed: JsonObject): string[] {
  const { id, description, parameters, injects, annotations, persona, providers, source } = tool;
  const about = {
    id,
    description,
    parameters,
    injects,
    annotations,
    persona,
    providers,
    source,
    fixed,
  };
  const { default_timeout, ...metadata } = {
    ...tool.metadata,
    allow_parallel: tool.metadata.allow_parallel ?? false,
  };
  return [metadata, { ...metadata, default_timeout }].map((variant) =>
    hash({ ...about, metadata: variant }),
  );
}

export function createRemembered(
  store: () => Promise<Store>,
  fingerprint: Fingerprint,
  originOf: OriginOf,
  placeOf: PlaceOf,
  settings: () => ApprovalSettings,
) {
  const cacheByUser = new Map<
    string | null,
    { readAt: number; entries: Promise<RememberedApproval[]> }
  >();

  function isSaidHere({ directory }: RememberedApproval, { tool, principal }: Injected) {
    return (directory ?? null) === placeOf(tool.id.server, principal);
  }

  async function entriesOf(user: string | null): Promise<RememberedApproval[]> {
    const cached = cacheByUser.get(user);
    if (cached && Date.now() - cached.readAt < freshMs) return cached.entries;
    const entries = store().then((opened) => opened.remembered(user));
    cacheByUser.set(user, { readAt: Date.now(), entries });
    entries.catch(() => cacheByUser.delete(user));
    return entries;
  }

  return {
    async covers(call: Injected, verdict: Verdict): Promise<RememberedApproval | null> {
      if (verdict.verdict !== "ask" || !isRememberable(verdict)) return null;
      if (settings().threshold > 1) return null;
      const entries = await entriesOf(call.principal.user);
      const ownCounts = ownYesCounts(settings(), call.principal);
      const counts = ({ by = null, user }: RememberedApproval) =>
        ownCounts || (by !== null && !isSameName(by, user));
      return (
        entries.find(
          (entry) =>
            counts(entry) && isSaidHere(entry, call) && fits(entry, call, fingerprint, originOf),
        ) ?? null
      );
    },
    async add(heldCall: HeldCall, remember: Remember, by: Principal): Promise<RememberedApproval> {
      const directory = placeOf(heldCall.toolId.server, heldCall.principal);
      const where = directory === null ? {} : { directory };
      const entry = { ...toRemembered(heldCall, remember, originOf), ...where, by: by.user };
      await (await store()).addRemembered(entry);
      cacheByUser.delete(entry.user);
      return entry;
    },
    list: async ({ user }: Principal) =>
      (await (await store()).remembered(user))
        .filter(isValid)
        .map(({ owner: _, ...shown }) => shown),
    async forget(id: string, { user }: Principal): Promise<boolean> {
      cacheByUser.delete(user);
      return (await store()).forgetRemembered(id, user);
    },
  };
}

/** Only the profile's question: what a rule, a mode or a hook asks about is asked every time. */
export function isRememberable({ origin, rule }: Verdict): boolean {
  return rule === undefined && origin.startsWith("profile:");
}

function toRemembered(
  heldCall: HeldCall,
  remember: Remember,
  originOf: OriginOf,
): RememberedApproval {
  const ofServer = remember.for === "server" && heldCall.toolId.server !== null;
  const patterns = remember.for === "arguments" ? (remember.arguments ?? null) : {};
  const { server } = heldCall.toolId;
  const target = ofServer
    ? { tool: null, server, fingerprint: originOf(server) }
    : {
        tool: heldCall.tool,
        server: null,
        fingerprint: atOrigin(heldCall.fingerprint, heldCall.origin),
      };
  return {
    id: process.getBuiltinModule("node:crypto").randomUUID(),
    user: heldCall.principal.user,
    owner: ownerOf(heldCall.principal),
    ...target,
    arguments: patterns ?? {},
    // The person approved the arguments as they changed them.
    argumentsHash:
      patterns === null ? hash(heldCall.answer?.arguments ?? heldCall.arguments) : null,
    conversation: remember.conversation ? (heldCall.options.conversation ?? null) : null,
    createdAt: new Date().toISOString(),
    expiresAt:
      remember.forMs === undefined ? null : new Date(Date.now() + remember.forMs).toISOString(),
  };
}

function fits(
  entry: RememberedApproval,
  call: Injected,
  fingerprint: Fingerprint,
  originOf: OriginOf,
): boolean {
  const { tool, input, options, principal } = call;
  if (!isValid(entry) || (entry.owner !== undefined && entry.owner !== ownerOf(principal)))
    return false;
  if (entry.conversation !== null && entry.conversation !== options.conversation) return false;
  if (entry.server !== null ? entry.server !== tool.id.server : entry.tool !== tool.name)
    return false;
  const origin = originOf(tool.id.server);
  const current = entry.server !== null ? origin : atOrigin(fingerprint(tool), origin);
  if (entry.fingerprint !== null && entry.fingerprint !== current) return false;
  const isAnyInput = entry.argumentsHash === null && Object.keys(entry.arguments).length === 0;
  // The earlier yes was to another number than the one that would be sent.
  if (!isAnyInput && findChanged(input.exact) !== undefined) return false;
  if (entry.argumentsHash !== null) return entry.argumentsHash === hash(input.arguments);
  return Object.entries(entry.arguments).every(([name, glob]) =>
    matchesGlob(glob, textOf(input.arguments, name)),
  );
}

function isValid({ expiresAt }: RememberedApproval): boolean {
  return expiresAt === null || Date.parse(expiresAt) > Date.now();
}

/** A missing argument is an empty text, which only a glob for anything matches. */
function textOf(args: JsonObject, name: string): string {
  const value = Object.hasOwn(args, name) ? (args[name] ?? null) : "";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}
