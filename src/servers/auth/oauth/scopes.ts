const offline = "offline_access";

export type ScopeSources = {
  configured: readonly string[] | undefined;
  /** What the server's refusal asked for. */
  challenged: readonly string[] | null;
  /** What was asked for before, when more is needed now. */
  before: readonly string[];
  /** What the MCP server lists. */
  resource: readonly string[] | null;
  /** What the authorization server lists. */
  server: readonly string[] | null;
  /** Would a refresh token be of use to us? */
  refreshes: boolean;
};

/** What to ask for; nothing means that the authorization server decides. */
export function chooseScopes(sources: ScopeSources): string[] {
  const { configured, challenged, before, resource, server, refreshes } = sources;
  const said = configured ? [...configured, ...(challenged ?? [])] : (challenged ?? resource ?? []);
  const wanted = new Set([...before, ...said]);
  if (wanted.size === 0) return [];
  const isOffered = server?.includes(offline) ?? false;
  if (refreshes && isOffered) wanted.add(offline);
  else if (!isOffered) wanted.delete(offline);
  return [...wanted];
}

export function isWithin(scopes: readonly string[], others: readonly string[]): boolean {
  return scopes.every((scope) => others.includes(scope));
}
