import { looksSecret } from "../../lib/looks-secret.ts";
import type { Path } from "../../model/path.ts";
import { mapTexts } from "./map-texts.ts";
import { maskText } from "./mask-text.ts";
import { findReferences } from "./references.ts";

/** Where a provider's configuration holds a secret in clear instead of a reference to one. */
export function clearSecrets(config: unknown): Path[] {
  const found: Path[] = [];
  mapTexts(config, (text, path) => {
    const isHeader = path.at(-2) === "headers" && looksSecret(String(path.at(-1)));
    if (maskText(text, isHeader) !== text && !isShortened(text)) found.push(path);
    return text;
  });
  return found;
}

/** Where it refers to more than variables: to files, commands or the keychain of one machine. */
export function localReferences(config: unknown): Path[] {
  const found: Path[] = [];
  mapTexts(config, (text, path) => {
    if (findReferences(text).some(({ kind }) => kind !== "env")) found.push(path);
    return text;
  });
  return found;
}

/** A command is never shown whole, secret or not. */
function isShortened(text: string): boolean {
  return findReferences(text).some(({ kind }) => kind === "command");
}
