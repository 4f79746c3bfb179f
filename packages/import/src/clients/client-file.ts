import { rmSync } from "node:fs";
import {
  followLinks,
  gatewayConfigFiles,
  ownName,
  readBytes,
  valueAt,
  writeAtomically,
} from "@toolplane/core/config/editing";
import { hashText, stableJson } from "@toolplane/core/lib/json/stable-json";
import { mergeLines } from "@toolplane/core/lib/text/lines";
import { compareText } from "@toolplane/core/lib/text/wording";
import type { ClientDisconnection } from "@toolplane/core/model/config/setup";
import type { Json, JsonObject, Path } from "@toolplane/core/model/json";
import type { ClientPlace } from "./client-files.ts";
import { ClientText, isForFolder } from "./client-text.ts";
import type { ClientName } from "./clients.ts";
import {
  backupPath,
  type ConnectionRecord,
  type MovedServer,
  readBackup,
  readConnectionRecord,
  removeBackup,
  removeRecord,
  writeBackup,
  writeRecord,
} from "./connection-record.ts";

export type Restored = Pick<ClientDisconnection, "outcome" | "missing" | "backup"> & {
  moved: MovedServer[];
};

/** A client's file as it is now, with the record and the backup that lead back to what it was without us. */
export class ClientFile {
  readonly file: ClientPlace;
  readonly text: ClientText;
  readonly record: ConnectionRecord | null;
  readonly #bytes: Buffer | null;
  readonly #backup: Buffer | null;

  constructor(file: ClientPlace) {
    this.file = file;
    this.#bytes = readBytes(file.path);
    this.text = ClientText.read(file, this.#bytes);
    this.record = readConnectionRecord(file.path);
    this.#backup = readBackup(file.path);
  }

  /** Our entry goes in, and the servers that moved go out. `receive` runs before they do. */
  async put(
    client: ClientName,
    server: JsonObject,
    added: readonly MovedServer[],
    receive: () => Promise<void>,
  ): Promise<void> {
    const { path } = this.file;
    const earlier = this.#earlier();
    const original = earlier?.original ?? this.#withoutGateway();
    const moved = [...(earlier?.record.moved ?? []), ...added];
    const writtenText = withGateway(original, server, moved).text ?? "";
    const edited =
      !earlier || earlier.isUntouched ? writtenText : withGateway(this.text, server, moved).text;
    if (!earlier) writeBackup(path, original.text === null ? null : Buffer.from(original.text));
    const existed = earlier ? earlier.record.existed : this.#bytes !== null;
    writeRecord(path, {
      version: 1,
      client,
      existed,
      server,
      moved,
      written: hashText(writtenText),
    });
    await receive();
    writeAtomically(path, edited ?? "");
  }

  /** The file as it was without us, with what others have written into it since. */
  restore(): Restored {
    const { path } = this.file;
    const moved = this.record?.moved ?? [];
    if (
      this.#isWhole() &&
      (this.#bytes === null || hashText(this.#bytes) === this.record?.written)
    ) {
      this.#write(this.#backup);
      removeRecord(path);
      removeBackup(path);
      const outcome = this.#backup === null ? "deleted" : "restored";
      return { outcome, missing: [], backup: null, moved };
    }
    const original = ClientText.read(this.file, this.#backup);
    const { merged, isByLines } = this.#merge(original);
    const isGone = this.record?.existed === false && /^\s*(\{\s*\}\s*)?$/.test(merged.text ?? "");
    this.#write(isGone ? null : (merged.text ?? ""));
    const missing = missingServers(merged, original, moved);
    removeRecord(path);
    // What the backup alone has must not go with it.
    const isKept =
      original.text !== null &&
      (missing.length > 0 || (!isByLines && hasComments(path, original.text)));
    if (!isKept) removeBackup(path);
    return {
      outcome: isGone ? "deleted" : "merged",
      missing,
      backup: isKept ? backupPath(path) : null,
      moved,
    };
  }

  /** The connection that a new one goes on with; without our entry the earlier one was ended by hand. */
  #earlier() {
    const { record, text } = this;
    if (record === null || this.#bytes === null || text.find(ownName) === undefined) return null;
    if (record.existed && this.#backup === null) return null;
    const original = ClientText.read(this.file, this.#backup);
    return { record, original, isUntouched: hashText(this.#bytes) === record.written };
  }

  /** An entry of ours that has no record is no part of what the file was. */
  #withoutGateway(): ClientText {
    if (gatewayConfigFiles(this.text.find(ownName)) === null) return this.text;
    return this.text.take(ownName);
  }

  /** Is every server that was moved in the backup too? One that was added later is not. */
  #isWhole(): boolean {
    if (this.record === null || this.record.existed !== (this.#backup !== null)) return false;
    const original = ClientText.read(this.file, this.#backup);
    return this.record.moved.every(
      ({ name, place: section }) => original.find(name, section) !== undefined,
    );
  }

  #write(content: string | Buffer | null): void {
    const { path } = this.file;
    if (content === null) rmSync(followLinks(path), { force: true });
    else writeAtomically(path, content);
  }

  /** What we did to the original is undone in the text of today: line by line where that works, else by value. */
  #merge(original: ClientText): { merged: ClientText; isByLines: boolean } {
    const byValue = this.#mergeValues(original);
    if (this.record === null || original.text === null)
      return { merged: byValue, isByLines: false };
    const ours = withGateway(original, this.record.server, this.record.moved).text ?? "";
    const lines = mergeLines(ours, this.text.text ?? "", original.text);
    if (lines === null) return { merged: byValue, isByLines: false };
    const byLines = new ClientText(this.file, lines);
    if (meansTheSame(byLines, byValue)) return { merged: byLines, isByLines: true };
    return { merged: byValue, isByLines: false };
  }

  #mergeValues(original: ClientText): ClientText {
    let restored = this.text;
    for (const { name, place: section, entry } of this.record?.moved ?? [])
      if (restored.find(name, section) === undefined) restored = restored.put(name, entry, section);
    const ownSection = restored.main;
    if (restored.find(ownName, ownSection) === undefined) return restored;
    const previous = original.find(ownName, ownSection);
    if (previous !== undefined && gatewayConfigFiles(previous) === null)
      return restored.put(ownName, previous as Json, ownSection);
    const withoutOwn = restored.take(ownName, ownSection);
    if (original.data === undefined && this.record === null) return withoutOwn;
    return withoutEmptyMaps(withoutOwn, ownSection, original);
  }
}

function withGateway(
  text: ClientText,
  server: JsonObject,
  moved: readonly MovedServer[],
): ClientText {
  return moved.reduce(
    (remaining, { name, place: section }) => remaining.take(name, section),
    text.put(ownName, server),
  );
}

/** The maps around our entry were made for it when the original has none. */
function withoutEmptyMaps(text: ClientText, ownSection: Path, original: ClientText): ClientText {
  let trimmed = text;
  for (let length = ownSection.length; length > 0; length--) {
    const outer = ownSection.slice(0, length);
    const contents = valueAt(trimmed.data, outer);
    const isEmpty =
      typeof contents === "object" && contents !== null && Object.keys(contents).length === 0;
    if (isEmpty && valueAt(original.data, outer) === undefined) trimmed = trimmed.without(outer);
  }
  return trimmed;
}

/** Lists of servers are compared by name: each way of merging puts them in an order of its own. */
function meansTheSame(first: ClientText, second: ClientText): boolean {
  const meaning = (text: ClientText) => {
    const places = text.places.filter((section) => Array.isArray(valueAt(text.data, section)));
    const byName = places.map((section) =>
      text.entries([section]).sort((a, b) => compareText(a.name, b.name)),
    );
    const remainder = places.reduce((reduced, section) => reduced.without(section), text);
    return stableJson([byName, remainder.data ?? null]);
  };
  try {
    return meaning(first) === meaning(second);
  } catch {
    return false;
  }
}

function missingServers(
  merged: ClientText,
  original: ClientText,
  moved: readonly MovedServer[],
): ClientDisconnection["missing"] {
  const removed = original
    .entries(original.places.filter((section) => !isForFolder(section)))
    .filter(({ name, section }) => name !== ownName && merged.find(name, section) === undefined)
    .map(({ name }) => ({ name, reason: "it was taken out while the client was connected" }));
  const replaced = moved
    .filter(
      ({ name, place: section, entry }) =>
        stableJson(merged.find(name, section)) !== stableJson(entry),
    )
    .map(({ name }) => ({ name, reason: "another server has its name now" }));
  return [...removed, ...replaced];
}

/** Values that were put back have lost the comments among them. */
function hasComments(path: string, text: string): boolean {
  if (/\.(toml|ya?ml)$/i.test(path)) return text.includes("#");
  try {
    JSON.parse(text.replace(/^\ufeff/, "") || "null");
    return false;
  } catch {
    return true;
  }
}
