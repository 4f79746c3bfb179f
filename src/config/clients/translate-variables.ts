import { basename } from "node:path";
import { isObject, type Json } from "../../model/json.ts";
import type { ClientName, Where } from "./clients.ts";

/** What an entry came from: the same text means different things to different clients. */
export type EntrySource = { client: ClientName; isProject: boolean; where: Where };

/** Why an entry cannot be taken over, as the end of a sentence. */
export class TranslationProblem extends Error {}

/** Rewrites the variables of a client into ours wherever a value holds them. */
export function translateVariables(value: Json, source: EntrySource): Json {
  if (typeof value === "string") return translateText(value, source);
  if (Array.isArray(value)) return value.map((item) => translateVariables(item, source));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, translateVariables(inner, source)]),
  );
}

function translateText(text: string, source: EntrySource): string {
  const named = source.client === "gemini" ? text.replaceAll(/\$([A-Za-z_]\w*)/g, variable) : text;
  return named.replaceAll(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (/^[A-Za-z_]\w*(:-.*)?$/.test(name) && !isFolder(name)) return whole;
    const ours = /^env:([A-Za-z_]\w*)$/.exec(name)?.[1];
    return ours === undefined ? folderOf(whole, name, source) : variable(whole, ours);
  });
}

function variable(_: string, name: string): string {
  return `\${${name}}`;
}

function isFolder(name: string): boolean {
  return /^(userHome|workspaceFolder(Basename)?|pathSeparator)$/.test(name);
}

function folderOf(whole: string, name: string, { isProject, where }: EntrySource): string {
  if (name === "userHome") return where.home;
  if (name === "pathSeparator" || name === "/") return where.platform === "win32" ? "\\" : "/";
  if (name.startsWith("input:")) throw new TranslationProblem(`it asks its user for ${whole}`);
  if (isProject && name === "workspaceFolder") return where.directory;
  if (isProject && name === "workspaceFolderBasename") return basename(where.directory);
  throw new TranslationProblem(`only the client knows what ${whole} stands for`);
}
