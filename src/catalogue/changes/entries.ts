import type { Environment } from "../../config/config.ts";
import { type CheckedManifest, checkManifestEntry } from "../../config/config.ts";
import { serialized } from "../../lib/async/once.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import type { EntryKey, EntryKind, StoredEntry } from "../../model/catalogue/change.ts";
import type { EntryChange, EntryView } from "../../model/catalogue/change-schema.ts";
import type { NamedOverlay, ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config, FromFile, Manifests } from "../../model/config/config.ts";
import type { Store } from "../../model/store.ts";
import type { HandWritten } from "../sources/hand-written.ts";
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
import { appliesHere, type Configuration, closenessOf, originOf, ownedBy } from "./entry-origin.ts";
import type { ChangeHistory } from "./history.ts";

/** The source of entries that people set while the plane runs. */
export const storedSource = "stored";
/** The same of those that are for all configurations on the store. */
export const storedForAll = "stored for all";

export function isStoredSource(source: string): boolean {
  return source === storedSource || source === storedForAll;
}

type EntriesPorts = {
  store(): Promise<Store>;
  /** Can the store hold entries of an earlier process? */
  outlivesUs: boolean;
  environment: Environment;
  config(): Config;
  configuration(): Configuration;
  revision(): number;
  history: Pick<ChangeHistory, "applied">;
  publish(tools: readonly HandWritten[]): void;
  publishOverlays(overlays: readonly NamedOverlay[]): void;
};

type Kept = { entry: StoredEntry; manifest: CheckedManifest };
/** `isForAll`: what is put is for all configurations on the store. */
export type EntryEdit = {
  put: readonly Kept[];
  remove: readonly EntryKey[];
  isForAll?: boolean;
};

export type EntryStore = ReturnType<typeof createEntryStore>;

/** Entries that people set while the plane runs, on top of those of the files. */
export function createEntryStore(ports: EntriesPorts) {
  const { store, environment, config, history } = ports;
  /** All that apply here; of one name the last one counts. */
  let applicable: readonly Kept[] = [];
  let kept = new Map<string, Kept>();
  let files = new Map<string, WrittenEntry>();
  let loading: Promise<void> | undefined;

  const publish = (next: readonly Kept[]) => {
    applicable = byCloseness(next, ports.configuration());
    kept = new Map(applicable.map((stored) => [keyText(stored.entry), stored]));
    ports.publish(
      storedOf("tool", kept).map((stored) => ({
        manifest: stored.manifest as ToolManifest,
        // A yes that was given to a tool is to its source, too, so whom it is for is not part of it.
        source: storedSource,
      })),
    );
    ports.publishOverlays(
      storedOf("overlay", kept).map(({ manifest }) => manifest as NamedOverlay),
    );
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
  const tellOfGone = createGoneNotice((server) => config().servers[server] !== undefined);
  const plan = (edit: EntryEdit): EntryChange[] =>
    owned(edit, ports.configuration()).put.map(({ entry }) =>
      prepareChange(entry, kept.get(keyText(entry)), files.get(keyText(entry))),
    );
  // Serial: a read while an edit is being written would undo the edit.
  const readAndEdit = serialized(
    async (...edit: [] | [EntryEdit, Omit<Circumstances, "revision">]): Promise<EntryChange[]> => {
      const configuration = ports.configuration();
      const stored = await (await store()).entries();
      const ours = stored.filter((entry) => appliesHere(entry, configuration));
      tellOfGone(stored.filter((entry) => originOf(entry, configuration) === "gone"));
      publish(await takeStored(ours, environment));
      if (edit.length === 0) return [];
      const [asked, circumstances] = edit;
      const meant = resolved(owned(asked, configuration), kept);
      return applyEdit(meant, circumstances, { plan, inForce, publish, applicable, ports });
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
    /** Does something else come into force when the stored one goes? */
    isCovering(key: EntryKey): boolean {
      const ofKey = applicable.filter(({ entry }) => keyText(entry) === keyText(key));
      return files.has(keyText(key)) || ofKey.length > 1;
    },
    /** Everything that is written by hand, also what does not apply here. */
    async listed(): Promise<EntryView[]> {
      await loaded();
      const configuration = ports.configuration();
      const stored = ports.outlivesUs
        ? await (await store()).entries()
        : applicable.map(({ entry }) => entry);
      const isInForce = (entry: StoredEntry) => {
        const counting = kept.get(keyText(entry))?.entry;
        return counting !== undefined && sameJson(counting.files ?? null, entry.files ?? null);
      };
      const ofFiles = [...files.values()].map((entry) =>
        viewOfFile(entry, !kept.has(keyText(entryKey(entry)))),
      );
      const ofStore = stored.map((entry) => viewOfStored(entry, isInForce(entry), configuration));
      return [...ofStore, ...ofFiles];
    },
    /** The entry of a file, even if a stored one covers it. */
    inFiles: (key: EntryKey) => files.get(keyText(key)),
    /** All hand-written entries in force, without those that a program registers. */
    all: (): WrittenEntry[] =>
      [...new Set([...files.keys(), ...kept.keys()])].flatMap((key) => inForce(key) ?? []),
    /** What this configuration would take over of one whose files are gone. */
    async ofGone(file: string): Promise<EntryEdit> {
      const configuration = ports.configuration();
      const theirs = (await (await store()).entries()).filter(
        (entry) => entry.files?.includes(file) && originOf(entry, configuration) === "gone",
      );
      return { put: await takeStored(theirs, environment), remove: theirs };
    },
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
  publish(next: readonly Kept[]): void;
  applicable: readonly Kept[];
  ports: Pick<EntriesPorts, "store" | "revision">;
};

/** Effective before it is stored; undone if the store fails. */
async function applyEdit(
  edit: EntryEdit,
  circumstances: Omit<Circumstances, "revision">,
  { plan, inForce, publish, applicable, ports }: EditState,
): Promise<EntryChange[]> {
  const prepared = plan(edit);
  const put = edit.put.filter((_, at) => prepared[at]?.change !== "unchanged");
  const touched = [...put.map(({ entry }) => entry), ...edit.remove].map(keyText);
  const before = touched.map(inForce);
  const replaced = new Set([...put.map(({ entry }) => entry), ...edit.remove].map(ownKeyText));
  const others = applicable.filter(({ entry }) => !replaced.has(ownKeyText(entry)));
  publish([...others, ...put]);
  const by = { ...circumstances, revision: ports.revision() };
  const described = (entry: WrittenEntry | undefined) => (entry ? describeEntry(entry) : null);
  const changes = touched.map((key, at) =>
    toChange({ before: described(before[at]), after: described(inForce(key)) }, by),
  );
  try {
    const store = await ports.store();
    await store.editEntries({ put: put.map(({ entry }) => entry), remove: edit.remove, changes });
  } catch (thrown) {
    publish(applicable);
    throw thrown;
  }
  return prepared;
}

function storedOf(kind: EntryKind, kept: ReadonlyMap<string, Kept>): Kept[] {
  return [...kept.values()].filter(({ entry }) => entry.kind === kind);
}

function sourceOf({ files }: StoredEntry): string {
  return files === undefined ? storedForAll : storedSource;
}

function ownKeyText(key: EntryKey): string {
  return JSON.stringify([keyText(key), key.files ?? null]);
}

function byCloseness(stored: readonly Kept[], configuration: Configuration): Kept[] {
  const rank = ({ entry }: Kept) => closenessOf(entry, configuration);
  return stored.toSorted(
    (one, other) => rank(one) - rank(other) || (one.entry.at < other.entry.at ? -1 : 1),
  );
}

/** What is put belongs to the configuration, unless it is for all. */
function owned(edit: EntryEdit, configuration: Configuration): EntryEdit {
  const files = edit.isForAll ? {} : ownedBy(configuration);
  const put = edit.put.map(({ entry: { files: _, ...entry }, manifest }) => ({
    entry: { ...entry, ...files },
    manifest,
  }));
  return { ...edit, put };
}

/** What is removed is the entry that counts. */
function resolved(edit: EntryEdit, kept: ReadonlyMap<string, Kept>): EntryEdit {
  const inForce = (key: EntryKey) => kept.get(keyText(key))?.entry ?? key;
  return { ...edit, remove: edit.remove.map((key) => (key.files ? key : inForce(key))) };
}

function viewOfFile(entry: WrittenEntry, inForce: boolean): EntryView {
  const { kind, name, persona } = describeEntry(entry);
  const source = entry.source.replace("manifest:", "");
  const written = { kind, name, persona, source, inForce };
  return { ...written, origin: "here", files: [], at: null, by: null };
}

function viewOfStored(
  entry: StoredEntry,
  inForce: boolean,
  configuration: Configuration,
): EntryView {
  const { kind, name, persona, at, user, files = [] } = entry;
  const origin = originOf(entry, configuration);
  const source = sourceOf(entry);
  return { kind, name, persona, origin, files: [...files], inForce, source, at, by: user };
}

/** Once for each configuration: an overlay may have guarded a tool, and its project may have been moved here. */
function createGoneNotice(isServer: (name: string) => boolean) {
  const known = new Set<string>();
  return (gone: readonly StoredEntry[]): void => {
    for (const { kind, name, files = [] } of gone) {
      const [file = ""] = files;
      const server = name.split(".", 1)[0] ?? "";
      if (kind !== "overlay" || known.has(file) || !isServer(server)) continue;
      known.add(file);
      process.emitWarning(
        `Overlays such as '${name}' belong to '${file}', which is gone, and do not apply here. ` +
          `'toolplane registry adopt ${file}' takes them over.`,
      );
    }
  };
}

function prepareChange(
  entry: StoredEntry,
  before: Kept | undefined,
  covered: WrittenEntry | undefined,
): EntryChange {
  const { kind, name, persona } = entry;
  const isSame =
    before !== undefined &&
    ownKeyText(before.entry) === ownKeyText(entry) &&
    sameJson(before.entry.manifest, entry.manifest);
  const change = isSame ? "unchanged" : before || covered ? "changed" : "added";
  const isCoveringAll = before?.entry.files === undefined && entry.files !== undefined;
  const coveredStored = before && isCoveringAll ? storedForAll : null;
  return { kind, name, persona, change, covers: coveredStored ?? covered?.source ?? null };
}

function asEntry({ entry, manifest }: Kept): WrittenEntry {
  return { kind: entry.kind, manifest, source: sourceOf(entry) };
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
): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (const entry of entries) {
    const { manifest, problems } = await checkManifestEntry(
      entry.kind,
      entry.manifest,
      environment,
    );
    if (manifest && problems.length === 0) kept.push({ entry, manifest });
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
