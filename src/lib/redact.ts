/** What is looked for backwards is bounded: it is looked for from every place of a text that may be long. */
const secretShapes = [
  /\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{8,}/g,
  /\b(?:gh[pousr]|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8,}/g,
  /\btp_[A-Za-z0-9_-]{20,}/g,
  /\bAKIA[0-9A-Z]{12,}/g,
  /\bAIza[0-9A-Za-z_-]{20,}/g,
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?/g,
  /(?<=\b(?:bearer|basic)\s{1,32})[A-Za-z0-9._~+/=-]{8,}/gi,
  // A quoted value may hold anything, and JSON inside of JSON has its quotes escaped.
  /(?<=(?:key|token|secret|password|passwd|credential)\\{0,16}["']?\s{0,32}[:=]\s{0,32}(\\{0,16}["']))(?!\1)(?:(?!\1).){1,512}(?=\1)/gi,
  /(?<=(?:key|token|secret|password|passwd|credential)\\{0,16}["']?\s{0,32}[:=]\s{0,32}\\{0,16}["']?)(?:[^\s"',;&\\]|\\(?!["'])){4,}/gi,
];

/** Hides what looks like a secret. For text that leaves the wire it came on. */
export function redact(text: string): string {
  return secretShapes.reduce((kept, shape) => kept.replaceAll(shape, "[redacted]"), text);
}
