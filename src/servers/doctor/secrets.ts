import type { ServerDefinition } from "../../model/server.ts";

const hidden = "[redacted]";
/** Shorter values stand in ordinary text by chance. */
const shortestSecret = 4;

const secretWords = [
  /(?:^|[_-]|api|access|private)key(?![a-z])/i,
  /[a-z]Key(?![a-z])/,
  /token(?!s|iz)/i,
  /secret|passw|credential|authorization|cookie/i,
  /(?:^|[_-])(?:pat|pwd|auth)(?:$|[_-])/i,
];

/** Does a variable, header or flag of this name usually hold something that nobody should read? */
export function isSecretName(name: string): boolean {
  return secretWords.some((word) => word.test(name));
}

/** Removes from a text every value that this server's entry keeps secret. */
export function hideSecrets(definition: ServerDefinition): (text: string) => string {
  const secrets = secretsOf(definition).sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((kept, secret) => kept.replaceAll(secret, hidden), text);
}

function secretsOf({ args, env, headers, auth, url }: ServerDefinition): string[] {
  const named = Object.entries({ ...env, ...headers }).filter(([name]) => isSecretName(name));
  const values = named.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, "")]);
  const found = [...values, auth?.token ?? "", ...secretArguments(args), ...(url ? urlSecrets(url) : [])];
  return found.filter((value) => value.length >= shortestSecret);
}

/** `--token=x` and `--token x`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    const [, flag = "", value] = /^(-{1,2}[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (!isSecretName(flag)) return [];
    const next = args[at + 1];
    if (value !== undefined) return [value];
    return next === undefined || next.startsWith("-") ? [] : [next];
  });
}

function urlSecrets(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, searchParams } = new URL(text);
  return [username, decodeURIComponent(password), password, ...searchParams.values()];
}
