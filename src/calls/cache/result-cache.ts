import { steadyNow } from "../../lib/async/steady-time.ts";
import { bytesOf, rememberText, sourceTextOf } from "../../lib/json/json-text.ts";
import type { Executed } from "../../model/calls/call.ts";
import type { ToolResult } from "../../model/calls/result.ts";

/** The answer to a call, for another call. */
export type CachedAnswer = Pick<Executed["executed"], "result" | "provider" | "warnings">;

type Entry = {
  key: string;
  groups: readonly string[];
  expiresAt: number;
  bytes: number;
  answer: CachedAnswer;
};
type Retention = { ttlMs: number; maxEntries: number; scope: string; servers: readonly string[] };

/** All caches of a plane together, in bytes of JSON. */
const maxBytes = 64 * 1024 * 1024;
/** A single large result does not displace all others. */
const maxShare = 1 / 8;

/** Bounded in entries by scope and in bytes overall; the least recently used go first. */
export function createResultCache({ limitBytes = maxBytes, now = steadyNow } = {}) {
  const entries = new Map<string, Entry>();
  const groups = new Map<string, Set<Entry>>();
  let bytes = 0;

  function drop(entry: Entry): void {
    if (!entries.delete(entry.key)) return;
    bytes -= entry.bytes;
    for (const name of entry.groups) {
      const group = groups.get(name);
      group?.delete(entry);
      if (group?.size === 0) groups.delete(name);
    }
  }

  function add(entry: Entry): void {
    entries.set(entry.key, entry);
    bytes += entry.bytes;
    for (const name of entry.groups) {
      const group = groups.get(name) ?? new Set();
      groups.set(name, group.add(entry));
    }
  }

  return {
    get(key: string): CachedAnswer | undefined {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      drop(entry);
      if (entry.expiresAt <= now()) return undefined;
      add(entry);
      return copyOf(entry.answer);
    },
    put(
      key: string,
      { result, provider, warnings }: CachedAnswer,
      { ttlMs, maxEntries, scope, servers }: Retention,
    ): void {
      const size = sizeOf(result);
      if (size > limitBytes * maxShare) return;
      const replaced = entries.get(key);
      if (replaced) drop(replaced);
      const groupNames = [scopeName(scope), ...servers.map(serverName)];
      const answer = copyOf({ result, provider, warnings });
      add({ key, groups: groupNames, expiresAt: now() + ttlMs, bytes: size, answer });
      while ((groups.get(scopeName(scope))?.size ?? 0) > maxEntries)
        drop(firstOf(groups.get(scopeName(scope))));
      while (bytes > limitBytes) drop(firstOf(entries.values()));
    },
    /** What was read from this server. */
    forget(server: string): void {
      for (const entry of [...(groups.get(serverName(server)) ?? [])]) drop(entry);
    },
    size: () => ({ entries: entries.size, bytes }),
  };
}

function scopeName(scope: string) {
  return `of ${scope}`;
}

function serverName(server: string) {
  return `at ${server}`;
}

function firstOf(entries: Iterable<Entry> = []): Entry {
  const [first] = entries;
  return first as Entry;
}

function sizeOf(result: ToolResult): number {
  return bytesOf(result)?.length ?? (sourceTextOf(result) ?? JSON.stringify(result)).length;
}

/** Callers may change what they get. */
export function copyOf({ result, provider, warnings }: CachedAnswer): CachedAnswer {
  const copy = structuredClone(result);
  const source = bytesOf(result) ?? sourceTextOf(result);
  if (source !== undefined) rememberText(copy, source);
  return { result: copy, provider, warnings: [...warnings] };
}
