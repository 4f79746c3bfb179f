import { isRawJSON } from "../json/exact-numbers.ts";
import { createLru } from "../lru.ts";
import { plainText } from "./plain-text.ts";

const secretPart =
  /secret|passw|passphrase|credential|authorization|cookie|(?:api|access|private)key|token(?!i[sz])/;
const secretWords = new Set([
  "key",
  "keys",
  "pass",
  "pat",
  "pin",
  "pwd",
  "bearer",
  "signature",
  "sig",
]);

export function looksSecret(key: string): boolean {
  const nameParts = key
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "");
  if (nameParts.some((part) => secretWords.has(part)) || secretPart.test(nameParts.join("")))
    return true;
  // `auth` alone says how; BASIC_AUTH and auth_header say what.
  return nameParts.length > 1 && nameParts.includes("auth");
}

/** Words that go on with a sentence about a secret, and are none themselves: "token: must be a string". */
const prose = [
  "authentication|authorization|cannot|does|environment|expected|expired|given|have|invalid|looks|missing|must|needed|needs",
  "never|none|nothing|null|only|please|rejected|refused|required|revoked|scheme|should|string|that|there|this|token|tokens|undefined",
  "unknown|unset|value|values|variable|variables|what|when|where|which|will|with|without|wrong",
].join("|");
const noProse = String.raw`(?!(?<=\s)(?:${prose})(?![\w-]))`;

/** Lookbehinds are bounded, and a look at the next character comes before those that cost: they run at every place of a long text. */
const secretShapes = [
  // To its end, or to the end of what is left of it.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{8,}/g,
  /\b(?:gh[pousr]|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8,}/g,
  /\btp_[A-Za-z0-9_-]{20,}/g,
  /\bAKIA[0-9A-Z]{12,}/g,
  /\bAIza[0-9A-Za-z_-]{20,}/g,
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
  // What is encoded in base 64 has capitals inside, and an English word has none.
  /(?=[A-Za-z0-9._~+/=-])(?<=\b[Bb][Aa][Ss][Ii][Cc]\s{1,32})(?![A-Za-z][a-z]+(?![\w~+/=-]))[A-Za-z0-9._~+/=-]{8,}/g,
  RegExp(`(?=[A-Za-z0-9._~+/=-])(?<=\\bbearer\\s{1,32})${noProse}[A-Za-z0-9._~+/=-]{8,}`, "gi"),
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?:(?!-----).){0,16384}(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|$)/gs,
  // What a program prints of its arguments.
  RegExp(
    String.raw`(?=[^\s"'-])(?<=(?:^|\s)--?[\w-]{0,32}(?:key|token|secret|password|passwd|passphrase|pwd|credential)s?\s{1,8})${noProse}[^\s"'-][^\s"']{3,}`,
    "gi",
  ),
  // A quoted value may hold anything; JSON inside JSON has escaped quotes.
  /(?<=(?:key|token|secret|password|passwd|credential|authorization|cookie|(?<![a-z])pin)\\{0,16}["']?\s{0,32}[:=]\s{0,32}(\\{0,16}["']))(?!\1)(?:(?!\1).){1,512}(?=\1)/gi,
  RegExp(
    String.raw`(?=[^\s"',;&])(?<=(?:key|token|secret|password|passwd|credential|cookie)\\{0,16}["']?\s{0,32}[:=]\s{0,32}\\{0,16}["']?)${noProse}(?:[^\s"',;&\\]|\\(?!["'])){4,}`,
    "gi",
  ),
];

/** The second part is no condition: looking for it from every beginning would take the square of the text. */
const webToken = /\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?)?/g;

/** For text that leaves the wire it came on. */
export function redact(text: string): string {
  const shown = text.replaceAll(webToken, (token, signedPart?: string) =>
    signedPart === undefined ? token : "[redacted]",
  );
  return secretShapes.reduce((masked, shape) => masked.replaceAll(shape, "[redacted]"), shown);
}

/** Short ones are left: they would hide ordinary words. */
export function createHider(
  values: readonly (string | undefined)[],
  shortestSecret = 6,
): (text: string) => string {
  // Text is shown by line, so a secret of several lines is one in each.
  const lines = values.flatMap((value) => [value, ...(value?.split(/\r?\n/) ?? [])]);
  // Servers also print what they were given in other encodings.
  const encoded = lines.flatMap((value = "") => {
    const bytes = Buffer.from(value);
    if (value.length < shortestSecret) return [];
    return [
      value,
      encodeURIComponent(value),
      bytes.toString("base64"),
      bytes.toString("base64url"),
    ];
  });
  const secrets = [...new Set(encoded)].sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}

/** The end of a text stream, safe to print and to keep. */
export function createTextTail(limit: number): { add(text: string): void; text(): string } {
  let tail = "";
  let cut = false;
  return {
    add(text) {
      const fullText = tail + text;
      cut ||= fullText.length > limit;
      tail = fullText.slice(-limit);
    },
    // A cut word may be the end of a secret that no pattern matches any more.
    text: () => redact(plainText(cut ? tail.replace(/^\S*/, "") : tail)).trim(),
  };
}

/** Repeated texts are checked once. */
const maxRemembered = 10_000;
const maxRememberedLength = 200;
const remembered = createLru<string>(maxRemembered);

/** Names of our own. */
const ownNameByKey = new Map<string, boolean>();
const ownName = /^(?:id|at|type|kind|status|code|face)$|(?:Id|At|Hash)$/;

/** Returns the value itself where there is no secret. */
export function redactDeep<T>(value: T): T {
  return redactValue(value) as T;
}

function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redactOnce(value);
  if (typeof value !== "object" || value === null || isRawJSON(value)) return value;
  if (Array.isArray(value))
    return value.some((inner) => redactValue(inner) !== inner) ? value.map(redactValue) : value;
  // Copying costs more than looking, and most values hold no secret.
  let changed: Record<string, unknown> | undefined;
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    const redacted = typeof inner === "string" && isOwnName(key) ? inner : redactValue(inner);
    if (redacted === inner) continue;
    changed ??= { ...value };
    changed[key] = redacted;
  }
  return changed ?? value;
}

/** Also hides texts under names that look like one of a secret, and what `hide` knows. */
export function redactFields(
  value: unknown,
  hide: (text: string) => string,
  isSecret = looksSecret,
): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((inner) => redactFields(inner, hide, isSecret));
  if (typeof value !== "object" || value === null || isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (typeof inner === "string" && isSecret(key)) return [key, "[redacted]"];
      return [key, redactFields(inner, hide, isSecret)];
    }),
  );
}

function isOwnName(key: string): boolean {
  const isOwn = ownNameByKey.get(key) ?? ownName.test(key);
  if (ownNameByKey.size < maxRemembered) ownNameByKey.set(key, isOwn);
  return isOwn;
}

function redactOnce(text: string): string {
  if (text.length > maxRememberedLength) return redact(text);
  const rememberedText = remembered.get(text);
  if (rememberedText !== undefined) return rememberedText;
  const shown = redact(text);
  remembered.set(text, shown);
  return shown;
}
