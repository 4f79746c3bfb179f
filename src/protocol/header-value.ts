const plain = /^(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?$/;

/** A value as it may stand in a header: as it is, or marked and in base64. */
export function encodeHeaderValue(value: string): string {
  return plain.test(value) ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

const encoded = /^=\?base64\?(.*)\?=$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What stands in a header; null when it is marked as base64 and is none. */
export function decodeHeaderValue(value: string): string | null {
  const [, text] = encoded.exec(value) ?? [];
  if (text === undefined) return value;
  return base64.test(text) ? Buffer.from(text, "base64").toString("utf8") : null;
}
