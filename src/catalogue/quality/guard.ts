import { yieldEvery } from "../../lib/async/pause.ts";
import { createQuiet } from "../../lib/async/quiet.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { createLru } from "../../lib/lru.ts";
import type { PinHead, PinnedList, PinStatus } from "../../model/catalogue/pin.ts";
import { severities } from "../../model/catalogue/quality.ts";
import type { Finding, ToolReview } from "../../model/catalogue/quality-schema.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { personHints } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { NamedTools, ScanPackage } from "../../model/packages.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";
import { registryKey } from "../registry.ts";
import {
  eventSubject,
  listKey,
  modesFor,
  offerEntry,
  offerName,
  type PinnedOfferList,
  type SecurityModes,
  writtenEntry,
  writtenKey,
} from "./offers.ts";
import { createPinnedServers, type PinnedServers, quickHashOf } from "./pinned-servers.ts";

export type GuardPorts = {
  config(): Config;
  store(): Promise<Store>;
  /** Whether other processes tell of their decisions about pins. */
  isInformed(): boolean;
  emit(event: PlaneEvent): void;
  directoryOf(server: string): string;
  tools(): readonly Tool[];
  /** Did people write this tool, or change how it is described? */
  isWritten(tool: Tool): boolean;
  /** The keys of the lists that have it, where its server does not list for all. */
  ownersOf?(tool: Tool): ReadonlySet<string | null> | undefined;
  /** Whose lists those of others are compared with. */
  usualUser?: string | null;
  /** The directory whose lists those of others are compared with. */
  home?: string | null;
  /** What extensions find suspicious in a definition. */
  scanAdded?(entry: UnknownObject): readonly Finding[];
  /** Pins are written when no server has listed for this time: until then many may list one after the other. */
  settleAfterMs?: number;
};

const usualSettleMs = 250;

/** Reported definitions that are remembered at least. */
const minReported = 10_000;

export type Guard = ReturnType<typeof createGuard>;

/**
 * Compares the listings of servers with their pins, and scans definitions for poisoning.
 *
 * A definition is scanned before it is listed, and pinned soon after. What is pinned is the first listing that was read and
 * no later one, all of a server in one transaction. Where the process ends in between, the server has no pin at all: at the
 * next start it is new again, and scanned and reported as such. No definition is trusted because of a listing that was lost.
 */
export function createGuard(ports: GuardPorts, scan: ScanPackage) {
  const {
    config,
    store,
    emit,
    directoryOf,
    tools,
    isWritten,
    settleAfterMs = usualSettleMs,
  } = ports;
  const pinned = createPinnedServers(store, scan, ports.isInformed);
  const verdicts = createVerdicts(pinned, tools, withAdded(scan, ports.scanAdded));
  const report = createReporter(verdicts.review, emit);
  const settlingKeys = new Set<string>();
  /** Servers whose definitions could not be pinned yet. */
  const unsettledKeys = new Set<string>();
  const quiet = createQuiet(settleAfterMs);
  let lastSettling = Promise.resolve();
  let reading = Promise.resolve();
  let checkedModes: SecurityModes | undefined;
  let writtenTools: readonly Tool[] = [];

  /** What people wrote is listed when it is looked at. */
  const listWritten = () => {
    const currentTools = tools();
    if (currentTools === writtenTools) return;
    writtenTools = currentTools;
    const entries = currentTools.filter(isWritten).map(writtenEntry);
    pinned.listed("", "written", entries, "written");
    if (entries.length > 0) settleLater(writtenKey);
  };

  const load = async () => {
    const { security } = config();
    verdicts.apply(security);
    listWritten();
    for (const server of await pinned.loaded()) settleLater(server);
    // What is scanned here need not be scanned where no other work can come in between.
    await pinned.lookThrough(async (key, tool) => {
      await verdicts.read(key, tool);
      verdicts.review(key, tool, false);
    });
    checkedModes = security;
  };

  function settleLater(key: string): void {
    if (settlingKeys.has(key)) return;
    settlingKeys.add(key);
    // No caller waits for it, and a store that cannot be written reports that itself.
    lastSettling = lastSettling
      .then(() => new Promise(setImmediate))
      .then(quiet.wait)
      .then(load)
      .finally(() => settlingKeys.delete(key))
      .then(() => {
        unsettledKeys.delete(key);
        const { pinning, newTools, poisoning } = modesFor(key, verdicts.modes());
        if (pinning === "off" && poisoning === "off") return;
        const takes = {
          first: pinning !== "off",
          later: newTools === "accept" && pinning !== "off",
        };
        return pinned.settle(key, takes, (tool, entry, isNew) =>
          report(key, tool, quickHashOf(entry), isNew),
        );
      })
      .catch(() => void unsettledKeys.add(key));
  }

  /** Scans what a server has listed while others are still waited for, so that no list scans them all at once. */
  function readAhead(key: string): void {
    reading = reading
      .then(async () => {
        if (config().security.poisoning === "off") return;
        await pinned.loadOne(key);
        const turns = yieldEvery();
        for (const tool of pinned.toolsOf(key)) {
          if (turns.isOver()) await turns.next();
          await verdicts.read(key, tool);
        }
      })
      // What could not be read now is read when it is listed.
      .catch(() => undefined);
  }

  return {
    pinned,
    /** With `user`, for this user alone. */
    listed(
      server: string,
      definition: ServerDefinition,
      entries: readonly unknown[],
      user?: string,
    ): void {
      quiet.stir();
      pinned.listed(
        server,
        identify(server, definition, directoryOf(server)),
        entries,
        "tools",
        user,
      );
    },
    /** Why each of these is quarantined, or null. */
    async judge(
      server: string,
      kind: PinnedOfferList,
      items: readonly unknown[],
      user?: string,
    ): Promise<(string | null)[]> {
      const definition = config().servers[server];
      if (definition === undefined) return items.map(() => null);
      const entries = items.map((item) => offerEntry(kind, item));
      pinned.listed(server, identify(server, definition, directoryOf(server)), entries, kind, user);
      await load();
      const key = listKey(server, kind, user);
      const turns = yieldEvery();
      const reasons: (string | null)[] = [];
      for (const entry of entries) {
        if (turns.isOver()) await turns.next();
        await verdicts.read(key, String(entry.name));
        reasons.push(verdicts.held(key, String(entry.name)));
      }
      settleLater(key);
      return reasons;
    },
    asked(key: string): void {
      readAhead(key);
      settleLater(key);
    },
    async loaded(): Promise<void> {
      await load();
      for (const server of unsettledKeys) settleLater(server);
    },
    isLoaded(): boolean {
      listWritten();
      const isChecked = unsettledKeys.size === 0 && checkedModes === config().security;
      return isChecked && pinned.isLoaded() && pinned.isLookedThrough();
    },
    /** A tool is about to be called: what was listed is pinned now. */
    hurry(): void {
      if (settlingKeys.size > 0) quiet.hurry();
    },
    reviewWritten: (tool: Tool) =>
      isWritten(tool) ? verdicts.review(writtenKey, registryKey(tool)) : null,
    heldWritten: (tool: Tool) =>
      isWritten(tool) ? verdicts.held(writtenKey, registryKey(tool)) : null,
    /** Null for a tool that no server lists. */
    review: (server: string, tool: string) => verdicts.review(server, tool),
    /** Why a tool is quarantined, or null; cheaper than a review. */
    held: verdicts.held,
    /** A new object whenever another tool may be quarantined. */
    heldBy: verdicts.heldBy,
    settled(): Promise<void> {
      quiet.hurry();
      return lastSettling;
    },
  };
}

/** Identifies what runs under this name; other limits or another description do not make it another server. */
function identify(name: string, definition: ServerDefinition, directory: string): string {
  const { command, args, cwd, url, openapi, baseUrl, skills, transport } = definition;
  const runsHere = command !== undefined || openapi !== undefined || skills !== undefined;
  const identity: UnknownObject = { name, command, args, cwd, url, transport };
  identity.place = runsHere ? directory : null;
  if (openapi) Object.assign(identity, { openapi, baseUrl });
  if (skills) identity.skills = skills;
  return hash(identity);
}

/** Looks at each definition as well, also at one that is known to be clean. */
type Scan = ScanPackage & { scanAdded: NonNullable<GuardPorts["scanAdded"]> };

function withAdded(scan: ScanPackage, scanAdded: GuardPorts["scanAdded"] = () => []): Scan {
  return { ...scan, scanAdded };
}

function createVerdicts(pinned: PinnedServers, tools: () => readonly Tool[], scan: Scan) {
  let modes: SecurityModes = { pinning: "quarantine", newTools: "quarantine", poisoning: null };
  let names: { tools: readonly Tool[]; index: NamedTools } | undefined;
  let verdicts = new WeakMap<object, { head: PinHead | undefined; held: string | null }>();
  let circumstances: unknown[] = [];
  const currentNames = () => {
    const listedTools = tools();
    if (names?.tools !== listedTools)
      names = { tools: listedTools, index: scan.indexNames(listedTools.map(({ id }) => id)) };
    return names.index;
  };
  const review = (key: string, tool: string, withNames = true): ToolReview | null => {
    const compared = pinned.look(key, tool);
    return compared && reviewTool(tool, compared, modes, withNames ? currentNames() : null, scan);
  };
  return {
    modes: () => modes,
    apply(security: SecurityModes): void {
      if (sameJson(modes, security)) return;
      modes = security;
      verdicts = new WeakMap();
    },
    review,
    /** Scans a definition in slices, unless it is known to be clean or was scanned; what asks for a verdict then has one. */
    async read(key: string, tool: string): Promise<void> {
      const compared = pinned.look(key, tool);
      if (compared && modes.poisoning !== "off" && !isClean(compared, scan))
        await scan.scanInSlices(compared.entry);
    },
    held(key: string, tool: string): string | null {
      // Only in this mode can references to other tools quarantine.
      if (modes.poisoning === "quarantine") return review(key, tool)?.held ?? null;
      const compared = pinned.look(key, tool);
      if (compared === null) return null;
      const { entry, head } = compared;
      const previous = verdicts.get(entry);
      if (previous && previous.head === head) return previous.held;
      const { held } = reviewTool(tool, compared, modes, null, scan);
      verdicts.set(entry, { head, held });
      return held;
    },
    heldBy(): object {
      const current = [modes, pinned.revision(), tools()];
      if (current.some((part, index) => part !== circumstances[index])) circumstances = current;
      return circumstances;
    },
  };
}

/** Emits events, once for each definition and not again for one that was reported when it was pinned. */
function createReporter(
  review: ReturnType<typeof createVerdicts>["review"],
  emit: GuardPorts["emit"],
) {
  const reported = createLru<true>(minReported);
  return (key: string, name: string, definition: string | null, isNew: boolean): void => {
    const toolReview = review(key, name, false);
    if (!toolReview || definition === null || reported.has(definition)) return;
    const { change, findings, held } = toolReview;
    const worst = severities.findLast((severity) =>
      findings.some((finding) => finding.severity === severity),
    );
    const isSuspicious = worst !== undefined && worst !== "low" && (isNew || change !== null);
    if (!isSuspicious && change === null) return;
    reported.set(definition, true);
    const subject = eventSubject(key, name);
    if (change) emit({ type: "tool.definition", ...subject, status: change, held: held !== null });
    if (!isSuspicious) return;
    const kinds = [...new Set(findings.map(({ kind }) => kind))];
    emit({ type: "tool.suspicious", ...subject, severity: worst, kinds });
  };
}

type ComparedEntry = {
  entry: UnknownObject;
  head: PinHead | undefined;
  status: PinStatus;
  server: string;
  kind: PinnedList;
};

function reviewTool(
  tool: string,
  compared: ComparedEntry,
  allModes: SecurityModes,
  names: NamedTools | null,
  scan: Scan,
): ToolReview {
  const { entry, head, status, server, kind } = compared;
  const name = offerName(server, kind, tool);
  const modes = modesFor(listKey(server, kind), allModes);
  const findings: Finding[] = [];
  if (modes.poisoning !== "off")
    findings.push(...findingsOf(compared, names, scan), ...scan.scanAdded(entry));
  const isAccepted = status === "pinned" && head?.state === "accepted";
  const held =
    heldByPin(name, status, modes) ?? (isAccepted ? null : heldByFindings(name, findings, modes));
  return {
    change: modes.pinning === "off" ? null : changeOf(status),
    findings,
    held: held?.text ?? null,
    heldFor: held?.why ?? null,
  };
}

function changeOf(status: PinStatus): ToolReview["change"] {
  if (status === "pinned") return null;
  return status === "new" ? "new" : "changed";
}

function findingsOf(compared: ComparedEntry, names: NamedTools | null, scan: ScanPackage) {
  const { entry, server } = compared;
  const findings = isClean(compared, scan) ? [] : scan.scanDefinition(entry);
  if (names === null) return findings;
  return [...findings, ...scan.findToolReferences(entry, server, names)];
}

/** A definition that this version has found clean is not scanned again. */
const isClean = ({ entry, head }: ComparedEntry, { scanVersion }: ScanPackage): boolean =>
  head?.cleanBy === scanVersion && head.quickHash === quickHashOf(entry);

type Quarantine = { why: NonNullable<ToolReview["heldFor"]>; text: string };

function heldByPin(
  name: string,
  status: PinStatus,
  { pinning, newTools }: SecurityModes,
): Quarantine | null {
  if (status === "rejected")
    return {
      why: "rejected",
      text: `its definition changed and was rejected; ${personHints.pinRejected(name)}`,
    };
  if (pinning === "off") return null;
  if (status === "changed" && pinning === "quarantine")
    return {
      why: "changed",
      text: `its definition is not the one that was pinned; ${personHints.pinChanged(name)}`,
    };
  if (status === "new" && newTools === "quarantine")
    return { why: "new", text: `its server did not have it before; ${personHints.toolNew(name)}` };
  return null;
}

function heldByFindings(
  name: string,
  findings: readonly Finding[],
  { poisoning }: SecurityModes,
): Quarantine | null {
  if (poisoning === "warn" || poisoning === "off") return null;
  const suspiciousSeverities = poisoning === "quarantine" ? ["high", "medium"] : ["high"];
  if (!findings.some(({ severity }) => suspiciousSeverities.includes(severity))) return null;
  const text = `its definition seems to hide instructions for the model; ${personHints.toolSuspect(name)}`;
  return { why: "suspicious", text };
}
