import type { Host } from "./host.ts";

type Kinds = Readonly<Record<string, readonly string[]>>;
type Locales = string | string[] | undefined;
type Options = object | undefined;

/** `Intl` of a program, and the methods of dates, numbers and texts that ask it. */
export function createLocales(host: Host, kinds: Kinds) {
  const { Object, Date, Number, BigInt, String } = globalThis;

  function plain(value: unknown): unknown {
    if (value instanceof Date) return value.getTime();
    return typeof value === "bigint" ? String(value) : value;
  }

  function formatterOf(kind: string, methods: readonly string[]) {
    function shownValues(values: readonly unknown[]): readonly unknown[] {
      const isNow = kind === "DateTimeFormat" && values[0] === undefined;
      return isNow ? [Date.now()] : values.map(plain);
    }

    class Formatter {
      readonly #locales: Locales | null;
      readonly #options: object | null;

      constructor(locales: Locales, options: Options) {
        this.#locales = locales ?? null;
        this.#options = options ?? null;
      }

      static {
        // As the platform's own: it can be handed on, as in list.map(formatter.format).
        for (const method of methods)
          Object.defineProperty(Formatter.prototype, method, {
            get(this: Formatter) {
              return (...values: unknown[]) => this.#ask(method, shownValues(values));
            },
          });
      }

      #ask(method: string, values: readonly unknown[]): unknown {
        return host("intl", kind, this.#locales, this.#options, method, values);
      }

      resolvedOptions(): unknown {
        return this.#ask("resolvedOptions", []);
      }
    }
    // Some are also called without 'new'.
    function create(locales: Locales, options: Options) {
      return new Formatter(locales, options);
    }
    create.prototype = Formatter.prototype;
    create.supportedLocalesOf = (locales: Locales) => host("supportedLocales", kind, locales);
    return create;
  }

  function replace(prototype: object, name: string, value: unknown): void {
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  }

  for (const { prototype } of [Number, BigInt])
    replace(
      prototype,
      "toLocaleString",
      function (this: number | bigint, locales: Locales, options: Options) {
        const values = [plain(this.valueOf())];
        return host("intl", "NumberFormat", locales ?? null, options ?? null, "format", values);
      },
    );
  for (const part of ["", "Date", "Time"])
    replace(
      Date.prototype,
      `toLocale${part}String`,
      function (this: Date, locales: Locales, options: Options) {
        return host("dateText", this.getTime(), part, locales ?? null, options ?? null);
      },
    );

  // Most names have plain letters: they need no crossing.
  const isPlain = /^[A-Za-z0-9]*$/;

  function order(left: string, right: string): number {
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }

  replace(
    String.prototype,
    "localeCompare",
    function (this: string, other: unknown, locales: Locales, options: Options) {
      const [left, right] = [String(this), String(other)];
      const isSimple = locales === undefined && options === undefined;
      if (!isSimple || !isPlain.test(left) || !isPlain.test(right))
        return host("intl", "Collator", locales ?? null, options ?? null, "compare", [left, right]);
      return order(left.toLowerCase(), right.toLowerCase()) || order(right, left);
    },
  );

  const formatters = Object.entries(kinds).map(([kind, methods]) => [
    kind,
    formatterOf(kind, methods),
  ]);
  return {
    getCanonicalLocales: (locales: Locales = []) => host("canonicalLocales", locales),
    supportedValuesOf: (kind: unknown) => host("supportedValues", String(kind)),
    ...Object.fromEntries(formatters),
  };
}
