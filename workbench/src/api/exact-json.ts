import { isRawJSON, mayLoseNumbers, parseExactly } from "../../../src/lib/json/exact-numbers.ts";

const canBeExact = "rawJSON" in JSON;

/** A number beyond double precision, written as it was read. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return parseExactly(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** Parses JSON without losing precision of large numbers. */
export function readJson<T>(text: string): T {
  if (!canBeExact || !mayLoseNumbers(text)) return JSON.parse(text) as T;
  return keepExact(parseExactly(text)) as T;
}

function keepExact(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isRawJSON(value)) return new ExactNumber(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(keepExact);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keepExact(inner)]));
}
