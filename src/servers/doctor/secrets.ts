import { createHider } from "../../lib/hide-values.ts";
import { looksSecret } from "../../lib/looks-secret.ts";
import type { ServerDefinition } from "../../model/server.ts";

/** What is named a secret may be shorter than a secret that is only guessed. */
const shortestSecret = 4;

/** Removes from a text every value that this server's entry keeps secret. */
export function hideSecrets(definition: ServerDefinition): (text: string) => string {
  return createHider(secretsOf(definition), shortestSecret);
}

function secretsOf({ args, env, headers, auth, url }: ServerDefinition): string[] {
  const named = Object.entries({ ...env, ...headers }).filter(([name]) => looksSecret(name));
  const values = named.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, "")]);
  return [
    ...values,
    auth?.token ?? "",
    auth?.clientSecret ?? "",
    ...secretArguments(args),
    ...(url ? urlSecrets(url) : []),
  ];
}

/** `--token=x` and `--token x`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    const [, flag = "", value] = /^(-{1,2}[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (!looksSecret(flag)) return [];
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
