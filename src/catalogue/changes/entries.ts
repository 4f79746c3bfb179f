import type { Environment } from "../../config/config.ts";
import { type CheckedManifest, checkManifestEntry } from "../../config/config.ts";
import { serialized } from "../../lib/async/once.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import { compareText } from "../../lib/text/wording.ts";
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

type StoredManifest = { entry: StoredEntry; manifest: CheckedManifest };
/** `isForAll`: what is put is for all configurations on the store. */
export type EntryEdit = {
  put: readonly StoredManifest[];
  remove: readonly EntryKey[];
  isForAll?: boolean;
};

export type EntryStore = ReturnType<typeof createEntryStore>;

/** Entries that people set while the plane runs, on top of those of the files. */
export function createEntryStore(ports: EntriesPorts) {
  const { store, environment, config, history } = ports;
  /** All that apply here; of one name the last one counts. */
  let applicable: readonly StoredManifest[] = [];
  let storedByKey = new Map<string, StoredManifest>();
  let files = new Map<string, WrittenEntry>();
  let loading: Promise<void> | undefined;

  const publish = (manifests: readonly StoredManifest[]) => {
    applicable = byCloseness(manifests, ports.configuration());
    storedByKey = new Map(applicable.map((stored) => [keyText(stored.entry), stored]));
    ports.publish(
      storedOf("tool", storedByKey).map(({ manifest }) => ({
        manifest: manifest as ToolManifest,
        // A yes that was given to a tool is to its source, too, so whom it is for is not part of it.
        source: storedSource,
      })),
    );
    ports.publishOverlays(
      storedOf("overlay", storedByKey).map(({ manifest }) => manifest as NamedOverlay),
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
    const stored = storedByKey.get(key);
    return stored ? asEntry(stored) : files.get(key);
  };
  const warnOfGone = createGoneNotice((server) => config().servers[server] !== undefined);
  const plan = (edit: EntryEdit): EntryChange[] =>
    owned(edit, ports.configuration()).put.map(({ entry }) =>
      prepareChange(entry, storedByKey.get(keyText(entry)), files.get(keyText(entry))),
    );
  // Serial: a read while an edit is being written would undo the edit.
  const readAndEdit = serialized(
    async (...edit: [] | [EntryEdit, Omit<Circumstances, "revision">]): Promise<EntryChange[]> => {
      const configuration = ports.configuration();
      const stored = await (await store()).entries();
      const applicableEntries = stored.filter((entry) => appliesHere(entry, configuration));
      warnOfGone(stored.filter((entry) => originOf(entry, configuration) === "gone"));
      publish(await checkStored(applicableEntries, environment));
      if (edit.length === 0) return [];
      const [requested, circumstances] = edit;
      const resolvedEdit = resolved(owned(requested, configuration), storedByKey);
      return applyEdit(resolvedEdit, circumstances, { plan, inForce, publish, applicable, ports });
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
    stored: (key: EntryKey) => storedByKey.get(keyText(key))?.entry,
    /** Does something else come into force when the stored one goes? */
    isCovering(key: EntryKey): boolean {
      const sameKey = applicable.filter(({ entry }) => keyText(entry) === keyText(key));
      return files.has(keyText(key)) || sameKey.length > 1;
    },
    /** Everything that is written by hand, also what does not apply here. */
    async listed(): Promise<EntryView[]> {
      await loaded();
      const configuration = ports.configuration();
      const stored = ports.outlivesUs
        ? await (await store()).entries()
        : applicable.map(({ entry }) => entry);
      const isInForce = (entry: StoredEntry) => {
        const effective = storedByKey.get(keyText(entry))?.entry;
        return effective !== undefined && sameJson(effective.files ?? null, entry.files ?? null);
      };
      const fileViews = [...files.values()].map((entry) =>
        viewOfFile(entry, !storedByKey.has(keyText(entryKey(entry)))),
      );
      const storeViews = stored.map((entry) =>
        viewOfStored(entry, isInForce(entry), configuration),
      );
      return [...storeViews, ...fileViews];
    },
    /** The entry of a file, even if a stored one covers it. */
    inFiles: (key: EntryKey) => files.get(keyText(key)),
    /** All hand-written entries in force, without those that a program registers. */
    all: (): WrittenEntry[] =>
      [...new Set([...files.keys(), ...storedByKey.keys()])].flatMap((key) => inForce(key) ?? []),
    /** What this configuration would take over of one whose files are gone. */
    async ofGone(file: string): Promise<EntryEdit> {
      const configuration = ports.configuration();
      const goneEntries = (await (await store()).entries()).filter(
        (entry) => entry.files?.includes(file) && originOf(entry, configuration) === "gone",
      );
      return { put: await checkStored(goneEntries, environment), remove: goneEntries };
    },
    manifests: () => withStored(config().fromManifests, [...storedByKey.values()].map(asEntry)),
    plan,
    /** All or nothing, effective at once, and stored before it is answered. */
    edit: (edit: EntryEdit, circumstances: Omit<Circumstances, "revision">) =>
      readAndEdit(edit, circumstances),
  };
}

type EditState = {
  plan(edit: EntryEdit): EntryChange[];
  inForce(key: string): WrittenEntry | undefined;
  publish(manifests: readonly StoredManifest[]): void;
  applicable: readonly StoredManifest[];
  ports: Pick<EntriesPorts, "store" | "revision">;
};

/** Effective before it is stored; undone if the store fails. */
async function applyEdit(
  edit: EntryEdit,
  circumstances: Omit<Circumstances, "revision">,
  { plan, inForce, publish, applicable, ports }: EditState,
): Promise<EntryChange[]> {
  const prepared = plan(edit);
  const put = edit.put.filter((_, index) => prepared[index]?.change !== "unchanged");
  const touchedKeys = [...put.map(({ entry }) => entry), ...edit.remove].map(keyText);
  const entriesBefore = touchedKeys.map(inForce);
  const replaced = new Set(
    [...put.map(({ entry }) => entry), ...edit.remove].map(keyTextWithFiles),
  );
  const untouched = applicable.filter(({ entry }) => !replaced.has(keyTextWithFiles(entry)));
  publish([...untouched, ...put]);
  const changeCircumstances = { ...circumstances, revision: ports.revision() };
  const describe = (entry: WrittenEntry | undefined) => (entry ? describeEntry(entry) : null);
  const changes = touchedKeys.map((key, index) =>
    toChange(
      { before: describe(entriesBefore[index]), after: describe(inForce(key)) },
      changeCircumstances,
    ),
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

function storedOf(
  kind: EntryKind,
  storedByKey: ReadonlyMap<string, StoredManifest>,
): StoredManifest[] {
  return [...storedByKey.values()].filter(({ entry }) => entry.kind === kind);
}

function sourceOf({ files }: StoredEntry): string {
  return files === undefined ? storedForAll : storedSource;
}

function keyTextWithFiles(key: EntryKey): string {
  return JSON.stringify([keyText(key), key.files ?? null]);
}

function byCloseness(
  stored: readonly StoredManifest[],
  configuration: Configuration,
): StoredManifest[] {
  const rank = ({ entry }: StoredManifest) => closenessOf(entry, configuration);
  return stored.toSorted((a, b) => rank(a) - rank(b) || compareText(a.entry.at, b.entry.at));
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
function resolved(edit: EntryEdit, storedByKey: ReadonlyMap<string, StoredManifest>): EntryEdit {
  const inForce = (key: EntryKey) => storedByKey.get(keyText(key))?.entry ?? key;
  return { ...edit, remove: edit.remove.map((key) => (key.files ? key : inForce(key))) };
}

function viewOfFile(entry: WrittenEntry, inForce: boolean): EntryView {
  const { kind, name, persona } = describeEntry(entry);
  const source = entry.source.replace("manifest:", "");
  const facts = { kind, name, persona, source, inForce };
  return { ...facts, origin: "here", files: [], at: null, by: null };
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
  const warnedFiles = new Set<string>();
  return (gone: readonly StoredEntry[]): void => {
    for (const { kind, name, files = [] } of gone) {
      const [file = ""] = files;
      const server = name.split(".", 1)[0] ?? "";
      if (kind !== "overlay" || warnedFiles.has(file) || !isServer(server)) continue;
      warnedFiles.add(file);
      process.emitWarning(
        `Overlays such as '${name}' belong to '${file}', which is gone, and do not apply here. ` +
          `'toolplane registry adopt ${file}' takes them over.`,
      );
    }
  };
}

function prepareChange(
  entry: StoredEntry,
  before: StoredManifest | undefined,
  covered: WrittenEntry | undefined,
): EntryChange {
  const { kind, name, persona } = entry;
  const change = changeKind(entry, before, covered);
  const isCoveringAll = before?.entry.files === undefined && entry.files !== undefined;
  const coveredStored = before && isCoveringAll ? storedForAll : null;
  return { kind, name, persona, change, covers: coveredStored ?? covered?.source ?? null };
}

function changeKind(
  entry: StoredEntry,
  before: StoredManifest | undefined,
  covered: WrittenEntry | undefined,
): EntryChange["change"] {
  if (before === undefined) return covered ? "changed" : "added";
  const isSame =
    keyTextWithFiles(before.entry) === keyTextWithFiles(entry) &&
    sameJson(before.entry.manifest, entry.manifest);
  return isSame ? "unchanged" : "changed";
}

function asEntry({ entry, manifest }: StoredManifest): WrittenEntry {
  return { kind: entry.kind, manifest, source: sourceOf(entry) };
}

export function toStoredManifest(
  kind: EntryKind,
  manifest: CheckedManifest,
  user: string | null,
): StoredManifest {
  const changedAt = new Date().toISOString();
  return {
    entry: { ...entryKey({ kind, manifest }), manifest: asWritten(manifest), at: changedAt, user },
    manifest,
  };
}

/** An entry that this version cannot use is left out alone. */
async function checkStored(
  entries: readonly StoredEntry[],
  environment: Environment,
): Promise<StoredManifest[]> {
  const usable: StoredManifest[] = [];
  for (const entry of entries) {
    const { manifest, problems } = await checkManifestEntry(
      entry.kind,
      entry.manifest,
      environment,
    );
    if (manifest && problems.length === 0) usable.push({ entry, manifest });
    else
      process.emitWarning(`The stored ${entry.kind} '${entry.name}' is not valid and is left out.`);
  }
  return usable;
}

/** Tools are merged where they are published. */
function withStored(fileManifests: Manifests, stored: readonly WrittenEntry[]): Manifests {
  const merge = <T extends WrittenEntry["manifest"]>(
    kind: EntryKind,
    list: FromFile<T>[],
  ): FromFile<T>[] => {
    const set = stored.filter((entry) => entry.kind === kind);
    if (set.length === 0) return list;
    const isSet = ({ name, persona }: T) =>
      set.some(({ manifest }) => manifest.name === name && manifest.persona === persona);
    const added = set.map(({ manifest, source }) => ({ ...(manifest as T), file: "", source }));
    return [...list.filter((manifest) => !isSet(manifest)), ...added];
  };
  return {
    tools: fileManifests.tools,
    skills: merge("skill", fileManifests.skills),
    tasks: merge("task", fileManifests.tasks),
    jobs: merge("job", fileManifests.jobs),
  };
}
