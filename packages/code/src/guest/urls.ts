import type { Globals, Host } from "./host.ts";

type Pair = [name: string, value: string];
type Parts = Record<string, string>;

/** `URL` and `URLSearchParams` of a program. */
export function createUrls(host: Host): Globals {
  const { Symbol, String, Object, Reflect } = globalThis;

  class URLSearchParams {
    #pairs: Pair[];
    readonly #changed: ((text: string) => void) | undefined;

    constructor(init: unknown = "", changed?: (text: string) => void) {
      this.#changed = changed;
      this.#pairs = typeof init === "string" ? host("parseParams", init) : pairsIn(init as object);
    }

    #set(pairs: Pair[]): void {
      this.#pairs = pairs;
      this.#changed?.(this.toString());
    }

    get size(): number {
      return this.#pairs.length;
    }

    get(name: unknown): string | null {
      return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null;
    }

    getAll(name: unknown): string[] {
      return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value);
    }

    has(name: unknown): boolean {
      return this.#pairs.some(([key]) => key === String(name));
    }

    append(name: unknown, value: unknown): void {
      this.#set([...this.#pairs, [String(name), String(value)]]);
    }

    delete(name: unknown): void {
      this.#set(this.#pairs.filter(([key]) => key !== String(name)));
    }

    set(name: unknown, value: unknown): void {
      const first = this.#pairs.findIndex(([key]) => key === String(name));
      if (first < 0) return this.append(name, value);
      const remaining = this.#pairs.filter(
        ([key], index) => index <= first || key !== String(name),
      );
      remaining[first] = [String(name), String(value)];
      this.#set(remaining);
    }

    sort(): void {
      this.#set(
        this.#pairs.toSorted(([a], [b]) => {
          if (a === b) return 0;
          return a < b ? -1 : 1;
        }),
      );
    }

    forEach(act: (value: string, name: string, params: URLSearchParams) => void): void {
      for (const [name, value] of this.#pairs) act(value, name, this);
    }

    keys() {
      return this.#pairs.map(([name]) => name)[Symbol.iterator]();
    }

    values() {
      return this.#pairs.map(([, value]) => value)[Symbol.iterator]();
    }

    entries() {
      return this.#pairs.map(([name, value]): Pair => [name, value])[Symbol.iterator]();
    }

    [Symbol.iterator]() {
      return this.entries();
    }

    toString(): string {
      return host("renderParams", this.#pairs);
    }
  }

  function pairsIn(init: object): Pair[] {
    if (init instanceof URLSearchParams) return [...init];
    const isList = typeof Reflect.get(init, Symbol.iterator) === "function";
    const entries = isList ? [...(init as Iterable<Pair>)] : Object.entries(init);
    return entries.map(([name, value]) => [String(name), String(value)]);
  }

  class URL {
    #parts: Parts;
    #params: URLSearchParams | undefined;

    constructor(text: unknown, base?: unknown) {
      this.#parts = host("parseUrl", String(text), base === undefined ? null : String(base));
    }

    static canParse(text: unknown, base?: unknown): boolean {
      return URL.parse(text, base) !== null;
    }

    static parse(text: unknown, base?: unknown): URL | null {
      try {
        return new URL(text, base);
      } catch {
        return null;
      }
    }

    #change(name: string, value: unknown): void {
      this.#parts = host("changeUrl", this.#parts.href, name, String(value));
    }

    static {
      const changeable = [
        "href",
        "protocol",
        "username",
        "password",
        "host",
        "hostname",
        "port",
        "pathname",
        "search",
        "hash",
      ];
      for (const name of changeable)
        Object.defineProperty(URL.prototype, name, {
          get(this: URL) {
            return this.#parts[name];
          },
          set(this: URL, value: unknown) {
            this.#change(name, value);
            this.#params = undefined;
          },
          enumerable: true,
        });
    }

    get origin(): string | undefined {
      return this.#parts.origin;
    }

    get searchParams(): URLSearchParams {
      this.#params ??= new URLSearchParams(this.#parts.search, (text) =>
        this.#change("search", text),
      );
      return this.#params;
    }

    toString(): string | undefined {
      return this.#parts.href;
    }

    toJSON(): string | undefined {
      return this.#parts.href;
    }
  }

  return { URL, URLSearchParams };
}
