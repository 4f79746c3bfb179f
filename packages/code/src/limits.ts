/** Of one program. */
export const codeLimits = {
  memoryBytes: 128 * 1024 * 1024,
  cpuMs: 5_000,
  calls: 200,
  /** Characters of a value that is given. */
  valueCharacters: 8 * 1024 * 1024,
  /** Characters of pictures, sounds and files in a value, and in the arguments of all calls; a word in many places counts often. */
  mediaCharacters: 16 * 1024 * 1024,
  sentMediaCharacters: 64 * 1024 * 1024,
};
