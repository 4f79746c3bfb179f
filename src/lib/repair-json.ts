/**
 * Completes JSON that was cut off: closes the open string and brackets, and drops a last key without a
 * value. Returns undefined when the text is broken in any other way.
 */
export function repairTruncatedJson(text: string): unknown {
  const trimmed = text.trim();
  for (const start of trimmed.startsWith("{") ? [trimmed] : [`{${trimmed}`]) {
    for (const candidate of completions(start)) {
      try {
        return JSON.parse(candidate);
      } catch {}
    }
  }
  return undefined;
}

function* completions(text: string): Generator<string> {
  const { closers, inString, escaped } = scan(text);
  const body = inString ? `${escaped ? text.slice(0, -1) : text}"` : text;
  yield body + closers;
  const cut = body.replace(/[\s,]+$/, "");
  yield cut + closers;
  yield cut.replace(/(?:,\s*)?"(?:[^"\\]|\\.)*"\s*:?$/, "") + closers;
  yield cut.replace(/,?\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*)?[a-z0-9.+-]*$/i, "") + closers;
}

function scan(text: string): { closers: string; inString: boolean; escaped: boolean } {
  const open: string[] = [];
  let inString = false;
  let escaped = false;
  for (const character of text) {
    if (escaped) escaped = false;
    else if (inString && character === "\\") escaped = true;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === "{" || character === "[")) open.push(character === "{" ? "}" : "]");
    else if (!inString && (character === "}" || character === "]")) open.pop();
  }
  return { closers: open.reverse().join(""), inString, escaped };
}
