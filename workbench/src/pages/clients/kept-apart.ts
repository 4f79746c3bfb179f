/** What becomes of secrets in clear that stand in a client's file. */
export function renderSecrets(secrets: readonly { server: string; name: string }[]): string {
  const names = secrets.map(({ server, name }) => `${name} of ${server}`).join(", ");
  const where = "a file that only you can read, and the entry refers to it";
  return `Secrets in clear: ${names}. Each goes into ${where}.`;
}
