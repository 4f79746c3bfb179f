import {
  decode,
  parseFileData,
  readBytes,
  removeFromText,
  setInText,
  valueAt,
} from "@toolplane/core/config/editing";
import { isObject, type Json, listOrEmpty, type Path } from "@toolplane/core/model/json";
import type { ClientPlace } from "./client-files.ts";

export type ClientEntry = { name: string; entry: unknown; section: Path };

/** The text of a client's file and the servers in it. A change gives another text; nothing is written. */
export class ClientText {
  readonly file: ClientPlace;
  /** Null where there is no file. */
  readonly text: string | null;
  #data: { value: unknown } | undefined;

  constructor(file: ClientPlace, text: string | null) {
    this.file = file;
    this.text = text;
  }

  static read(file: ClientPlace, bytes: Buffer | null = readBytes(file.path)): ClientText {
    return new ClientText(file, bytes === null ? null : decode(file.path, bytes));
  }

  /** Undefined where it holds nothing. */
  get data(): unknown {
    const { file, text } = this;
    this.#data ??= {
      value: text === null || text === "" ? undefined : parseFileData(file.path, Buffer.from(text)),
    };
    return this.#data.value;
  }

  /** The places that count: where a deeper one holds servers, the one around it does not. */
  get places(): readonly Path[] {
    const { places } = this.file;
    const holds = (section: Path) => isObject(valueAt(this.data, section));
    const isInside = (inner: Path, outer: Path) =>
      inner.length > outer.length && outer.every((key, depth) => inner[depth] === key);
    const covered = places.filter((outer) =>
      places.some((inner) => isInside(inner, outer) && holds(inner)),
    );
    const idle = places.filter((inner) =>
      places.some((outer) => isInside(inner, outer) && !holds(inner)),
    );
    return places.filter((section) => !covered.includes(section) && !idle.includes(section));
  }

  /** For new servers, and for ours. */
  get main(): Path {
    const [section] = this.places;
    if (section === undefined) throw new Error(`no place for servers in ${this.file.path}`);
    return section;
  }

  entries(places: readonly Path[] = this.places): ClientEntry[] {
    return places.flatMap((section) => {
      const servers = valueAt(this.data, section);
      if (isObject(servers))
        return Object.entries(servers).map(([name, entry]) => ({ name, entry, section }));
      if (!Array.isArray(servers)) return [];
      return servers.flatMap((entry: unknown) => {
        if (!isObject(entry) || typeof entry.name !== "string") return [];
        return { name: entry.name, entry, section };
      });
    });
  }

  find(name: string, section: Path = this.main): unknown {
    return this.entries([section]).findLast((server) => server.name === name)?.entry;
  }

  put(name: string, entry: Json, section: Path = this.main): ClientText {
    return this.#with(
      setInText(this.file.path, this.text ?? "", this.#pathOf(name, section), entry),
    );
  }

  take(name: string, section: Path = this.main): ClientText {
    if (this.find(name, section) === undefined) return this;
    return this.without(this.#pathOf(name, section));
  }

  without(path: Path): ClientText {
    return this.#with(removeFromText(this.file.path, this.text ?? "", path) ?? this.text);
  }

  #with(text: string | null): ClientText {
    return new ClientText(this.file, text);
  }

  #pathOf(name: string, section: Path): Path {
    const servers = valueAt(this.data, section);
    if (!Array.isArray(servers) && !(this.file.isList && (servers ?? null) === null))
      return [...section, name];
    const list = listOrEmpty(servers);
    const index = list.findLastIndex((entry) => isObject(entry) && entry.name === name);
    return [...section, index === -1 ? list.length : index];
  }
}

export function isForFolder(section: Path): boolean {
  return section[0] === "projects";
}
