import { ownField } from "../json/plain-data.ts";

/** A pattern of JavaScript in the syntax of RE2; null for what RE2 cannot say. The pattern is valid in its mode. */
export function toLinearSyntax(pattern: string, isUnicode: boolean): string | null {
  try {
    return new PatternReader(pattern, isUnicode).readAll();
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return null;
    throw thrown;
  }
}

/** Look-around, back-references, and what would mean something else to the other engine. */
class Inexpressible extends Error {}

type Flags = { ignoreCase: boolean; dotAll: boolean };

/** Ranges of characters, as they stand within brackets. */
const spaces =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const noSpaces =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const classes: Record<string, string> = {
  d: "0-9",
  D: "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}",
  w: "0-9A-Z_a-z",
  W: "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}",
  s: spaces,
  S: noSpaces,
};
const controls: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** RE2 has short names of categories and long names of scripts. */
const categories: Record<string, string> = {
  Letter: "L",
  Cased_Letter: "LC",
  Uppercase_Letter: "Lu",
  Lowercase_Letter: "Ll",
  Titlecase_Letter: "Lt",
  Modifier_Letter: "Lm",
  Other_Letter: "Lo",
  Mark: "M",
  Combining_Mark: "M",
  Nonspacing_Mark: "Mn",
  Spacing_Mark: "Mc",
  Enclosing_Mark: "Me",
  Number: "N",
  Decimal_Number: "Nd",
  digit: "Nd",
  Letter_Number: "Nl",
  Other_Number: "No",
  Punctuation: "P",
  punct: "P",
  Connector_Punctuation: "Pc",
  Dash_Punctuation: "Pd",
  Open_Punctuation: "Ps",
  Close_Punctuation: "Pe",
  Initial_Punctuation: "Pi",
  Final_Punctuation: "Pf",
  Other_Punctuation: "Po",
  Symbol: "S",
  Math_Symbol: "Sm",
  Currency_Symbol: "Sc",
  Modifier_Symbol: "Sk",
  Other_Symbol: "So",
  Separator: "Z",
  Space_Separator: "Zs",
  Line_Separator: "Zl",
  Paragraph_Separator: "Zp",
  Other: "C",
  Control: "Cc",
  cntrl: "Cc",
  Format: "Cf",
  Surrogate: "Cs",
  Private_Use: "Co",
  Unassigned: "Cn",
  Alpha: "Alphabetic",
  Lower: "Lowercase",
  Upper: "Uppercase",
  space: "White_Space",
};

const quantifier = /\{(\d+)(?:,(\d*))?\}/y;
const modifiers = /\(\?([ims]*)(?:-([ims]*))?:/y;
const groupName = /\(\?<[^>=!]+>/y;
const property = /\\([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}/y;
const hexadecimal = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|u\{([\dA-Fa-f]+)\})/y;
const lowSurrogate = /\\u([dD][c-fC-F][\dA-Fa-f]{2})/y;
const plainHexadecimal = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4}))/y;
const control = /\\c([A-Za-z])/y;
const lastCharacter = 0x10ffff;
/** RE2 takes some 10 µs to compile each: more would hold the plane. */
const maxTerms = 5_000;
const termsOfProperty = 20;
const maxLength = 50_000;

class PatternReader {
  readonly #pattern: string;
  readonly #isUnicode: boolean;
  #position = 0;
  #flags: Flags = { ignoreCase: false, dotAll: false };
  /** The flags around each open group. */
  readonly #outerFlags: Flags[] = [];
  /** Terms before each open group, in the group at hand, and in its last term, with their repetitions. */
  readonly #outerTerms: number[] = [];
  #terms = 0;
  #lastTerms = 0;

  constructor(pattern: string, isUnicode: boolean) {
    this.#pattern = pattern;
    this.#isUnicode = isUnicode;
  }

  readAll(): string {
    if (this.#pattern.length > maxLength) throw new Inexpressible();
    let written = "";
    while (this.#position < this.#pattern.length) written += this.#readTerm();
    return written === "" ? "(?:)" : written;
  }

  #readTerm(): string {
    const letter = this.#pattern[this.#position] as string;
    if (letter === "(") return this.#readGroup();
    if (letter === ")") return this.#closeGroup();
    const repeated = letter === "{" ? this.#take(quantifier) : null;
    if (repeated !== null) return this.#repeat(repeated);
    this.#addTerms(1);
    if (letter === "[") return this.#readClass();
    if (letter === "\\") return this.#readEscape();
    if (letter === ".") return this.#readDot();
    if (!"^$|*+?".includes(letter)) return spell(this.#takeCharacter());
    this.#position += 1;
    return letter;
  }

  #addTerms(count: number): void {
    this.#terms += count;
    this.#lastTerms = count;
    if (this.#terms > maxTerms) throw new Inexpressible();
  }

  #repeat([text, min = "", max = min]: RegExpExecArray): string {
    const times = Math.max(1, Number(min), Number(max));
    const repeatedTerms = this.#lastTerms * times;
    this.#terms -= this.#lastTerms;
    this.#addTerms(repeatedTerms);
    return text;
  }

  #closeGroup(): string {
    this.#position += 1;
    this.#flags = this.#outerFlags.pop() ?? this.#flags;
    const inGroup = this.#terms;
    this.#terms = this.#outerTerms.pop() ?? 0;
    this.#addTerms(inGroup + 1);
    return ")";
  }

  #readDot(): string {
    this.#position += 1;
    return this.#flags.dotAll ? "(?s:.)" : "[^\\x{a}\\x{d}\\x{2028}\\x{2029}]";
  }

  #readGroup(): string {
    this.#outerFlags.push(this.#flags);
    this.#outerTerms.push(this.#terms);
    this.#terms = 0;
    const changed = this.#take(modifiers);
    if (changed === null) {
      const isNamed = this.#take(groupName) !== null;
      if (isNamed) return "(?:";
      this.#position += 1;
      // Of the other groups that begin so, none is left that RE2 has.
      if (this.#pattern[this.#position] === "?") throw new Inexpressible();
      return "(?:";
    }
    const [, added = "", removed = ""] = changed;
    // Without `u`, case is folded by other rules.
    const isFoldedOtherwise = added.includes("i") && !this.#isUnicode;
    if (added.includes("m") || isFoldedOtherwise) throw new Inexpressible();
    this.#flags = {
      ignoreCase: isFlagOn(this.#flags.ignoreCase, "i", added, removed),
      dotAll: isFlagOn(this.#flags.dotAll, "s", added, removed),
    };
    return this.#flags.ignoreCase ? "(?i:" : "(?-i:";
  }

  #readEscape(): string {
    const letter = this.#pattern[this.#position + 1] ?? "";
    if (letter === "b" || letter === "B") {
      // Two letters beyond ASCII are letters of words then.
      if (this.#flags.ignoreCase) throw new Inexpressible();
      this.#position += 2;
      return `\\${letter}`;
    }
    const ranges = this.#readRanges();
    if (ranges === null) return spell(this.#readCharacter());
    return `[${ranges}]`;
  }

  #readClass(): string {
    this.#position += 1;
    const isNegated = this.#pattern[this.#position] === "^";
    if (isNegated) this.#position += 1;
    let members = "";
    while (this.#pattern[this.#position] !== "]") members += this.#readMember();
    this.#position += 1;
    if (members !== "") return `[${isNegated ? "^" : ""}${members}]`;
    if (isNegated) return "(?s:.)";
    return `[^\\x{0}-${spell(lastCharacter)}]`;
  }

  #readMember(): string {
    const ranges = this.#readRanges();
    if (ranges !== null) return ranges;
    const first = this.#readCharacter(true);
    const isRange =
      this.#pattern[this.#position] === "-" && this.#pattern[this.#position + 1] !== "]";
    if (!isRange) return spell(first);
    const beforeDash = this.#position;
    this.#position += 1;
    // Without `u`, a dash beside a class is a dash.
    const isBesideClass = this.#readRanges() !== null;
    if (isBesideClass) {
      this.#position = beforeDash;
      return spell(first);
    }
    return `${spell(first)}-${spell(this.#readCharacter(true))}`;
  }

  /** A class of several characters; null where one character stands. */
  #readRanges(): string | null {
    if (this.#pattern[this.#position] !== "\\") return null;
    const letter = this.#pattern[this.#position + 1] ?? "";
    const ranges = ownField(classes, letter);
    if (ranges !== undefined) {
      this.#position += 2;
      return this.#withFolds(letter, ranges);
    }
    if (!this.#isUnicode || (letter !== "p" && letter !== "P")) return null;
    const propertyEscape = this.#take(property);
    // The engines fold the case of such classes in different orders.
    if (propertyEscape === null || this.#flags.ignoreCase) throw new Inexpressible();
    const [, sign = "", name = ""] = propertyEscape;
    this.#addTerms(termsOfProperty);
    if (name === "ASCII")
      return sign === "p" ? "\\x{0}-\\x{7f}" : `\\x{80}-${spell(lastCharacter)}`;
    return `\\${sign}{${categories[name] ?? name}}`;
  }

  #withFolds(letter: string, ranges: string): string {
    if (this.#flags.ignoreCase && letter === "W") throw new Inexpressible();
    return ranges;
  }

  #readCharacter(isInClass = false): number {
    if (this.#pattern[this.#position] !== "\\") return this.#takeCharacter();
    const hex = this.#take(this.#isUnicode ? hexadecimal : plainHexadecimal);
    if (hex !== null) return this.#joinSurrogates(hex);
    const controlEscape = this.#take(control);
    if (controlEscape !== null) return (controlEscape[1] as string).charCodeAt(0) % 32;
    const letter = this.#pattern[this.#position + 1] ?? "";
    const isNull = letter === "0" && !/\d/.test(this.#pattern[this.#position + 2] ?? "");
    if (!isNull && /[\dkc]/.test(letter)) throw new Inexpressible();
    this.#position += 1;
    const character = this.#takeCharacter();
    if (isNull) return 0;
    if (letter === "b" && isInClass) return 8;
    return Object.hasOwn(controls, letter) ? (controls[letter] as number) : character;
  }

  #takeCharacter(): number {
    const character = this.#pattern.codePointAt(this.#position) ?? 0;
    // Without `u` it is two, of which a quantifier repeats the second.
    if (character > 0xffff && !this.#isUnicode) throw new Inexpressible();
    this.#position += character > 0xffff ? 2 : 1;
    return character;
  }

  /** With `u`, two escapes that make one character are one. */
  #joinSurrogates([, byte, unit, point]: RegExpExecArray): number {
    const character = Number.parseInt(byte ?? unit ?? point ?? "", 16);
    const isSurrogate = character >= 0xd800 && character <= 0xdfff;
    if (!isSurrogate) return character;
    const second = character < 0xdc00 && unit !== undefined ? this.#take(lowSurrogate) : null;
    if (!this.#isUnicode || second === null) throw new Inexpressible();
    const low = Number.parseInt(second[1] as string, 16);
    return 0x10000 + (character - 0xd800) * 0x400 + (low - 0xdc00);
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#position;
    const match = expression.exec(this.#pattern);
    if (match !== null) this.#position = expression.lastIndex;
    return match;
  }
}

function isFlagOn(isOn: boolean, flag: string, added: string, removed: string): boolean {
  return added.includes(flag) || (isOn && !removed.includes(flag));
}

function spell(character: number): string {
  return `\\x{${character.toString(16)}}`;
}
