import fc from "fast-check";

const firstSurrogate = 0xd800;
const surrogates = 0x800;

/** Any character of Unicode; fast-check's own take most of a second to prepare. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((code) => String.fromCodePoint(code < firstSurrogate ? code : code + surrogates));
