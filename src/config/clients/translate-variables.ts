import { basename } from "node:path";
import { isObject, type Json, type UnknownObject } from "../../model/json.ts";
import type { Where } from "./client-files.ts";
import { type ClientName, clientOf } from "./clients.ts";

/** What an entry came from: the same text means different things to different clients. */
export type EntrySource = {
  client: ClientName;
  where: Where;
  /** What `${workspaceFolder}` stands for; null where it would differ from project to project. */
  workspace: string | null;
  /** What the client asks its user for. */
  inputs: readonly unknown[];
};

/** A variable that has to be set, because only the client knew the value. */
export type Needed = { name: string; description: string | null; isSecret: boolean };

/** What became of the references in one entry. */
export type Translated = { changes: Map<string, string>; needed: Map<string, Needed> };

/** Why an entry cannot be taken over, as the end of a sentence. */
export class TranslationProblem extends Error {}

/** Rewrites the references of a client into ours wherever a value holds them. */
export function translateVariables(value: Json, source: EntrySource, into: Translated): Json {
  if (typeof value === "string") return translateText(value, source, into);
  if (Array.isArray(value)) return value.map((item) => translateVariables(item, source, into));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, translateVariables(inner, source, into)]),
  );
}

/** Notes a value that only the client knows and gives the name of the variable that takes its place. */
export function neededVariable(id: string, needed: Omit<Needed, "name">, into: Translated): string {
  const name = isVariable(id) ? id : variableName(id);
  if (!into.needed.has(name)) into.needed.set(name, { name, ...needed });
  return name;
}

function translateText(text: string, source: EntrySource, into: Translated): string {
  const told = (from: string, to: string) => {
    if (from !== to) into.changes.set(from, to);
    return to;
  };
  return ownReferences(text, source, into, told).replaceAll(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
    if (/^[A-Za-z_]\w*(:-.*)?$/.test(inner) && !isFolder(inner)) return whole;
    if (inner.startsWith("input:")) return told(whole, inputReference(inner.slice(6), source, into));
    const [, name, usual] = /^env:([A-Za-z_]\w*)(?::-?(.*))?$/.exec(inner) ?? [];
    if (name !== undefined && usual === undefined)
      return told(whole, `\${${neededVariable(name, { description: null, isSecret: false }, into)}}`);
    if (name !== undefined) return told(whole, `\${${name}:-${usual}}`);
    const [, file] = /^file:(.+)$/.exec(inner) ?? [];
    if (file !== undefined) return told(whole, `\${file:${fromHome(file, source)}}`);
    return told(whole, folderOf(whole, inner, source));
  });
}

type Told = (from: string, to: string) => string;

/** The references that only some clients know. */
function ownReferences(text: string, source: EntrySource, into: Translated, told: Told): string {
  const { references } = clientOf(source.client).dialect ?? {};
  if (references === "dollar")
    return text.replaceAll(/\$([A-Za-z_]\w*)/g, (whole, name: string) => told(whole, `\${${name}}`));
  if (references === "braces")
    return text.replaceAll(/(?<!\$)\{(env|file):([^{}]+)\}/g, (whole, kind: string, name: string) =>
      told(whole, kind === "env" ? `\${${name}}` : `\${file:${fromHome(name, source)}}`),
    );
  if (references !== "secrets") return text;
  return text.replaceAll(/\$\{\{\s*(?:secrets|inputs)\.([\w./-]+)\s*\}\}/g, (whole, id: string) => {
    const needed = { description: null, isSecret: true };
    return told(whole, `\${${neededVariable(id, needed, into)}}`);
  });
}

/** A question that the client asks becomes a variable, with the question's default. */
function inputReference(id: string, { inputs }: EntrySource, into: Translated): string {
  const input = inputs.find((one): one is UnknownObject => isObject(one) && one.id === id) ?? {};
  const usual = typeof input.default === "string" && input.default !== "" ? input.default : null;
  if (usual !== null) return `\${${variableName(id)}:-${usual}}`;
  const description = typeof input.description === "string" ? input.description : null;
  return `\${${neededVariable(variableName(id), { description, isSecret: input.password === true }, into)}}`;
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

/** `search-key` and `searchKey` are `SEARCH_KEY`. */
function variableName(id: string): string {
  if (/^[A-Z_][A-Z0-9_]*$/.test(id)) return id;
  const words = id.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").replaceAll(/\W+/g, "_");
  return words.toUpperCase().replace(/^(?=\d)/, "_");
}

function fromHome(file: string, { where }: EntrySource): string {
  return file.replace(/^~(?=[\\/])/, () => where.home);
}

function isFolder(name: string): boolean {
  return /^(userHome|workspaceFolder(Basename)?|workspaceRoot|cwd|pathSeparator)$/.test(name);
}

function folderOf(whole: string, name: string, { where, workspace }: EntrySource): string {
  if (name === "userHome") return where.home;
  if (name === "pathSeparator" || name === "/") return where.platform === "win32" ? "\\" : "/";
  if (/^(workspaceFolder(Basename)?|workspaceRoot|cwd)$/.test(name)) {
    if (workspace === null)
      throw new TranslationProblem(`${whole} is another folder in each project; connect it with --project`);
    return name === "workspaceFolderBasename" ? basename(workspace) : workspace;
  }
  throw new TranslationProblem(`only the client knows what ${whole} stands for`);
}
