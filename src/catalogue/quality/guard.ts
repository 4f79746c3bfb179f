import { sameJson } from "../../lib/json/plain-data.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { createLru } from "../../lib/lru.ts";
import type { PinHead, PinStatus } from "../../model/catalogue/pin.ts";
import { type Finding, severities, type ToolReview } from "../../model/catalogue/quality.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { personHints } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";
import { createPinnedServers, type PinnedServers, quickHashOf } from "./pinned-servers.ts";
import { findReferences, indexNames, type NamedTools } from "./poisoning/references.ts";
import { scanDefinition, scanVersion } from "./poisoning/scan-definition.ts";

export type GuardPorts = {
  config(): Config;
  store(): Promise<Store>;
  emit(event: PlaneEvent): void;
  directoryOf(server: string): string;
  tools(): readonly Tool[];
};

/** Reported definitions that are remembered at least. */
const minReported = 10_000;

export type Guard = ReturnType<typeof createGuard>;

/** Compares the listings of servers with their pins, and scans definitions for poisoning. */
export function createGuard({ config, store, emit, directoryOf, tools }: GuardPorts) {
  const pinned = createPinnedServers(store);
  const verdicts = createVerdicts(pinned, tools);
  const report = createReporter(verdicts.review, emit);
  const settling = new Set<string>();
  /** Servers whose definitions could not be pinned yet. */
  const unsettled = new Set<string>();
  let last = Promise.resolve();
  let checked: SecurityModes | undefined;

  const load = async () => {
    const { security } = config();
    verdicts.apply(security);
    for (const server of await pinned.loaded()) settleLater(server);
    checked = security;
  };

  function settleLater(server: string): void {
    if (settling.has(server)) return;
    settling.add(server);
    // No caller waits for it, and a store that cannot be written reports that itself.
    last = last
      .then(() => new Promise(setImmediate))
      .then(load)
      .finally(() => settling.delete(server))
      .then(() => {
        unsettled.delete(server);
        const { pinning, newTools, poisoning } = verdicts.modes();
        if (pinning === "off" && poisoning === "off") return;
        const takes = { first: pinning !== "off", later: newTools === "accept" && pinning !== "off" };
        return pinned.settle(server, takes, (tool, entry, isNew) => report(server, tool, quickHashOf(entry), isNew));
      })
      .catch(() => void unsettled.add(server));
  }

  return {
    pinned,
    listed: (server: string, definition: ServerDefinition, entries: readonly unknown[]): void =>
      pinned.listed(server, identify(server, definition, directoryOf(server)), entries),
    asked: settleLater,
    async loaded(): Promise<void> {
      await load();
      for (const server of unsettled) settleLater(server);
    },
    isLoaded: (): boolean => unsettled.size === 0 && checked === config().security && pinned.isLoaded(),
    /** Null for a tool that no server lists. */
    review: (server: string, tool: string) => verdicts.review(server, tool),
    /** Why a tool is quarantined, or null; cheaper than a review. */
    held: verdicts.held,
    /** A new object whenever another tool may be quarantined. */
    heldBy: verdicts.heldBy,
    settled: () => last,
  };
}

/** Identifies what runs under this name; other limits or another description do not make it another server. */
function identify(name: string, { command, args, cwd, url, transport }: ServerDefinition, directory: string): string {
  const place = command === undefined ? null : directory;
  return hash({ name, command, args, cwd, url, transport, place });
}

type SecurityModes = Omit<Config["security"], "egress">;

function createVerdicts(pinned: PinnedServers, tools: () => readonly Tool[]) {
  let modes: SecurityModes = { pinning: "quarantine", newTools: "quarantine", poisoning: null };
  let names: { of: readonly Tool[]; index: NamedTools } | undefined;
  let known = new WeakMap<object, { head: PinHead | undefined; held: string | null }>();
  let standing: unknown[] = [];
  const namesNow = () => {
    const of = tools();
    if (names?.of !== of) names = { of, index: indexNames(of.map(({ id }) => id)) };
    return names.index;
  };
  const review = (server: string, tool: string, withNames = true): ToolReview | null => {
    const found = pinned.look(server, tool);
    return found && reviewTool(`${server}.${tool}`, server, found, modes, withNames ? namesNow() : null);
  };
  return {
    modes: () => modes,
    apply(security: SecurityModes): void {
      if (!sameJson(modes, security)) [modes, known] = [security, new WeakMap()];
    },
    review,
    held(server: string, tool: string): string | null {
      // Only in this mode can references to other tools quarantine.
      if (modes.poisoning === "quarantine") return review(server, tool)?.held ?? null;
      const found = pinned.look(server, tool);
      if (found === null) return null;
      const before = known.get(found.entry);
      if (before && before.head === found.head) return before.held;
      const { held } = reviewTool(`${server}.${tool}`, server, found, modes, null);
      known.set(found.entry, { head: found.head, held });
      return held;
    },
    heldBy(): object {
      const now = [modes, pinned.revision(), tools()];
      if (now.some((part, at) => part !== standing[at])) standing = now;
      return standing;
    },
  };
}

/** Emits events, once for each definition and not again for one that was reported when it was pinned. */
function createReporter(review: ReturnType<typeof createVerdicts>["review"], emit: GuardPorts["emit"]) {
  const reported = createLru<true>(minReported);
  return (server: string, tool: string, definition: string | null, isNew: boolean): void => {
    const found = review(server, tool, false);
    if (!found || definition === null || reported.has(definition)) return;
    const { change, findings, held } = found;
    const worst = severities.findLast((severity) => findings.some((finding) => finding.severity === severity));
    const isSuspicious = worst !== undefined && worst !== "low" && (isNew || change !== null);
    if (!isSuspicious && change === null) return;
    reported.set(definition, true);
    if (change) emit({ type: "tool.definition", server, tool, status: change, held: held !== null });
    if (!isSuspicious) return;
    const kinds = [...new Set(findings.map(({ kind }) => kind))];
    emit({ type: "tool.suspicious", server, tool, severity: worst, kinds });
  };
}

function reviewTool(
  name: string,
  server: string,
  { entry, head, status }: { entry: UnknownObject; head: PinHead | undefined; status: PinStatus },
  modes: SecurityModes,
  names: NamedTools | null,
): ToolReview {
  const findings = modes.poisoning === "off" ? [] : findingsOf(entry, head, server, names);
  const change = status === "pinned" ? null : status === "new" ? "new" : "changed";
  const isAccepted = status === "pinned" && head?.state === "accepted";
  return {
    change: modes.pinning === "off" ? null : change,
    findings,
    held: heldByPin(name, status, modes) ?? (isAccepted ? null : heldByFindings(name, findings, modes)),
  };
}

/** A definition that this version has found clean is not scanned again. */
function findingsOf(entry: UnknownObject, head: PinHead | undefined, server: string, names: NamedTools | null) {
  const isClean = head?.cleanBy === scanVersion && head.quickHash === quickHashOf(entry);
  return [...(isClean ? [] : scanDefinition(entry)), ...(names === null ? [] : findReferences(entry, server, names))];
}

function heldByPin(name: string, status: PinStatus, { pinning, newTools }: SecurityModes): string | null {
  if (status === "rejected") return `its definition changed and was rejected; ${personHints.pinRejected(name)}`;
  if (pinning === "off") return null;
  if (status === "changed" && pinning === "quarantine")
    return `its definition is not the one that was pinned; ${personHints.pinChanged(name)}`;
  if (status === "new" && newTools === "quarantine")
    return `its server did not have it before; ${personHints.toolNew(name)}`;
  return null;
}

function heldByFindings(name: string, findings: readonly Finding[], { poisoning }: SecurityModes): string | null {
  if (poisoning === "warn" || poisoning === "off") return null;
  const held = poisoning === "quarantine" ? ["high", "medium"] : ["high"];
  if (!findings.some(({ severity }) => held.includes(severity))) return null;
  return `its definition seems to hide instructions for the model; ${personHints.toolSuspect(name)}`;
}
