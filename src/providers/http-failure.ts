/** Codes of failures before anything could be sent. */
const unsent = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/** With these an endpoint says that it has not begun: too slow to read the request, too early, too many of them. */
export const refusedUnread: readonly number[] = [408, 425, 429];

/** When an endpoint wants to be asked again, given in seconds or as a date. */
export function retryAfter(said: string | null | undefined, now = Date.now()): { retryInMs?: number } {
  if (said === null || said === undefined || said.trim() === "") return {};
  if (/^\s*\d+\s*$/.test(said)) return { retryInMs: Number(said) * 1_000 };
  const at = Date.parse(said);
  return Number.isNaN(at) ? {} : { retryInMs: Math.max(0, at - now) };
}

/** May the other side have seen the request? */
export function wasSent(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return !(unsent.includes(code) || isCertificate(code));
}

export function connectFailure(thrown: unknown, url: URL): string {
  const code = codeOf(thrown);
  if (thrown instanceof Error && thrown.name === "AbortError") return "the request was given up";
  if (code === "ECONNREFUSED") return `nothing listens at ${url.host}. Is it running`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `host '${url.hostname}' was not found`;
  if (isCertificate(code)) return `its certificate is not trusted (${code})`;
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") return "the connection was cut";
  return code === "" ? "the request could not be made" : `the connection failed (${code})`;
}

function isCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO/.test(code);
}

/** `fetch` wraps what happened, and wraps several attempts once more. */
function codeOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error && "code" in inner ? String(inner.code) : "";
}
