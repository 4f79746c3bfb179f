import { sameJson } from "../../lib/json/plain-data.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { createLru } from "../../lib/lru.ts";
import type { PinHead, PinStatus } from "../../model/catalogue/pin.ts";
import { type Finding, severities, type ToolReview } from "../../model/catalogue/quality.ts";
import type { Tool, ToolId } from "../../model/catalogue/tool.ts";
import { spellings } from "../../model/catalogue/tool-name.ts";
import type { Config } from "../../model/config/config.ts";
import { personHints } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";
import { quickHashOf } from "./pins/fingerprint.ts";
import { createPinnedServers, type PinnedServers } from "./pins/pinned-servers.ts";
import { excerptOf } from "./poisoning/make-visible.ts";
import { scanDefinition, scanVersion } from "./poisoning/scan-definition.ts";
import { textsOf } from "./poisoning/texts-of.ts";

/** Which servers have a tool of this name, for names that mean nothing else. */
type NamedTools = ReadonlyMap<string, readonly string[]>;

const shortest = 8;
const orders = /\b(?:before|instead|must|always|never|first|rather|replaces?|do not|don't)\b/i;

export function indexNames(ids: readonly ToolId[]): NamedTools {
  const index = new Map<string, string[]>();
  for (const { server, tool } of ids) {
    if (server === null) continue;
    for (const name of [tool, ...spellings({ server, tool })]) {
      if (!isTelling(name)) continue;
      const servers = index.get(name);
      if (!servers) index.set(name, [server]);
      else if (!servers.includes(server)) servers.push(server);
    }
  }
  return index;
}

/** A word of a language is nobody's name. */
function isTelling(name: string): boolean {
  return name.length >= shortest && /[_.-]|[a-z][A-Z]/.test(name);
}

const looked = new WeakMap<object, { names: NamedTools; found: readonly Finding[] }>();

/** Tools of other servers that a description speaks of, worse where it says what to do with them. */
export function findReferences(definition: object, server: string, names: NamedTools): readonly Finding[] {
  const before = looked.get(definition);
  if (before?.names === names) return before.found;
  const found = names.size === 0 ? [] : lookForNames(definition, server, names);
  looked.set(definition, { names, found });
  return found;
}

function lookForNames(definition: object, server: string, names: NamedTools): Finding[] {
  const found: Finding[] = [];
  for (const { where, text } of textsOf(definition)) {
    if (!where.endsWith("/description") || text.length > 100_000) continue;
    for (const { 0: word, index } of text.matchAll(/[A-Za-z][A-Za-z0-9_.-]*/g)) {
      const name = word.replace(/[.-]+$/, "");
      const servers = names.get(name);
      if (!servers || servers.includes(server)) continue;
      const excerpt = excerptOf(text, index, index + name.length);
      const severity = orders.test(excerpt) ? "medium" : "low";
      found.push({
        kind: "cross_reference",
        severity,
        where,
        excerpt,
        decoded: `${name} of ${servers.join(", ")}`,
      });
      break;
    }
  }
  return found;
}

export type GuardParts = {
  config(): Config;
  store(): Promise<Store>;
  emit(event: PlaneEvent): void;
  directoryOf(server: string): string;
  /** Everything in the catalogue. */
  tools(): readonly Tool[];
};

export type Guard = {
  pinned: PinnedServers;
  listed(server: string, definition: ServerDefinition, entries: readonly unknown[]): void;
  /** The server has really been asked. */
  asked(server: string): void;
  loaded(): Promise<void>;
  /** There is nothing to be loaded. */
  isLoaded(): boolean;
  /** Null for what no server lists. */
  review(server: string, tool: string): ToolReview | null;
  /** Why it cannot be called; the part of a review that costs nothing to speak of. */
  held(server: string, tool: string): string | null;
  /** Another object when something else may be held. */
  heldBy(): object;
  settled(): Promise<void>;
};

/** Definitions that are remembered as reported; a server may change them without end. */
const minTold = 10_000;

/** Compares what servers list with what was pinned of them, and looks for what is hidden in it. */
export function createGuard(parts: GuardParts): Guard {
  const pinned = createPinnedServers(parts.store);
  let modes: SecurityModes = { pinning: "quarantine", newTools: "quarantine", poisoning: null };
  const settling = new Set<string>();
  /** Servers whose definitions could not be pinned yet. */
  const unsettled = new Set<string>();
  const told = createLru<true>(minTold);
  let names: { of: readonly Tool[]; index: NamedTools } | undefined;
  let verdicts = new WeakMap<object, { head: PinHead | undefined; held: string | null }>();
  let last = Promise.resolve();
  let checked: SecurityModes | undefined;
  let standing = { modes, revision: -1, tools: parts.tools() };

  const namesNow = () => {
    const of = parts.tools();
    if (names?.of !== of) names = { of, index: indexNames(of.map(({ id }) => id)) };
    return names.index;
  };
  const review = (server: string, tool: string, withNames = true): ToolReview | null => {
    const found = pinned.look(server, tool);
    return found && reviewTool(`${server}.${tool}`, server, found, modes, withNames ? namesNow() : null);
  };
  const held = (server: string, tool: string): string | null => {
    if (needsReferences(modes)) return review(server, tool)?.held ?? null;
    const found = pinned.look(server, tool);
    if (found === null) return null;
    const before = verdicts.get(found.entry);
    if (before && before.head === found.head) return before.held;
    const verdict = reviewTool(`${server}.${tool}`, server, found, modes, null);
    verdicts.set(found.entry, { head: found.head, held: verdict.held });
    return verdict.held;
  };
  const load = async () => {
    const { security } = parts.config();
    if (!sameJson(modes, security)) [modes, verdicts] = [security, new WeakMap()];
    for (const server of await pinned.loaded()) settleLater(server);
    checked = security;
  };
  const loaded = async () => {
    await load();
    for (const server of unsettled) settleLater(server);
  };

  function settleLater(server: string): void {
    if (settling.has(server)) return;
    settling.add(server);
    // No caller waits for it, and a store that cannot be written reports that itself.
    last = last
      .then(() => new Promise<void>((resolve) => void setImmediate(resolve)))
      .then(load)
      .finally(() => settling.delete(server))
      .then(() => {
        unsettled.delete(server);
        if (modes.pinning === "off" && modes.poisoning === "off") return;
        const takes = {
          first: modes.pinning !== "off",
          later: modes.newTools === "accept" && modes.pinning !== "off",
        };
        return pinned.settle(server, takes, (tool, entry, isNew) => tell(server, tool, quickHashOf(entry), isNew));
      })
      .catch(() => void unsettled.add(server));
  }

  /** Once for each definition, and not again for what was told when it was pinned. */
  function tell(server: string, tool: string, definition: string | null, isNew: boolean): void {
    const found = review(server, tool, false);
    if (!found || definition === null || told.has(definition)) return;
    const { change, findings, held } = found;
    const worst = severities.findLast((severity) => findings.some((finding) => finding.severity === severity));
    const isSuspicious = worst !== undefined && worst !== "low" && (isNew || change !== null);
    if (!isSuspicious && change === null) return;
    told.set(definition, true);
    if (change) parts.emit({ type: "tool.definition", server, tool, status: change, held: held !== null });
    if (!isSuspicious) return;
    const kinds = [...new Set(findings.map(({ kind }) => kind))];
    parts.emit({ type: "tool.suspicious", server, tool, severity: worst, kinds });
  }

  const heldBy = () => {
    const now = { modes, revision: pinned.revision(), tools: parts.tools() };
    const isSame = standing.modes === modes && standing.revision === now.revision && standing.tools === now.tools;
    if (!isSame) standing = now;
    return standing;
  };

  return {
    pinned,
    listed: (server, definition, entries) =>
      pinned.listed(server, identify(server, definition, parts.directoryOf(server)), entries),
    asked: settleLater,
    loaded,
    isLoaded: () => unsettled.size === 0 && checked === parts.config().security && pinned.isLoaded(),
    review,
    held,
    heldBy,
    settled: () => last,
  };
}

/** What runs or is asked under this name; other limits or another description do not make it another server. */
function identify(name: string, { command, args, cwd, url, transport }: ServerDefinition, directory: string): string {
  const place = command === undefined ? null : directory;
  return hash({ name, command, args, cwd, url, transport, place });
}

/** What is done about definitions that changed, are new, or look poisoned. */
type SecurityModes = {
  pinning: "off" | "warn" | "quarantine";
  newTools: "accept" | "quarantine";
  /** Null: what hides instructions is held back, what may have a reason is told. */
  poisoning: "off" | "warn" | "quarantine" | null;
};

type Standing = { entry: UnknownObject; head: PinHead | undefined; status: PinStatus };

/** What is to be known of one tool; `name` is what people call it. */
function reviewTool(
  name: string,
  server: string,
  { entry, head, status }: Standing,
  modes: SecurityModes,
  names: NamedTools | null,
): ToolReview {
  const findings = modes.poisoning === "off" ? [] : findingsOf(entry, head, server, names);
  const change = modes.pinning === "off" ? null : changeOf(status);
  const isAccepted = status === "pinned" && head?.state === "accepted";
  return {
    change,
    findings,
    held: heldByPin(name, status, modes) ?? (isAccepted ? null : heldByFindings(name, findings, modes)),
  };
}

/** Can what a definition says of other tools be a reason to hold it back? */
function needsReferences({ poisoning }: SecurityModes): boolean {
  return poisoning === "quarantine";
}

/** What our scan has found clean once is not scanned again. */
function findingsOf(
  entry: UnknownObject,
  head: PinHead | undefined,
  server: string,
  names: NamedTools | null,
): Finding[] {
  const isClean = head?.cleanBy === scanVersion && head.quickHash === quickHashOf(entry);
  return [...(isClean ? [] : scanDefinition(entry)), ...(names === null ? [] : findReferences(entry, server, names))];
}

function changeOf(status: PinStatus): ToolReview["change"] {
  return status === "pinned" ? null : status === "new" ? "new" : "changed";
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
  const held = findings.some(
    ({ severity }) => severity === "high" || (poisoning === "quarantine" && severity === "medium"),
  );
  if (!held) return null;
  return `its definition seems to hide instructions for the model; ${personHints.toolSuspect(name)}`;
}
