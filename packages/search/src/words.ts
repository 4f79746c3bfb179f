/** Called with every word, and with the joined form of a name such as `read_file` or `GitHub`. */
export type TakeWord = (word: string, isJoined: boolean) => void;

const maxWord = 40;
const separator = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const joiner = 4;
const ideograph = 5;

/** Splits at case, digits, underscores and non-letters; skips stop words. */
export function eachWord(text: string, take: TakeWord): void {
  const plain = normalize(text);
  let position = 0;
  while (position < plain.length) {
    const kind = kindAt(plain, position);
    if (kind === ideograph) position = takeIdeographs(plain, position, take);
    else if (kind === lower || kind === upper || kind === digit)
      position = takeRun(plain, position, take);
    else position += 1;
  }
}

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word, isJoined) => {
    if (!isJoined) words.push(word);
  });
  return words;
}

/** Letters and digits only: equal for two spellings of one name. */
export function joinWords(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "");
  return normalize(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Folds full-width forms, ligatures and accents. */
function normalize(text: string): string {
  if (isAscii.test(text)) return text;
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFKC");
}

const isAscii = /^[\0-\x7f]*$/;

/** A run of letters and digits with `_` and `-` between them: a name of several words. */
function takeRun(text: string, start: number, take: TakeWord): number {
  let parts: string[] | null = null;
  let partStart = start;
  let previousKind = kindAt(text, start);
  let position = start + 1;
  for (; position < text.length; position++) {
    const kind = kindAt(text, position);
    if (kind === separator || kind === ideograph) break;
    if (kind === previousKind && !(kind === upper && kindAt(text, position + 1) === lower))
      continue;
    // The capital that begins a word belongs to it: `HTTPServer` is two words, `Server` one.
    const isCapital = previousKind === upper && kind === lower;
    if (!isCapital) {
      parts ??= [];
      if (previousKind !== joiner) parts.push(text.slice(partStart, position));
      partStart = position;
    }
    previousKind = kind;
  }
  if (parts === null) takePart(text.slice(partStart, position), take);
  else {
    if (previousKind !== joiner) parts.push(text.slice(partStart, position));
    takeParts(parts, take);
  }
  return position;
}

function takePart(part: string, take: TakeWord): void {
  const word = part.toLowerCase();
  const isLong = word.length > 1 || (word >= "0" && word <= "9");
  if (isLong && word.length <= maxWord && !stopWords.has(word)) take(word, false);
}

function takeParts(parts: readonly string[], take: TakeWord): void {
  for (const part of parts) takePart(part, take);
  if (parts.length < 2) return;
  const joined = parts.join("").toLowerCase();
  if (joined.length > 1 && joined.length <= maxWord && !/^\d+$/.test(joined)) take(joined, true);
}

/** Chinese, Japanese and Korean have no spaces: every two characters are a word. */
function takeIdeographs(text: string, start: number, take: TakeWord): number {
  let end = start + 1;
  while (end < text.length && kindAt(text, end) === ideograph) end++;
  if (end - start === 1) take(text.slice(start, end), false);
  for (let position = start; position + 2 <= end; position++)
    take(text.slice(position, position + 2), false);
  return end;
}

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  if (/[0-9]/.test(character)) return digit;
  return character === "_" || character === "-" ? joiner : separator;
});

/** By code: 2 for what begins a run of letters and digits, 1 for what may be within one. */
export const runKinds = asciiKinds.map((kind) => {
  if (kind === separator) return 0;
  return kind === joiner ? 1 : 2;
});

function kindAt(text: string, position: number): number {
  const code = text.charCodeAt(position);
  if (code < 128) return asciiKinds[code] as number;
  return Number.isNaN(code) ? separator : foreignKind(code, text, position);
}

function foreignKind(code: number, text: string, position: number): number {
  if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)) return ideograph;
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff;
  const character = String.fromCodePoint(
    text.codePointAt(isSecondHalf ? position - 1 : position) ?? code,
  );
  if (/\p{N}/u.test(character)) return digit;
  if (!/[\p{L}\p{M}]/u.test(character)) return separator;
  return /\p{Lu}/u.test(character) ? upper : lower;
}

const functionWords = `
  a an the this that these those such same other another each every either neither both all any some few many much more
  most least less no not none nor only own
  i me my mine myself you your yours yourself we us our ours he him his she her hers it its they them their theirs
  who whom whose which what when where why how
  am is are was were be been being do does did done doing have has had having
  can could may might must shall should will would
  and or but if then else than so because while although though unless until whether
  of to in on at by for from with without into onto upon about above below over under between among through during before
  after since against across along toward towards within via per as up down out off again further once here there
  now just also too very really quite rather still yet already even ever never always often
  please help want wants need needs like let lets make makes give gives given tell show using use uses used way ways
  thing things something anything someone anyone etc eg ie
`;

/** Meaningless in a query about tools; in a name they may be all there is. */
const emptyInQueries = `
  tool tools server servers mcp api apis function functions service services platform provider available
`;

const stopWords = asSet(functionWords);
const emptyWords = asSet(emptyInQueries);

export function isEmptyInQueries(word: string): boolean {
  return emptyWords.has(word);
}

function asSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
