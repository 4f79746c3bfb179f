import { isObject, type Json, type Path } from "../../model/json.ts";

export class TextProblem extends Error {
  readonly line: number;
  readonly column: number | null;

  constructor(line: number, message: string, column: number | null = null) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** Edits one kind of text and leaves alone what the edit does not concern. Texts have no byte order mark. */
export type TextFormat = {
  parse(text: string): unknown;
  set(text: string, path: Path, value: Json): string;
  remove(text: string, path: Path): string | null;
};

/** An entry of a list as it should be, and where it stood before; null for a new one. */
export type ListItem = { value: Json; was: number | null };

export function wrapValue(keys: Path, value: Json): Json {
  return keys.reduceRight<Json>(
    (inner, key) => (typeof key === "number" ? [inner] : { [key]: inner }),
    value,
  );
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

export function lineEnd(text: string): "\r\n" | "\n" {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), data);
}
