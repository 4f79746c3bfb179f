import { rmSync } from "node:fs";
import {
  followLinks,
  gatewayConfig,
  ownName,
  readBytes,
  valueAt,
  writeAtomically,
} from "../../../../src/config/editing.ts";
import { hashText, stableJson } from "../../../../src/lib/json/stable-json.ts";
import { mergeLines } from "../../../../src/lib/text/lines.ts";
import type { ClientDisconnection } from "../../../../src/model/config/setup.ts";
import type { Json, JsonObject, Path } from "../../../../src/model/json.ts";
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
  readonly place: ClientPlace;
  readonly text: ClientText;
  readonly record: ConnectionRecord | null;
  readonly #bytes: Buffer | null;
  readonly #backup: Buffer | null;

  constructor(place: ClientPlace) {
    this.place = place;
    this.#bytes = readBytes(place.path);
    this.text = ClientText.read(place, this.#bytes);
    this.record = readConnectionRecord(place.path);
    this.#backup = readBackup(place.path);
  }

  /** Our entry goes in, and the servers that moved go out. `receive` runs before they do. */
  async put(
    client: ClientName,
    server: JsonObject,
    more: readonly MovedServer[],
    receive: () => Promise<void>,
  ): Promise<void> {
    const { path } = this.place;
    const earlier = this.#earlier();
    const original = earlier?.original ?? this.#withoutGateway();
    const moved = [...(earlier?.record.moved ?? []), ...more];
    const made = withGateway(original, server, moved).text ?? "";
    const edited =
      !earlier || earlier.isUntouched ? made : withGateway(this.text, server, moved).text;
    if (!earlier) writeBackup(path, original.text === null ? null : Buffer.from(original.text));
    const existed = earlier ? earlier.record.existed : this.#bytes !== null;
    writeRecord(path, { version: 1, client, existed, server, moved, written: hashText(made) });
    await receive();
    writeAtomically(path, edited ?? "");
  }

  /** The file as it was without us, with what others have written into it since. */
  restore(): Restored {
    const { path } = this.place;
    const moved = this.record?.moved ?? [];
    if (
      this.#isWhole() &&
      (this.#bytes === null || hashText(this.#bytes) === this.record?.written)
    ) {
      this.#write(this.#backup);
      removeRecord(path);
      removeBackup(path);
      return {
        outcome: this.#backup === null ? "deleted" : "restored",
        missing: [],
        backup: null,
        moved,
      };
    }
    const original = ClientText.read(this.place, this.#backup);
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
    const original = ClientText.read(this.place, this.#backup);
    return { record, original, isUntouched: hashText(this.#bytes) === record.written };
  }

  /** An entry of ours that has no record is no part of what the file was. */
  #withoutGateway(): ClientText {
    return gatewayConfig(this.text.find(ownName)) === null ? this.text : this.text.take(ownName);
  }

  /** Is every server that was moved in the backup too? One that was added later is not. */
  #isWhole(): boolean {
    if (this.record === null || this.record.existed !== (this.#backup !== null)) return false;
    const original = ClientText.read(this.place, this.#backup);
    return this.record.moved.every(({ name, place }) => original.find(name, place) !== undefined);
  }

  #write(content: string | Buffer | null): void {
    const { path } = this.place;
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
    const byLines = lines === null ? null : new ClientText(this.place, lines);
    const isByLines = byLines !== null && meansTheSame(byLines, byValue);
    return { merged: isByLines ? byLines : byValue, isByLines };
  }

  #mergeValues(original: ClientText): ClientText {
    const moved = this.record?.moved ?? [];
    const now = moved.reduce(
      (text, { name, place, entry }) =>
        text.find(name, place) === undefined ? text.put(name, entry, place) : text,
      this.text,
    );
    const own = now.main;
    if (now.find(ownName, own) === undefined) return now;
    const previous = original.find(ownName, own);
    if (previous !== undefined && gatewayConfig(previous) === null)
      return now.put(ownName, previous as Json, own);
    const taken = now.take(ownName, own);
    return original.data === undefined && this.record === null
      ? taken
      : withoutEmpty(taken, own, original);
  }
}

function withGateway(
  text: ClientText,
  server: JsonObject,
  moved: readonly MovedServer[],
): ClientText {
  return moved.reduce((rest, { name, place }) => rest.take(name, place), text.put(ownName, server));
}

/** The maps around our entry were made for it when the original has none. */
function withoutEmpty(text: ClientText, own: Path, original: ClientText): ClientText {
  let result = text;
  for (let length = own.length; length > 0; length--) {
    const around = own.slice(0, length);
    const rest = valueAt(result.data, around);
    const isEmpty = typeof rest === "object" && rest !== null && Object.keys(rest).length === 0;
    if (isEmpty && valueAt(original.data, around) === undefined) result = result.without(around);
  }
  return result;
}

/** Lists of servers are compared by name: each way of merging puts them in an order of its own. */
function meansTheSame(one: ClientText, other: ClientText): boolean {
  const meaning = (text: ClientText) => {
    const places = text.places.filter((at) => Array.isArray(valueAt(text.data, at)));
    const byName = places.map((at) =>
      text.entries([at]).sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const rest = places.reduce((less, at) => less.without(at), text);
    return stableJson([byName, rest.data ?? null]);
  };
  try {
    return meaning(one) === meaning(other);
  } catch {
    return false;
  }
}

function missingServers(
  now: ClientText,
  original: ClientText,
  moved: readonly MovedServer[],
): ClientDisconnection["missing"] {
  const gone = original
    .entries(original.places.filter((at) => !isForFolder(at)))
    .filter(({ name, place }) => name !== ownName && now.find(name, place) === undefined)
    .map(({ name }) => ({ name, reason: "it was taken out while the client was connected" }));
  const taken = moved
    .filter(({ name, place, entry }) => stableJson(now.find(name, place)) !== stableJson(entry))
    .map(({ name }) => ({ name, reason: "another server has its name now" }));
  return [...gone, ...taken];
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
