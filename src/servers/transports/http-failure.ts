/** Is this an answer that may be another one later? */
export function isPassing(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

export function refusal(status: number): string {
  if (status === 401 || status === 403) return `it answered HTTP ${status}. Check its 'headers' or token`;
  if (status === 404) return "it answered HTTP 404. Check the path of 'url'";
  return `it answered HTTP ${status}`;
}

export function connectFailure(error: NodeJS.ErrnoException, url: URL): string {
  if (error.code === "ECONNREFUSED") return `nothing listens at ${url.host}. Is the server running?`;
  if (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN") return `host '${url.hostname}' was not found`;
  return `the connection to ${url.host} failed: ${error.message}`;
}

/** Only the origin: a path or query may hold secrets. */
export function originOf(location: string | undefined, base: URL): string {
  if (location === undefined || !URL.canParse(location, base.href)) return "nowhere";
  return new URL(location, base).origin;
}
