const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** The member's new JSON; undefined removes it. */
export type MemberChange = (before: string | undefined) => string | undefined;

type Member = { key: string; name: string; value: string };

/** In valid JSON, each as it is written. */
function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let position = text.indexOf("{") + 1;
  for (;;) {
    const opening = text.indexOf('"', position);
    if (opening < 0) return members;
    const closing = endOfString(text, opening);
    const name = text.slice(opening, closing + 1);
    const from = text.indexOf(":", closing) + 1;
    const end = endOfMember(text, from);
    members.push({ key: JSON.parse(name) as string, name, value: text.slice(from, end).trim() });
    position = end + 1;
    if (text.charCodeAt(end) !== comma) return members;
  }
}

/** The last of duplicates, as JSON.parse reads it. */
export function memberText(text: string, key: string): string | undefined {
  return membersOf(text).findLast((member) => member.key === key)?.value;
}

/** Where the value of a member of the object stands, in valid JSON without duplicates. Undefined also where the key has escapes. */
export function memberPlace(
  text: string,
  key: string,
  object = 0,
): [from: number, end: number] | undefined {
  let position = text.indexOf("{", object) + 1;
  for (;;) {
    const opening = text.indexOf('"', position);
    if (opening < 0) return undefined;
    const closing = endOfString(text, opening);
    const from = text.indexOf(":", closing) + 1;
    const end = endOfMember(text, from);
    if (closing - opening - 1 === key.length && text.startsWith(key, opening + 1))
      return [from, end];
    if (text.charCodeAt(end) !== comma) return undefined;
    position = end + 1;
  }
}

/** All other members stay as they are written. */
export function changeMembers(
  text: string,
  changes: Readonly<Record<string, MemberChange>>,
): string {
  const members = membersOf(text);
  const pendingChanges = new Map(Object.entries(changes));
  const writtenMembers: string[] = [];
  for (const { key, name, value } of members.toReversed()) {
    const change = pendingChanges.get(key);
    pendingChanges.delete(key);
    const isRepeated = change === undefined && Object.hasOwn(changes, key);
    if (isRepeated) continue;
    const newText = change ? change(value) : value;
    if (newText !== undefined) writtenMembers.push(`${name}:${newText}`);
  }
  writtenMembers.reverse();
  for (const [key, change] of pendingChanges) {
    const added = change(undefined);
    if (added !== undefined) writtenMembers.push(`${JSON.stringify(key)}:${added}`);
  }
  return `{${writtenMembers.join(",")}}`;
}

/** The end of the object or list, in valid JSON. */
export function endOfObject(text: string, from: number): number {
  let depth = 0;
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return text.length;
}

function endOfMember(text: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === openBrace || code === openBracket) index = endOfObject(text, index) - 1;
    else if (code === comma || code === closeBrace) return index;
  }
  return text.length;
}

/** Most are short, and looking for a character with `indexOf` costs more than to pass some. */
const nearLength = 32;

/** The closing quote; an even number of backslashes before a quote escape each other. */
export function endOfString(text: string, opening: number): number {
  const near = opening + nearLength;
  for (let index = opening + 1; index < near; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) return index;
    if (code === backslash) index += 1;
  }
  let quoteIndex = opening;
  for (;;) {
    quoteIndex = text.indexOf('"', quoteIndex + 1);
    if (quoteIndex < 0) return text.length;
    let preceding = quoteIndex - 1;
    while (text.charCodeAt(preceding) === backslash) preceding -= 1;
    if ((quoteIndex - 1 - preceding) % 2 === 0) return quoteIndex;
  }
}
