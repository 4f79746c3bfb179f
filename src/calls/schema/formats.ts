import { fullFormats } from "ajv-formats/dist/formats.js";

type Format = { type: "string" | "number"; fits(value: never): boolean };

/** A time that grows faster than the text: the pattern of the library goes back. */
const ownFormats: Record<string, (text: string) => boolean> = {
  url: (text) => /^(?:https?|ftp):/i.test(text) && URL.canParse(text),
};

export const formats: Readonly<Record<string, Format>> = Object.fromEntries(
  Object.entries(fullFormats).map(([name, format]) => [
    name,
    { type: typeOf(format), fits: ownFormats[name] ?? fitsOf(format) },
  ]),
);

function typeOf(format: unknown): "string" | "number" {
  return (format as { type?: unknown }).type === "number" ? "number" : "string";
}

function fitsOf(format: unknown): (value: never) => boolean {
  if (typeof format === "function") return format as (value: never) => boolean;
  if (format instanceof RegExp) return (text: string) => format.test(text);
  if (typeof format === "object" && format !== null && "validate" in format)
    return fitsOf(format.validate);
  return () => true;
}
