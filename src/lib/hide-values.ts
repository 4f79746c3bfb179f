/** Replaces known secret values wherever they turn up. Short ones are left: they would hide ordinary words. */
export function createHider(
  values: readonly (string | undefined)[],
  shortestSecret = 6,
): (text: string) => string {
  const secrets = [...new Set(values)]
    .filter((value): value is string => value !== undefined && value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
