import { createLru } from "../../lib/lru.ts";
import { sameJson } from "../../lib/same-json.ts";
import { hash } from "../../lib/stable-json.ts";
import type { Config } from "../../model/config.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { PinHead } from "../../model/pin.ts";
import { severities, type ToolReview } from "../../model/quality.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { Store } from "../../model/store.ts";
import type { Tool } from "../../model/tool.ts";
import { quickHashOf } from "./pins/fingerprint.ts";
import { createPinnedServers, type PinnedServers } from "./pins/pinned-servers.ts";
import { indexNames, type NamedTools } from "./poisoning/references.ts";
import { needsReferences, reviewTool, type SecurityModes } from "./review.ts";

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
        return pinned.settle(server, takes, (tool, entry, isNew) =>
          tell(server, tool, quickHashOf(entry), isNew),
        );
      })
      .catch(() => void unsettled.add(server));
  }

  /** Once for each definition, and not again for what was told when it was pinned. */
  function tell(server: string, tool: string, definition: string | null, isNew: boolean): void {
    const found = review(server, tool, false);
    if (!found || definition === null || told.has(definition)) return;
    const { change, findings, held } = found;
    const worst = severities.findLast((severity) =>
      findings.some((finding) => finding.severity === severity),
    );
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
    const isSame =
      standing.modes === modes && standing.revision === now.revision && standing.tools === now.tools;
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
function identify(
  name: string,
  { command, args, cwd, url, transport }: ServerDefinition,
  directory: string,
): string {
  const place = command === undefined ? null : directory;
  return hash({ name, command, args, cwd, url, transport, place });
}
