/** Codes of failures before anything could be sent. */
const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

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

export function connectFailure(thrown: unknown, where: string): string {
  const code = codeOf(thrown);
  if (thrown instanceof Error && thrown.name === "AbortError") return "the request was given up";
  if (code === "ECONNREFUSED") return `nothing listens at ${where}; start it, or correct its address`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `${where} was not found`;
  if (isCertificate(code)) return `its certificate is not trusted (${code})`;
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") return "the connection was cut";
  return code === "" ? "the request could not be made" : `the connection failed (${code})`;
}

function isCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO/.test(code);
}

/** `fetch` wraps what happened, a client of a model wraps that, and several attempts are wrapped once more. */
function codeOf(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > 4) return "";
  if (depth > 0 && "code" in thrown && typeof thrown.code === "string") return thrown.code;
  return codeOf(thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause, depth + 1);
}
