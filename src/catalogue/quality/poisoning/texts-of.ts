/** Deeper or more than this is no definition that anybody reads. */
const deepest = 64;
const maxTexts = 5_000;

/** Nobody can be told anything in fewer letters. */
const shortest = 8;

export type PlacedText = { where: string; text: string };

/** Every text of a tree of plain data with the pointer to it, the names of properties among them. */
export function textsOf(value: unknown, where = ""): PlacedText[] {
  const found: PlacedText[] = [];
  const visit = (at: unknown, pointer: string, depth: number): void => {
    if (found.length >= maxTexts || depth > deepest) return;
    if (typeof at === "string") {
      if (at.length >= shortest || !isPlain(at)) found.push({ where: pointer, text: at });
    } else if (Array.isArray(at)) {
      for (const [index, item] of at.entries()) visit(item, `${pointer}/${index}`, depth + 1);
    } else if (typeof at === "object" && at !== null) {
      for (const [key, item] of Object.entries(at)) {
        const inner = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        // A long name is a text, too.
        if (key.length > 24 || !isPlain(key)) found.push({ where: inner, text: key });
        visit(item, inner, depth + 1);
      }
    }
  };
  visit(value, where, 0);
  return found;
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 126) return false;
  return true;
}
