import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { hashText, hash as hashValue } from "../../lib/json/stable-json.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { TrustLine } from "../../model/config/setup.ts";
import { isObject, listOrEmpty, objectOrEmpty } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import { findModule } from "../extensions/find-module.ts";
import { findFiles } from "../manifests/find-files.ts";
import { expandEnvironment, findReferences, mapTexts } from "../secrets/references.ts";
import type { Setting } from "../shapes/reading.ts";
import { hashTree, type ReachedTree } from "./code-tree.ts";
import { lineWith, type TrustDecision, visible } from "./lines.ts";
import { filesOfCommand, findReached } from "./reached-code.ts";

/**
 * A manifest and an API document are configuration, a hook's file decides about calls, an extension's runs in the plane,
 * `${file:…}` is a value, and `${command:…}` is a program that gives one.
 */
type Kind = "manifest" | "openapi" | "file" | CodeKind;
/** What they load counts too. */
type CodeKind = "hook" | "extension" | "command";
const codeKinds: readonly string[] = ["hook", "extension", "command"] satisfies CodeKind[];

/** A file whose content is a part of the configuration, and so a line of its own. */
export type PulledFile = {
  file: string;
  kind: Kind;
  /** All code of a package or a folder, in the place of a file. */
  tree: ReachedTree | null;
  /** Where it is started, of a program: what it loads is looked for again before it is used. */
  base: string | null;
  /** What does without it until it is trusted: a server, a manifest, or all settings. */
  needs: { server: string } | { manifest: string } | "settings";
  /** As it was judged, so that no other content is used. */
  text: string | null;
  line: TrustLine;
};

type Sources = {
  directory: string;
  servers: ReadonlyMap<string, readonly Setting[]>;
  settings: readonly Setting[];
  /** Those of the project itself. */
  configFiles: readonly string[];
  environment: Environment;
  answer: TrustDecision;
  /** References in a glob are resolved once the settings are trusted, those in the entry of a server once it is. */
  mayExpand(server?: string): boolean;
};

const maxBytes = 16 * 1024 * 1024;
/** What a person sees of a file before a question. */
const maxShown = 2_000;
const maxShownLines = 20;

/** Everything that the files of a project pull in. Only what is in the project can come with it, manifests aside. */
export function findPulled({
  directory,
  servers,
  settings,
  answer,
  ...context
}: Sources): PulledFile[] {
  const pulledFiles = new Map<string, PulledFile>();
  const addPulled = (pulled: Pulled, needs: PulledFile["needs"]) => {
    const key = JSON.stringify([pulled.file, pulled.kind, needs, pulled.tree?.form]);
    if (!pulledFiles.has(key))
      pulledFiles.set(key, { ...pulled, needs, ...judge(pulled, directory, answer) });
  };
  const add = (file: string, kind: Kind, needs: PulledFile["needs"]) =>
    addPulled({ file, kind, tree: null, base: null }, needs);
  /** Programs that the project names, with everything of the project that they load. */
  const addCode = (kind: CodeKind, files: string[], base: string, needs: PulledFile["needs"]) => {
    const programs = files.filter((file) => comesWith([directory, base], file));
    for (const file of programs) addPulled({ file, kind, tree: null, base }, needs);
    for (const pulled of loadedBy(programs, kind, directory, base)) addPulled(pulled, needs);
  };
  const addReferences = (value: unknown, base: string, needs: PulledFile["needs"]) => {
    for (const file of referredIn(value, base))
      if (comesWith([directory, base], file)) add(file, "file", needs);
    for (const command of commandsIn(value))
      addCode("command", filesOfCommand(command.split(/\s+/), base), base, needs);
  };
  for (const [server, serverSettings] of servers)
    for (const setting of serverSettings) {
      const base = baseOf(setting);
      if (setting.path[2] === "openapi")
        for (const file of documentOf(setting, context.environment, context.mayExpand(server)))
          add(file, "openapi", { server });
      addReferences(setting.value, base, { server });
    }
  for (const setting of settings) {
    const [section] = setting.path;
    if (section === "manifests")
      for (const file of manifestsOf(setting, context)) add(file, "manifest", { manifest: file });
    if (section === "hooks")
      for (const command of hookCommands(setting))
        addCode("hook", filesOfCommand(command, baseOf(setting)), baseOf(setting), "settings");
    if (section === "extensions")
      addCode("extension", extensionFiles(setting), baseOf(setting), "settings");
    addReferences(setting.value, baseOf(setting), "settings");
  }
  for (const { file: manifest, kind, text } of [...pulledFiles.values()])
    if (kind === "manifest")
      addReferences(withoutEscapes(text ?? ""), dirname(manifest), { manifest });
  return [...pulledFiles.values()];
}

/** Is this content, read again, one that a person trusts? */
export function isStillTrusted(
  { line, ...pulled }: PulledFile,
  directory: string,
  answer: TrustDecision,
): boolean {
  const judged = judge(pulled, directory, answer);
  const isTrusted = judged.line.hash === line.hash ? line.trusted : judged.line.trusted;
  const { file, kind, base } = pulled;
  if (!isTrusted || base === null) return isTrusted;
  // A file that is new may stand in the place of another.
  return loadedBy([file], kind, directory, base).every(
    (loaded) => judge(loaded, directory, answer).line.trusted,
  );
}

/** What programs load of the project. */
function loadedBy(programs: string[], kind: Kind, directory: string, base: string): Pulled[] {
  const isOurs = (file: string) => comesWith([directory, base], file);
  return findReached(programs, { directory, base, isOurs }).map((reached) => ({
    file: reached.path,
    kind,
    tree: reached.form === "file" ? null : reached,
    base: null,
  }));
}

type Pulled = Pick<PulledFile, "file" | "kind" | "tree" | "base">;

function judge(
  { file, kind, tree }: Pulled,
  directory: string,
  answer: TrustDecision,
): Pick<PulledFile, "text" | "line"> {
  if (tree === null) return judgeFile(file, kind, directory, answer);
  const { form, endings } = tree;
  const name = relative(directory, file) || ".";
  const code = endings === null ? null : hashTree(file, endings);
  const treeHash = hashValue({ kind, form, name, content: code?.hash ?? null });
  const description =
    code === null
      ? "it cannot be trusted, because it holds too much code to be compared"
      : `${countOf(code.files, "file")} of code that ${kind === "command" ? "a program" : `the ${kind}`} can load`;
  const line = lineWith(visible(name), "", treeHash, code === null ? () => undefined : answer);
  return { text: null, line: { ...line, launch: visible(`${form}; ${description}`) } };
}

function judgeFile(file: string, kind: Kind, directory: string, answer: TrustDecision) {
  const name = relative(directory, file) || file;
  // What a link out of the project leads to did not come with it; where it leads did.
  const isLinked = (kind === "file" || codeKinds.includes(kind)) && !isInside(directory, file);
  const fileContent = isLinked ? null : contentOf(file);
  const bytes = fileContent === "incomparable" ? null : fileContent;
  const text = bytes?.toString("utf8") ?? null;
  const content = bytes === null ? null : hashText(bytes);
  const target = isLinked ? realPath(file) : null;
  const fileHash = hashValue({ kind, name, content, ...(target !== null && { target }) });
  const description =
    target === null
      ? describe(kind, name, text, fileContent === "incomparable")
      : [`${kind}; a link to ${target}`];
  // Later content could not be distinguished from this one.
  const line = lineWith(
    visible(name),
    "",
    fileHash,
    fileContent === "incomparable" ? () => undefined : answer,
  );
  return { text, line: { ...line, launch: description.map(visible).join("\n") } };
}

/** Null where it cannot be read. */
function contentOf(file: string): Buffer | "incomparable" | null {
  try {
    return readRegularFile(file, (stats) =>
      stats.isFile() && stats.size <= maxBytes ? null : ("incomparable" as const),
    );
  } catch {
    return null;
  }
}

/** Line by line. What it refers to comes first: the rest may be long. */
function describe(
  kind: Kind,
  name: string,
  text: string | null,
  isIncomparable: boolean,
): string[] {
  if (isIncomparable)
    return [
      `${kind}; it cannot be trusted, because it is not a file or is larger than ${maxBytes / 1024 / 1024} MiB`,
    ];
  if (text === null) return [`${kind}; it cannot be read`];
  if (kind === "file")
    return ["a value that is read from this file, and not shown because it may be secret"];
  // Code has `${name}` of its own, which nothing fills in.
  const isCode = codeKinds.includes(kind);
  const references = findReferences(withoutEscapes(text)).filter(
    (reference) => !isCode || reference.kind !== "env",
  );
  const names = [...new Set(references.map((reference) => reference.text))];
  const refers = names.length === 0 ? "" : `refers to ${names.join(", ")}; `;
  const lines = text.replace(/\n$/, "").split(/\r?\n/);
  const size = `${countOf(Buffer.byteLength(text), "byte")} in ${countOf(lines.length, "line")}`;
  return [`${kind}; ${refers}${size}`, ...firstLines(lines, name)];
}

/** Each behind a bar, so that none of them can pass for something that we say. */
function firstLines(lines: readonly string[], name: string): string[] {
  const shownLines: string[] = [];
  let charactersLeft = maxShown;
  for (const line of lines.slice(0, maxShownLines)) {
    if (charactersLeft <= 0) break;
    shownLines.push(`    | ${line.slice(0, charactersLeft).replaceAll("\t", "  ")}`);
    charactersLeft -= line.length + 1;
  }
  const isComplete = charactersLeft >= 0 && shownLines.length === lines.length;
  if (isComplete) return shownLines;
  return [...shownLines, `    … and more. Read all of it in ${name}`];
}

const escaped = /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|U([\da-fA-F]{8})|(["\\/])|\r?\n[ \t]*)/g;

/** JSON and YAML can write a reference so that it is none in the text. */
function withoutEscapes(text: string): string {
  return text.replaceAll(
    escaped,
    (_, fourDigits?: string, twoDigits?: string, eightDigits?: string, sign?: string) => {
      const code = Number.parseInt(fourDigits ?? twoDigits ?? eightDigits ?? "", 16);
      return sign ?? (code <= 0x10ffff ? String.fromCodePoint(code) : "");
    },
  );
}

const baseOf = ({ origin }: Setting) => dirname(resolve(origin.file));

function documentOf(setting: Setting, environment: Environment, mayExpand: boolean): string[] {
  const { value } = setting;
  if (typeof value !== "string" || (findReferences(value).length > 0 && !mayExpand)) return [];
  return documentFile(
    String(expandEnvironment(value, environment, () => undefined)),
    baseOf(setting),
  );
}

/** None for an address. */
export function documentFile(location: string, directory: string): string[] {
  if (/^https?:\/\//i.test(location)) return [];
  const isUrl = /^file:\/\//i.test(location);
  if (isUrl && !URL.canParse(location)) return [];
  return [isUrl ? fileURLToPath(location) : resolve(directory, location)];
}

function manifestsOf(
  setting: Setting,
  {
    environment,
    mayExpand,
    configFiles,
  }: Pick<Sources, "environment" | "mayExpand" | "configFiles">,
): string[] {
  const globs = Array.isArray(setting.value)
    ? setting.value.filter((glob) => typeof glob === "string")
    : [];
  const expandedGlobs = globs.flatMap((glob) => {
    if (findReferences(glob).length === 0) return [glob];
    if (mayExpand()) return [String(expandEnvironment(glob, environment, () => undefined))];
    return [];
  });
  const files = expandedGlobs.flatMap((glob) => findFiles(glob, baseOf(setting)).files);
  return [...new Set(files)].filter((file) => !configFiles.includes(file));
}

function hookCommands(setting: Setting): string[][] {
  const hooks = listOrEmpty(setting.value);
  return hooks.flatMap((hook) => {
    const command = listOrEmpty(objectOrEmpty(hook).command);
    return [command.filter((argument): argument is string => typeof argument === "string")];
  });
}

/** Programs that references run to get a value. */
function commandsIn(value: unknown): string[] {
  const commands: string[] = [];
  mapTexts(value, (text) => {
    for (const { kind, name } of findReferences(text)) if (kind === "command") commands.push(name);
    return text;
  });
  return commands;
}

function extensionFiles(setting: Setting): string[] {
  const uses = [setting.value].flat();
  return uses.flatMap((extension) => {
    const use = isObject(extension) ? extension.use : extension;
    const location = typeof use === "string" ? findModule(use, baseOf(setting)) : null;
    if (location !== null && "file" in location) return [location.file];
    return [];
  });
}

function referredIn(value: unknown, base: string): string[] {
  const files: string[] = [];
  mapTexts(value, (text) => {
    for (const { kind, name } of findReferences(text))
      if (kind === "file" && !/^~[/\\]/.test(name)) files.push(resolve(base, name));
    return text;
  });
  return files;
}

/** By its name or by its real place: a link out of the project comes with it too. */
function comesWith(directories: readonly string[], file: string): boolean {
  return directories.some((directory) => isBelow(directory, file) || isInside(directory, file));
}

function isInside(directory: string, file: string): boolean {
  return isBelow(realPath(directory), realPath(file));
}

function isBelow(directory: string, file: string): boolean {
  const path = relative(directory, file);
  return path !== "" && path.split(sep)[0] !== ".." && !isAbsolute(path);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
