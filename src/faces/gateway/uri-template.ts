import { matchesGlob } from "../../lib/glob.ts";

/** Could this template have become that address? Values are not read; whoever is asked in vain says so. */
export function expandsTo(template: string, address: string): boolean {
  return matchesGlob(template.replaceAll(/\{[^{}]*\}/g, "*"), address);
}
