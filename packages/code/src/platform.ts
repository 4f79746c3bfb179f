import { intl } from "./intl.ts";

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
