/** Characters of what is computed with at once: these parts cannot be interrupted. */
const maxCharacters = 1024 * 1024;

/** As `createBlobs` makes them. */
const isBlobWord = /^blob:\d+$/;

type Compute = (...args: never[]) => unknown;
type Locales = string | string[];

const addressParts = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;

/** What each kind may be asked, beside making it. */
const intl: Readonly<Record<string, readonly string[]>> = {
  NumberFormat: ["format", "formatToParts", "formatRange"],
  DateTimeFormat: ["format", "formatToParts", "formatRange"],
  RelativeTimeFormat: ["format", "formatToParts"],
  ListFormat: ["format", "formatToParts"],
  PluralRules: ["select"],
  Collator: ["compare"],
  DisplayNames: ["of"],
  Segmenter: ["segment"],
};

/** Parts of the platform that the engine does not have. They only compute, and get and give plain values. */
const kinds: Readonly<Record<string, Compute>> = {
  parseUrl: (text: string, base: string | null) => describe(new URL(text, base ?? undefined)),
  changeUrl(href: string, part: (typeof addressParts)[number], value: string) {
    const url = new URL(href);
    if (part !== "origin") url[part] = value;
    return describe(url);
  },
  parseParams: (text: string) => [...new URLSearchParams(text)],
  renderParams: (pairs: [string, string][]) => new URLSearchParams(pairs).toString(),
  encode: (text: string) => [...new TextEncoder().encode(text)],
  encodingOf: (label: string) => new TextDecoder(label).encoding,
  decode: (bytes: number[], label: string, fatal: boolean) =>
    new TextDecoder(label, { fatal }).decode(Uint8Array.from(bytes)),
  toBase64: (text: string) => btoa(text),
  fromBase64(text: string) {
    if (isBlobWord.test(text))
      throw new TypeError(
        `'${text}' stands for data that stays outside of the program: give it to a tool, or return its block`,
      );
    return atob(text);
  },
  // The same everywhere, unless the program says otherwise.
  intl(
    kind: string,
    locales: Locales | null,
    options: object | null,
    method: string,
    values: unknown[],
  ) {
    if (method !== "resolvedOptions" && !intl[kind]?.includes(method))
      throw new TypeError(`Intl.${kind}.${method} is not here`);
    const formatOptions =
      kind === "DateTimeFormat" ? { timeZone: "UTC", ...options } : (options ?? {});
    const formatter = new (
      Reflect.get(Intl, kind) as new (
        locales: Locales,
        options: object,
      ) => object
    )(locales ?? "en-US", formatOptions);
    const formatted = (Reflect.get(formatter, method) as Compute).apply(
      formatter,
      values as never[],
    ) as unknown;
    if (method === "segment") return [...(formatted as Iterable<object>)];
    return formatted;
  },
  supportedLocales: (kind: string, locales: Locales) =>
    (Reflect.get(Intl, kind) as typeof Intl.NumberFormat).supportedLocalesOf(locales),
  canonicalLocales: (locales: Locales) => Intl.getCanonicalLocales(locales),
  supportedValues: (kind: Parameters<typeof Intl.supportedValuesOf>[0]) =>
    Intl.supportedValuesOf(kind),
  dateText(
    ms: number | null,
    part: "" | "Date" | "Time",
    locales: Locales | null,
    options: object | null,
  ) {
    return new Date(ms ?? Number.NaN)[`toLocale${part}String`](locales ?? "en-US", {
      timeZone: "UTC",
      ...options,
    });
  },
};

function describe(url: URL): Record<string, string> {
  return Object.fromEntries(addressParts.map((part) => [part, url[part]]));
}

/** Never throws: `{ value }`, or `{ error }` as the platform says it. */
export function compute(kind: string, json: string): string {
  try {
    if (json.length > maxCharacters)
      throw new RangeError(`${kind} takes at most ${maxCharacters / 1024 / 1024} MB of text`);
    const run = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    if (run === undefined) throw new TypeError(`${kind} is not here`);
    return JSON.stringify({ value: run(...(JSON.parse(json) as never[])) ?? null });
  } catch (thrown) {
    const { name, message } = thrown as Error;
    return JSON.stringify({ error: { name, message } });
  }
}

/**
 * Runs in the sandbox, before the program: what people expect of a platform, made from `compute`, from timers and from plain
 * JavaScript.
 */
export const platform = `(function (compute, ask, log) {
  const { parse, stringify } = JSON;
  const { Math, TypeError, RangeError, Error, Map, Set, Date, RegExp, Array, BigInt, Object, Uint8Array, ArrayBuffer, String, Number, Promise, Symbol } = globalThis;
  const ours = { TypeError, RangeError, Error };
  const host = (kind, ...args) => {
    const answer = parse(compute(kind, stringify(args)));
    if (answer.error === undefined) return answer.value;
    throw new (ours[answer.error.name] ?? Error)(answer.error.message);
  };

  class URLSearchParams {
    #pairs; #changed;
    constructor(init = "", changed) {
      this.#changed = changed;
      if (typeof init === "string") this.#pairs = host("parseParams", init);
      else if (init instanceof URLSearchParams) this.#pairs = [...init];
      else {
        const entries = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
        this.#pairs = entries.map(([name, value]) => [String(name), String(value)]);
      }
    }
    #set(pairs) { this.#pairs = pairs; this.#changed?.(this.toString()); }
    get size() { return this.#pairs.length; }
    get(name) { return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value); }
    has(name) { return this.#pairs.some(([key]) => key === String(name)); }
    append(name, value) { this.#set([...this.#pairs, [String(name), String(value)]]); }
    delete(name) { this.#set(this.#pairs.filter(([key]) => key !== String(name))); }
    set(name, value) {
      const firstIndex = this.#pairs.findIndex(([key]) => key === String(name));
      if (firstIndex < 0) return this.append(name, value);
      this.#set(this.#pairs.filter(([key], index) => index <= firstIndex || key !== String(name)).map((pair, index) => index === firstIndex ? [pair[0], String(value)] : pair));
    }
    sort() { this.#set(this.#pairs.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)); }
    forEach(act) { for (const [name, value] of this.#pairs) act(value, name, this); }
    keys() { return this.#pairs.map(([name]) => name)[Symbol.iterator](); }
    values() { return this.#pairs.map(([, value]) => value)[Symbol.iterator](); }
    entries() { return this.#pairs.map((pair) => [...pair])[Symbol.iterator](); }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return host("renderParams", this.#pairs); }
  }

  class URL {
    #parts; #params;
    constructor(text, base) { this.#parts = host("parseUrl", String(text), base === undefined ? null : String(base)); }
    static canParse(text, base) { try { new URL(text, base); return true; } catch { return false; } }
    static parse(text, base) { try { return new URL(text, base); } catch { return null; } }
    #part(name) { return this.#parts[name]; }
    #change(name, value) { this.#parts = host("changeUrl", this.#parts.href, name, String(value)); }
    static {
      for (const name of ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"])
        Object.defineProperty(URL.prototype, name, {
          get() { return this.#part(name); },
          set(value) { this.#change(name, value); this.#params = undefined; },
          enumerable: true,
        });
    }
    get origin() { return this.#parts.origin; }
    get searchParams() { return this.#params ??= new URLSearchParams(this.#parts.search, (text) => this.#change("search", text)); }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
  }

  class TextEncoder {
    encoding = "utf-8";
    encode(text = "") { return Uint8Array.from(host("encode", String(text))); }
  }
  class TextDecoder {
    #fatal;
    constructor(label = "utf-8", { fatal = false } = {}) {
      this.encoding = host("encodingOf", String(label));
      this.#fatal = fatal;
    }
    decode(bytes) {
      if (bytes === undefined) return "";
      const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return host("decode", Array.from(view), this.encoding, this.#fatal);
    }
  }

  const structuredClone = (value) => {
    const clones = new Map();
    const copy = (original) => {
      if (typeof original === "function" || typeof original === "symbol") throw new TypeError("A " + typeof original + " cannot be cloned");
      if (original === null || typeof original !== "object") return original;
      if (clones.has(original)) return clones.get(original);
      const keep = (clone) => (clones.set(original, clone), clone);
      if (original instanceof Promise) throw new TypeError("A promise cannot be cloned: put 'await' before it");
      if (original instanceof Date) return keep(new Date(original.getTime()));
      if (original instanceof RegExp) return keep(new RegExp(original.source, original.flags));
      if (original instanceof ArrayBuffer) return keep(original.slice(0));
      if (ArrayBuffer.isView(original)) return keep(new original.constructor(original));
      if (original instanceof Map) { const clone = keep(new Map()); for (const [key, item] of original) clone.set(copy(key), copy(item)); return clone; }
      if (original instanceof Set) { const clone = keep(new Set()); for (const item of original) clone.add(copy(item)); return clone; }
      if (original instanceof Error) { const clone = keep(new (ours[original.name] ?? Error)(original.message)); clone.name = original.name; clone.stack = original.stack; return clone; }
      const clone = keep(Array.isArray(original) ? [] : {});
      for (const key of Object.keys(original)) clone[key] = copy(original[key]);
      return clone;
    };
    return copy(value);
  };

  const plain = (value) => value instanceof Date ? value.getTime() : typeof value === "bigint" ? String(value) : value;
  const formatter = (kind, methods) => {
    class Made {
      #locales; #options;
      constructor(locales, options) { this.#locales = locales ?? null; this.#options = options ?? null; }
      static {
        for (const method of methods)
          // As the platform's own: it can be handed on, as in list.map(formatter.format).
          Object.defineProperty(this.prototype, method, { get() {
            return (...values) => host("intl", kind, this.#locales, this.#options, method, kind === "DateTimeFormat" && values[0] === undefined ? [Date.now()] : values.map(plain));
          } });
      }
      resolvedOptions() { return host("intl", kind, this.#locales, this.#options, "resolvedOptions", []); }
    }
    // Some are also called without 'new'.
    const made = function (locales, options) { return new Made(locales, options); };
    made.prototype = Made.prototype;
    made.supportedLocalesOf = (locales) => host("supportedLocales", kind, locales);
    return made;
  };
  const Intl = {
    getCanonicalLocales: (locales = []) => host("canonicalLocales", locales),
    supportedValuesOf: (kind) => host("supportedValues", String(kind)),
  };
  for (const [kind, methods] of ${JSON.stringify(Object.entries(intl))}) Intl[kind] = formatter(kind, methods);

  const replace = (prototype, name, value) => Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  for (const { prototype } of [Number, BigInt])
    replace(prototype, "toLocaleString", function (locales, options) {
      return host("intl", "NumberFormat", locales ?? null, options ?? null, "format", [plain(this.valueOf())]);
    });
  replace(Array, "fromAsync", async (source, map, self) => {
    const collected = [];
    const isWalked = source[Symbol.asyncIterator] !== undefined || source[Symbol.iterator] !== undefined;
    for await (const element of isWalked ? source : Array.from(source)) collected.push(map === undefined ? element : await map.call(self, element, collected.length));
    return collected;
  });
  for (const part of ["", "Date", "Time"])
    replace(Date.prototype, "toLocale" + part + "String", function (locales, options) {
      return host("dateText", this.getTime(), part, locales ?? null, options ?? null);
    });
  // Most names have plain letters: they need no crossing.
  const isPlain = /^[A-Za-z0-9]*$/;
  const order = (left, right) => left < right ? -1 : left > right ? 1 : 0;
  replace(String.prototype, "localeCompare", function (other, locales, options) {
    const [left, right] = [String(this), String(other)];
    if (locales !== undefined || options !== undefined || !isPlain.test(left) || !isPlain.test(right))
      return host("intl", "Collator", locales ?? null, options ?? null, "compare", [left, right]);
    return order(left.toLowerCase(), right.toLowerCase()) || order(right, left);
  });

  const timers = new Set();
  let last = 0;
  const run = (act, values) => {
    try { act(...values); } catch (error) { log("error", "A timer failed: " + error); }
  };
  const needsFunction = (act) => { if (typeof act !== "function") throw new TypeError("A timer takes a function"); };
  const setTimeout = (act, ms = 0, ...values) => {
    needsFunction(act);
    const id = ++last;
    timers.add(id);
    ask("sleep", Number(ms) || 0).then(() => { if (timers.delete(id)) run(act, values); });
    return id;
  };
  const setInterval = (act, ms = 0, ...values) => {
    needsFunction(act);
    const id = ++last;
    timers.add(id);
    const wait = () => ask("sleep", Number(ms) || 1).then(() => { if (timers.has(id)) { run(act, values); wait(); } });
    wait();
    return id;
  };
  const clear = (id) => void timers.delete(id);
  // Of the run, so that a program that is run again takes the same way.
  let [a, b, c, d] = [1, 2, 3, 4];
  const next = () => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  replace(Math, "random", () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992);
  const hex = (value) => value.toString(16).padStart(8, "0");
  const randomUUID = () => {
    const text = [next(), (next() & 0xffff0fff) | 0x4000, (next() & 0x3fffffff) | 0x80000000, next()].map((part) => hex(part >>> 0)).join("");
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
  };
  let origin = 0;
  const globals = {
    performance: Object.freeze({ now: () => Date.now() - origin }), crypto: Object.freeze({ randomUUID }),
    URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, Intl, setTimeout, setInterval,
    clearTimeout: clear, clearInterval: clear,
    queueMicrotask: (act) => { needsFunction(act); Promise.resolve().then(() => run(act, [])); },
    btoa: (text) => host("toBase64", String(text)), atob: (text) => host("fromBase64", String(text)),
  };
  for (const name of Object.keys(globals)) Object.defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
  return (seeds) => {
    [a, b, c, d] = seeds;
    for (let round = 0; round < 12; round++) next();
    origin = Date.now();
  };
})`;

/** For names that programs of other platforms have. */
export const missingNames: Readonly<Record<string, string>> = {
  fetch: "Programs reach the web through tools only: find one with search('fetch a page').",
  require: "Programs have no modules: what they use is a global, a tool or plain JavaScript.",
  process: "Programs have no process and no environment: values come from tools or from 'store'.",
  Buffer: "Use TextEncoder, TextDecoder, atob and btoa.",
  window: "Programs run in no browser.",
  document: "Programs run in no browser.",
  setImmediate: "Use setTimeout.",
  localStorage: "Values that the conversation keeps are in 'store'.",
  Headers: "Programs reach the web through tools only.",
  Blob: "Bytes are in a Uint8Array; large files stay outside, as handles.",
  FormData: "Programs reach the web through tools only.",
  EventTarget: "Use plain functions.",
  callTool: "Tools are functions: await tools.server.tool({ … }).",
  call_tool: "Tools are functions: await tools.server.tool({ … }).",
  mcp: "Tools are functions: await tools.server.tool({ … }).",
  module: "Programs have no modules: give the value with return.",
  exports: "Programs have no modules: give the value with return.",
};
