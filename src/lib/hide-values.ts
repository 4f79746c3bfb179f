/** Replaces known secret values wherever they turn up. Short ones are left: they would hide ordinary words. */
export function createHider(
  values: readonly (string | undefined)[],
  shortestSecret = 6,
): (text: string) => string {
  // A text is shown line by line, so a secret of several lines is one in each of them.
  const all = values.flatMap((value) => [value, ...(value?.split(/\r?\n/) ?? [])]);
  const secrets = [...new Set(all)]
    .filter((value): value is string => value !== undefined && value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
