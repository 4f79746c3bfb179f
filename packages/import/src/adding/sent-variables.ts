import { type Environment, findReferences, mapTexts } from "@toolplane/core/config/editing";
import { spell } from "@toolplane/core/lib/text/spell";
import { nounFor } from "@toolplane/core/lib/text/wording";
import type { AddedOne, AddHooks } from "@toolplane/core/model/config/adding";
import { PlaneError } from "@toolplane/core/model/errors";
import { isObject, type JsonObject } from "@toolplane/core/model/json";
import { programOf } from "@toolplane/core/model/servers/package-launcher";
import type { EntryInput } from "./inputs.ts";

/** Variables of this machine that an entry would hand to a host or an image, which chose their names itself. */
export type SentVariables = { to: string; variables: string[] };

/** Null where none is. A program that is started here could read them anyway. */
export function sentVariables(
  entry: JsonObject,
  isAvailable: (variable: string) => boolean,
): SentVariables | null {
  const to = receiverOf(entry);
  if (to === null) return null;
  const names = new Set<string>();
  mapTexts(entry, (text) => {
    for (const { kind, name } of findReferences(text)) if (kind === "env") names.add(name);
    return text;
  });
  const variables = [...names].filter(isAvailable);
  if (variables.length === 0) return null;
  return { to, variables };
}

/** Who gets what the entry says, where that is not a program of this machine. */
export function receiverOf({
  url,
  container,
  openapi,
  baseUrl,
  command,
}: JsonObject): string | null {
  if (typeof url === "string") return hostOf(url);
  if (typeof openapi === "string") return hostOf(typeof baseUrl === "string" ? baseUrl : openapi);
  if (isObject(container)) return `the image ${spell(container.image)}`;
  if (typeof command === "string" && runtimes.includes(programOf(command))) return "a container";
  return null;
}

/** Programs that hand variables on to what is not of this machine. */
const runtimes = ["docker", "podman", "nerdctl"];

function hostOf(address: string): string {
  return URL.parse(address)?.host || address;
}

/** One question for each. What is declined counts as not set. */
export async function askForSent(
  { to, variables }: SentVariables,
  environment: Environment,
  confirm: NonNullable<AddHooks["confirm"]>,
): Promise<{ agreed: string[]; without: Environment }> {
  const agreed: string[] = [];
  for (const name of variables)
    if (await confirm(`The variable ${name} is set here. Send its value to ${to}?`))
      agreed.push(name);
  const isKept = ([name]: [string, unknown]) => agreed.includes(name) || !variables.includes(name);
  return { agreed, without: Object.fromEntries(Object.entries(environment).filter(isKept)) };
}

/** The same question as a form. */
export function noteSent(inputs: readonly EntryInput[], sent: SentVariables | null): EntryInput[] {
  if (sent === null) return [...inputs];
  const { to, variables } = sent;
  const sentInputs = variables.map((key): EntryInput => {
    const { description } = inputs.find((input) => input.key === key) ?? {};
    const note = `It is set here already, and ${to} would get it.`;
    return {
      key,
      description: description === undefined ? note : `${description} ${note}`,
      isRequired: true,
      isSecret: true,
    };
  });
  return [...inputs.filter(({ key }) => !variables.includes(key)), ...sentInputs];
}

export function refuseSent(
  { name, form, entry, missing }: AddedOne,
  { to, variables }: SentVariables,
): PlaneError {
  const what = nounFor(variables.length, "the variable");
  const message =
    `'${name}' would send ${what} ${variables.join(" and ")} of this machine to ${to}. ` +
    `If that is right, give the values yourself: ${variables.map((variable) => `--set ${variable}=…`).join(" ")}. The entry only refers to them.`;
  return new PlaneError("USAGE", message, { data: { server: name, missing, form, entry } });
}
