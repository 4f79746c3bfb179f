const anywhere = /secret|passw|passphrase|credential|authorization|cookie|(?:api|access|private)key|token(?!i[sz])/;
const wholeWords = new Set(["key", "keys", "pass", "pat", "pwd", "bearer", "signature", "sig"]);

/** Is a value under this key, header, variable, flag or parameter likely to be a secret? */
export function looksSecret(key: string): boolean {
  const words = key
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  if (words.some((word) => wholeWords.has(word)) || anywhere.test(words.join(""))) return true;
  // `auth` alone says how; BASIC_AUTH and auth_header say what.
  return words.length > 1 && words.includes("auth");
}
