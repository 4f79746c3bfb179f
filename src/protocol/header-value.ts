const plain = /^(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?$/;

/** A value as it may stand in a header: as it is, or marked and in base64. */
export function encodeHeaderValue(value: string): string {
  return plain.test(value) ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}
