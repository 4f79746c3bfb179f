/** More layers of escapes than any reader takes off. */
const maxRounds = 4;
/** A longer one names nothing that a rule names; each form is matched again. */
const maxLength = 8_192;

/**
 * The forms in which a reader may understand an address: as it stands, and without case, dots, escapes, doubled slashes,
 * query and fragment. The last one is the same for all spellings of one address.
 */
export function uriSpellings(uri: string): string[] {
  if (uri.length > maxLength) return [uri];
  const forms = new Set([uri]);
  let simplest = withoutControls(uri);
  for (let round = 0; round < maxRounds; round++) {
    const form = simplest;
    const parsed = parseForm(form);
    const plain = withoutExtras(withoutHost(parsed));
    simplest = withoutEscapes(plain).normalize("NFC");
    forms.add(form).add(parsed).add(plain);
    if (simplest === form) break;
  }
  forms.delete(simplest);
  return [...forms, simplest];
}

/** A normal form: equal for all spellings of one address. */
export function normalUri(uri: string): string {
  return uriSpellings(uri).at(-1) ?? uri;
}

/** URL parsers leave these out wherever they stand. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, "").replaceAll(/^[\0-\x20]+|[\0-\x20]+$/g, "");
}

/** Lower-case scheme and host, resolved dots. */
function parseForm(text: string): string {
  return URL.parse(text)?.href ?? text;
}

/** Most readers of a file take its path and ignore the host. */
function withoutHost(text: string): string {
  return text.replace(/^file:\/\/[^/]+(?=\/)/i, "file://");
}

function withoutExtras(text: string): string {
  const [, origin = "", path = ""] =
    /^((?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?)(.*)$/is.exec(text) ?? [];
  return origin + path.replace(/[?#].*$/s, "").replaceAll(/\/{2,}/g, "/");
}

function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign stays; the readable escapes do not.
    return text.replaceAll(/%[2-7][0-9a-f]/gi, (percentCode) =>
      String.fromCharCode(Number.parseInt(percentCode.slice(1), 16)),
    );
  }
}
