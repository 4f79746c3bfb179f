export type BearerChallenge = {
  resourceMetadata: string | null;
  scopes: string[] | null;
  error: string | null;
};

const maxHeader = 8_192;
/** A parameter, quoted or not, or the name of a scheme. */
const part =
  /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([\w!#$%&'*+.^`|~-]+)(?=\s|,|$)/g;

/** Null when the header has no Bearer challenge. Other schemes may stand before and after it. */
export function parseChallenge(header: string | null): BearerChallenge | null {
  if (header === null || header.length > maxHeader) return null;
  let scheme = "";
  let found = false;
  const values = new Map<string, string>();
  for (const [, name, quoted, plain, word] of header.matchAll(part)) {
    if (word !== undefined) {
      scheme = word.toLowerCase();
      found ||= scheme === "bearer";
    } else if (scheme === "bearer" && name !== undefined && !values.has(name.toLowerCase()))
      values.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "");
  }
  if (!found) return null;
  const scope = values.get("scope");
  return {
    resourceMetadata: values.get("resource_metadata") ?? null,
    scopes: scope === undefined ? null : splitScopes(scope),
    error: values.get("error") ?? null,
  };
}

/** Only what RFC 6749 lets a scope be: they are shown to people. */
export function splitScopes(text: string): string[] {
  return text.split(/\s+/).filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
}
