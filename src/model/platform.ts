/**
 * Platform types as the using program knows them (Node's or the DOM's), so that the declarations need no `types`
 * setting.
 */
type Platform<Name extends string, Otherwise> =
  typeof globalThis extends Readonly<Record<Name, { prototype: infer Known }>> ? Known : Otherwise;

/** `new AbortController().signal`, or `AbortSignal.timeout(ms)`. */
export type AbortSignal = Platform<
  "AbortSignal",
  {
    readonly aborted: boolean;
    readonly reason: unknown;
    throwIfAborted(): void;
    addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
    removeEventListener(type: "abort", listener: () => void): void;
  }
>;

export type URL = Platform<"URL", { readonly href: string; toString(): string }>;

export type URLSearchParams = Platform<"URLSearchParams", { get(name: string): string | null }>;
