const token = /"(?:[^"\\]|\\.)*"|[[\]{},:\n]|[^\s[\]{},:"]+/g;

/** The lines on which the elements of a list begin: the list that is the whole JSON text, or the one under `key`. */
export function elementLines(json: string, key: string | null): number[] {
  const lines: number[] = [];
  const inside = key === null ? 1 : 2;
  let line = 1;
  let depth = 0;
  let lastText = "";
  let isList = key === null;
  let isExpected = false;
  for (const [found] of json.matchAll(token)) {
    if (found === "\n") {
      line += 1;
      continue;
    }
    if (depth === inside && isList && isExpected && found !== "]") lines.push(line);
    isExpected = false;
    if (found === "[" || found === "{") {
      depth += 1;
      isExpected = depth === inside && found === "[";
    } else if (found === "]" || found === "}") depth -= 1;
    else if (found === ",") isExpected = depth === inside;
    else if (found === ":" && depth === 1 && key !== null) isList = JSON.parse(lastText) === key;
    else lastText = found;
  }
  return lines;
}

export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
