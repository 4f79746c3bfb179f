/** Replaces known secret values wherever they turn up. Short ones are left: they would hide ordinary words. */
export function createHider(values: readonly (string | undefined)[], shortestSecret = 6): (text: string) => string {
  // A text is shown line by line, so a secret of several lines is one in each of them.
  const all = values.flatMap((value) => [value, ...(value?.split(/\r?\n/) ?? [])]);
  // Servers print what they were given in other clothes, too.
  const dressed = all.flatMap((value) =>
    value === undefined || value.length < shortestSecret
      ? []
      : [
          value,
          encodeURIComponent(value),
          Buffer.from(value).toString("base64"),
          Buffer.from(value).toString("base64url"),
        ],
  );
  const secrets = [...new Set(dressed)]
    .filter((value): value is string => value !== undefined && value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
