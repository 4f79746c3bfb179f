import { type CheckedManifest, checkEntry } from "../../config/manifests/check-entry.ts";
import type { Environment } from "../../config/config.ts";
import { maskSecrets } from "../../config/secrets/mask.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import type { EntryChange, EntryKey, EntryKind, StoredEntry } from "../../model/catalogue/change.ts";
import type { NamedOverlay, ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config, FromFile, Manifests } from "../../model/config/config.ts";






import type { EntryEdits, Store } from "../../model/store.ts";
import { asWritten, type DescribedEntry, describeEntry, entryKeyOf } from "./describe-entry.ts";
import { entriesInFiles, type WrittenEntry } from "./entries-in-files.ts";
import { type Circumstances, toChange } from "./entry-changes.ts";
import type { ChangeHistory } from "./history.ts";

/** Where an entry comes from that people set while running. */
export const storedSource = "stored";

type Parts = {
  store(): Promise<Store>;
  /** Can there be entries of an earlier time? */
  outlivesUs: boolean;
  environment: Environment;
  config(): Config;
  revision(): number;
  history: Pick<ChangeHistory, "applied">;
  /** Makes these the tools that people set. */
  publish(tools: readonly ToolManifest[]): void;
  /** The same for what they say about tools of servers. */
  publishOverlays(overlays: readonly NamedOverlay[]): void;
};

type Kept = { entry: StoredEntry; manifest: CheckedManifest };
export type EntryEdit = { put: readonly Kept[]; remove: readonly EntryKey[] };

export type Entries = {
  /** Entries that people set are in the catalogue, and the history knows what the files say. */
  loaded(): Promise<void>;
  /** The configuration is another one, or another process changed what is stored. */
  reload(): Promise<void>;
  stored(key: EntryKey): StoredEntry | undefined;
  /** The entry of a file, whether or not a stored one covers it. */
  inFiles(key: EntryKey): WrittenEntry | undefined;
  /** Everything hand-written that is in force, whatever a program registers on top. */
  all(): WrittenEntry[];
  /** What the manifest files say, with what people set in its place. */
  manifests(): Manifests;
  /** What an edit would do; nothing is done. */
  plan(edit: EntryEdit): EntryChange[];
  /** All or nothing, effective at once, and kept before anybody is told. */
  edit(edit: EntryEdit, circumstances: Omit<Circumstances, "revision">): Promise<EntryChange[]>;
};

/** What people set while running, on top of what the files say. */
export function createEntries(parts: Parts): Entries {
  const { store, environment, config, publish, history } = parts;
  let kept = new Map<string, Kept>();
  let files = new Map<string, WrittenEntry>();
  let turn: Promise<unknown> = Promise.resolve();
  let loading: Promise<void> | undefined;

  const announce = (next: Map<string, Kept>) => {
    kept = next;
    const ofKind = (kind: StoredEntry["kind"]) => [...kept.values()].filter(({ entry }) => entry.kind === kind);
    publish(ofKind("tool").map(({ manifest }) => manifest as ToolManifest));
    parts.publishOverlays(ofKind("overlay").map(({ manifest }) => manifest as NamedOverlay));
  };
  /** What is read while an edit is being written would take the edit back. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  const readStored = async () => announce(await takeStored(await (await store()).entries(), environment));
  const readFiles = () => {
    files = new Map(entriesInFiles(config()).map((entry) => [entryKeyOf(keyOf(entry)), entry]));
    history.applied(config().files, [...files.values()]);
  };
  const load = async () => {
    readFiles();
    if (!parts.outlivesUs) return;
    // A turn later, so that a server that is about to be used starts before the store is opened.
    await new Promise(setImmediate);
    await inTurn(readStored);
  };
  const inForce = (key: string): WrittenEntry | undefined => {
    const stored = kept.get(key);
    return stored ? asEntry(stored) : files.get(key);
  };

  const entries: Entries = {
    loaded() {
      // Without its store a plane still has what its files say; the next one who asks tries again.
      loading ??= load().catch(() => {
        loading = undefined;
      });
      return loading;
    },
    async reload() {
      loading = undefined;
      await entries.loaded();
    },
    stored: (key) => kept.get(entryKeyOf(key))?.entry,
    inFiles: (key) => files.get(entryKeyOf(key)),
    all() {
      const stored = [...kept].map(([key, one]) => [key, asEntry(one)] as const);
      return [...new Map([...files, ...stored]).values()];
    },
    manifests: () => withStored(config().fromManifests, [...kept.values()].map(asEntry)),
    plan: ({ put }) =>
      put.map(({ entry }) => {
        const { kind, name, persona } = entry;
        const key = entryKeyOf(entry);
        const [before, covered] = [kept.get(key), files.get(key)];
        const isSame = before !== undefined && sameJson(before.entry.manifest, entry.manifest);
        const change = isSame ? "unchanged" : before || covered ? "changed" : "added";
        return { kind, name, persona, change, covers: covered?.source ?? null };
      }),
    edit(edit, circumstances) {
      return inTurn(async () => {
        await readStored();
        return apply(edit, circumstances);
      });
    },
  };
  return entries;

  async function apply(edit: EntryEdit, circumstances: Omit<Circumstances, "revision">): Promise<EntryChange[]> {
    const planned = entries.plan(edit);
    const put = edit.put.filter((_, at) => planned[at]?.change !== "unchanged");
    const touched = [...put.map(({ entry }) => entry), ...edit.remove].map(entryKeyOf);
    const before = touched.map(inForce);
    const earlier = kept;
    const next = new Map(kept);
    for (const key of edit.remove) next.delete(entryKeyOf(key));
    for (const one of put) next.set(entryKeyOf(one.entry), one);
    announce(next);
    const leadsTo = { ...circumstances, revision: parts.revision() };
    const changes = touched.map((key, at) => {
      const after = inForce(key);
      const was = before[at];
      return toChange({ before: was ? describe(was) : null, after: after ? describe(after) : null }, leadsTo);
    });
    const edits: EntryEdits = { put: put.map(({ entry }) => entry), remove: edit.remove, changes };
    try {
      await (await store()).editEntries(edits);
    } catch (thrown) {
      announce(earlier);
      throw thrown;
    }
    return planned;
  }
}

function describe({ kind, manifest, source }: WrittenEntry): DescribedEntry {
  return describeEntry(kind, manifest, source, (value) => maskSecrets(value));
}

function keyOf({ kind, manifest: { name, persona } }: WrittenEntry): EntryKey {
  return { kind, name, persona: persona ?? null };
}

function asEntry({ entry: { kind }, manifest }: Kept): WrittenEntry {
  return { kind, manifest, source: storedSource };
}

/** An entry ready to be kept. */
export function toKept(kind: StoredEntry["kind"], manifest: CheckedManifest, user: string | null): Kept {
  const { name } = manifest;
  const persona = manifest.persona ?? null;
  const at = new Date().toISOString();
  return { entry: { kind, name, persona, manifest: asWritten(manifest), at, user }, manifest };
}

/** One that this version cannot use any more costs only itself. */
async function takeStored(entries: readonly StoredEntry[], environment: Environment): Promise<Map<string, Kept>> {
  const kept = new Map<string, Kept>();
  for (const entry of entries) {
    const { manifest, problems } = await checkEntry(entry.kind, entry.manifest, environment);
    if (manifest && problems.length === 0) kept.set(entryKeyOf(entry), { entry, manifest });
    else process.emitWarning(`The stored ${entry.kind} '${entry.name}' is not valid and is left out.`);
  }
  return kept;
}

/** What manifest files say about work, with what people set in its place. Tools are merged where they are published. */
function withStored(fromFiles: Manifests, stored: readonly WrittenEntry[]): Manifests {
  const merge = <T extends WrittenEntry["manifest"]>(kind: EntryKind, list: FromFile<T>[]): FromFile<T>[] => {
    const set = stored.filter((entry) => entry.kind === kind);
    const isSet = ({ name, persona }: T) =>
      set.some(({ manifest }) => manifest.name === name && manifest.persona === persona);
    const added = set.map(({ manifest, source }) => ({ ...(manifest as T), file: "", source }));
    return set.length === 0 ? list : [...list.filter((one) => !isSet(one)), ...added];
  };
  return {
    tools: fromFiles.tools,
    skills: merge("skill", fromFiles.skills),
    tasks: merge("task", fromFiles.tasks),
    jobs: merge("job", fromFiles.jobs),
  };
}
