import type { Environment } from "../../config/config.ts";
import { type CheckedManifest, checkManifestEntry } from "../../config/config.ts";
import { serialized } from "../../lib/async/once.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import type { EntryKey, EntryKind, StoredEntry } from "../../model/catalogue/change.ts";
import type { EntryChange } from "../../model/catalogue/change-schema.ts";
import type { NamedOverlay, ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config, FromFile, Manifests } from "../../model/config/config.ts";
import type { Store } from "../../model/store.ts";
import {
  asWritten,
  type Circumstances,
  describeEntry,
  entriesInFiles,
  entryKey,
  keyText,
  toChange,
  type WrittenEntry,
} from "./entry.ts";
import type { ChangeHistory } from "./history.ts";

/** The source of entries that people set while the plane runs. */
export const storedSource = "stored";

type EntriesPorts = {
  store(): Promise<Store>;
  /** Can the store hold entries of an earlier process? */
  outlivesUs: boolean;
  environment: Environment;
  config(): Config;
  revision(): number;
  history: Pick<ChangeHistory, "applied">;
  publish(tools: readonly ToolManifest[]): void;
  publishOverlays(overlays: readonly NamedOverlay[]): void;
};

type Kept = { entry: StoredEntry; manifest: CheckedManifest };
export type EntryEdit = { put: readonly Kept[]; remove: readonly EntryKey[] };

export type EntryStore = ReturnType<typeof createEntryStore>;

/** Entries that people set while the plane runs, on top of those of the files. */
export function createEntryStore(ports: EntriesPorts) {
  const { store, environment, config, history } = ports;
  let kept = new Map<string, Kept>();
  let files = new Map<string, WrittenEntry>();
  let loading: Promise<void> | undefined;

  const publish = (next: Map<string, Kept>) => {
    kept = next;
    ports.publish(manifestsOf<ToolManifest>("tool", next));
    ports.publishOverlays(manifestsOf<NamedOverlay>("overlay", next));
  };
  const load = async () => {
    files = new Map(entriesInFiles(config()).map((entry) => [keyText(entryKey(entry)), entry]));
    history.applied(config().files, [...files.values()]);
    if (!ports.outlivesUs) return;
    // Deferred, so that a server that is about to be used starts before the store is opened.
    await new Promise(setImmediate);
    await readAndEdit();
  };
  const inForce = (key: string): WrittenEntry | undefined => {
    const stored = kept.get(key);
    return stored ? asEntry(stored) : files.get(key);
  };
  const plan = ({ put }: EntryEdit): EntryChange[] =>
    put.map(({ entry }) =>
      prepareChange(entry, kept.get(keyText(entry)), files.get(keyText(entry))),
    );
  // Serial: a read while an edit is being written would undo the edit.
  const readAndEdit = serialized(
    async (...edit: [] | [EntryEdit, Omit<Circumstances, "revision">]): Promise<EntryChange[]> => {
      publish(await takeStored(await (await store()).entries(), environment));
      return edit.length === 0 ? [] : applyEdit(...edit, { plan, inForce, publish, kept, ports });
    },
  );

  const loaded = () => {
    // Without its store a plane still has its files; the next caller tries again.
    loading ??= load().catch(() => {
      loading = undefined;
    });
    return loading;
  };

  return {
    /** Stored entries are in the catalogue, and the history knows the files. */
    loaded,
    /** The configuration changed, or another process changed the stored entries. */
    reload() {
      loading = undefined;
      return loaded();
    },
    stored: (key: EntryKey) => kept.get(keyText(key))?.entry,
    /** The entry of a file, even if a stored one covers it. */
    inFiles: (key: EntryKey) => files.get(keyText(key)),
    /** All hand-written entries in force, without those that a program registers. */
    all: (): WrittenEntry[] =>
      [...new Set([...files.keys(), ...kept.keys()])].flatMap((key) => inForce(key) ?? []),
    manifests: () => withStored(config().fromManifests, [...kept.values()].map(asEntry)),
    plan,
    /** All or nothing, effective at once, and stored before it is answered. */
    edit: (edit: EntryEdit, circumstances: Omit<Circumstances, "revision">) =>
      readAndEdit(edit, circumstances),
  };
}

type EditState = {
  plan(edit: EntryEdit): EntryChange[];
  inForce(key: string): WrittenEntry | undefined;
  publish(next: Map<string, Kept>): void;
  kept: Map<string, Kept>;
  ports: Pick<EntriesPorts, "store" | "revision">;
};

/** Effective before it is stored; undone if the store fails. */
async function applyEdit(
  edit: EntryEdit,
  circumstances: Omit<Circumstances, "revision">,
  { plan, inForce, publish, kept, ports }: EditState,
): Promise<EntryChange[]> {
  const prepared = plan(edit);
  const put = edit.put.filter((_, at) => prepared[at]?.change !== "unchanged");
  const touched = [...put.map(({ entry }) => entry), ...edit.remove].map(keyText);
  const before = touched.map(inForce);
  const next = new Map(kept);
  for (const key of edit.remove) next.delete(keyText(key));
  for (const one of put) next.set(keyText(one.entry), one);
  publish(next);
  const by = { ...circumstances, revision: ports.revision() };
  const described = (entry: WrittenEntry | undefined) => (entry ? describeEntry(entry) : null);
  const changes = touched.map((key, at) =>
    toChange({ before: described(before[at]), after: described(inForce(key)) }, by),
  );
  try {
    const store = await ports.store();
    await store.editEntries({ put: put.map(({ entry }) => entry), remove: edit.remove, changes });
  } catch (thrown) {
    publish(kept);
    throw thrown;
  }
  return prepared;
}

function manifestsOf<T>(kind: EntryKind, kept: ReadonlyMap<string, Kept>): T[] {
  return [...kept.values()]
    .filter(({ entry }) => entry.kind === kind)
    .map(({ manifest }) => manifest as T);
}

function prepareChange(
  entry: StoredEntry,
  before: Kept | undefined,
  covered: WrittenEntry | undefined,
): EntryChange {
  const { kind, name, persona } = entry;
  const isSame = before !== undefined && sameJson(before.entry.manifest, entry.manifest);
  const change = isSame ? "unchanged" : before || covered ? "changed" : "added";
  return { kind, name, persona, change, covers: covered?.source ?? null };
}

function asEntry({ entry: { kind }, manifest }: Kept): WrittenEntry {
  return { kind, manifest, source: storedSource };
}

export function toKept(kind: EntryKind, manifest: CheckedManifest, user: string | null): Kept {
  const at = new Date().toISOString();
  return {
    entry: { ...entryKey({ kind, manifest }), manifest: asWritten(manifest), at, user },
    manifest,
  };
}

/** An entry that this version cannot use is left out alone. */
async function takeStored(
  entries: readonly StoredEntry[],
  environment: Environment,
): Promise<Map<string, Kept>> {
  const kept = new Map<string, Kept>();
  for (const entry of entries) {
    const { manifest, problems } = await checkManifestEntry(
      entry.kind,
      entry.manifest,
      environment,
    );
    if (manifest && problems.length === 0) kept.set(keyText(entry), { entry, manifest });
    else
      process.emitWarning(`The stored ${entry.kind} '${entry.name}' is not valid and is left out.`);
  }
  return kept;
}

/** Tools are merged where they are published. */
function withStored(fromFiles: Manifests, stored: readonly WrittenEntry[]): Manifests {
  const merge = <T extends WrittenEntry["manifest"]>(
    kind: EntryKind,
    list: FromFile<T>[],
  ): FromFile<T>[] => {
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
