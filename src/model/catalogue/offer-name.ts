import { passesFilter } from "../../lib/text/glob.ts";
import { uriSpellings } from "../../lib/text/uri-spellings.ts";

const resource = "resources/";

/** The names of a prompt or resource for rules and filters: a resource has one for each form in which a server may read its address. */
export function offerNames(what: string): string[] {
  if (!what.startsWith(resource)) return [what];
  return uriSpellings(what.slice(resource.length)).map((uri) => `${resource}${uri}`);
}

export function isOfferDenied(what: string, deny: readonly string[] | null): boolean {
  return (
    deny !== null &&
    deny.length > 0 &&
    offerNames(what).some((name) => !passesFilter(name, null, deny))
  );
}
