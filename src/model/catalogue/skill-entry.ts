import { isObject, objectOrEmpty, type UnknownObject } from "../json.ts";

/** A skill that a server publishes (SEP-2640): instructions in a `SKILL.md`, and the files beside it. */
export type PublishedSkill = {
  /** Of its `SKILL.md`. */
  uri: string;
  frontmatter: UnknownObject & { name: string; description: string };
  resources: readonly SkillFile[] | "dynamic";
};

/** A skill with the server or folder that has it. */
export type ServerSkill = PublishedSkill & { server: string };

/** Skills, and what cannot be loaded, with the reason. */
export type SkillShelf = {
  skills: ServerSkill[];
  leftOut: { server: string; uri: string; why: string }[];
};

type SkillFile = { uri: string; digest: string; size: number };

/** Of one skill, as the extension says. */
export const skillLimits = {
  files: 512,
  bytes: 16 * 1024 * 1024,
  frontmatter: 64 * 1024,
  address: 2_000,
} as const;

const file = "/SKILL.md";
const nameShape = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const digestShape = /^sha256:[0-9a-f]{64}$/;
const maxLevels = 64;
const longestDescription = 1_024;
const longestCompatibility = 500;

/** The directory of a skill. */
export const skillRoot = (uri: string): string => uri.slice(0, -file.length);

/** Could an address mean another file than it seems to? */
export function isSteppingOut(address: string): boolean {
  if (address.length > skillLimits.address || /[\\\u0000-\u001f?#]/.test(address)) return true;
  const path = address.slice(address.indexOf("://") + 3);
  // Encoded twice or in another case, it is the same step for some servers.
  const plain = path
    .replaceAll(/%25/g, "%")
    .replaceAll(/%2e/gi, ".")
    .replaceAll(/%2f|%5c/gi, "/");
  return plain.split("/").some((segment) => segment === ".." || segment === ".");
}

/** A skill that may be loaded, or why it may not. */
export function readSkill(entry: unknown): PublishedSkill | { wrong: string } {
  if (!isObject(entry) || typeof entry.uri !== "string" || !entry.uri.endsWith(file))
    return { wrong: "its address is not that of a SKILL.md" };
  const { uri, frontmatter, resources } = entry;
  if (isSteppingOut(uri)) return { wrong: "its address leads elsewhere" };
  const { name, description } = objectOrEmpty(frontmatter);
  if (typeof name !== "string" || !nameShape.test(name))
    return {
      wrong: "its name is not made of a-z, 0-9 and single hyphens, or has more than 64 characters",
    };
  if (
    typeof description !== "string" ||
    description.trim() === "" ||
    description.length > longestDescription
  )
    return { wrong: `its description is missing or longer than ${longestDescription} characters` };
  if (isDeeperThan(frontmatter, maxLevels)) return { wrong: "its frontmatter is nested too deep" };
  const wrongField = problemWithFields(frontmatter as UnknownObject);
  if (wrongField !== null) return { wrong: wrongField };
  if (JSON.stringify(frontmatter).length > skillLimits.frontmatter)
    return { wrong: "its frontmatter is too long" };
  if (skillRoot(uri).split("/").at(-1) !== name)
    return { wrong: "its directory is not called as it is" };
  const wrong = resources === "dynamic" ? null : problemWithFiles(uri, resources);
  return wrong === null ? (entry as PublishedSkill) : { wrong };
}

/** What is deeper cannot be written as JSON, and its list with it. */
function isDeeperThan(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((part) =>
      typeof part === "object" && part !== null ? Object.values(part) : [],
    );
  }
  return false;
}

/** Clients refuse a whole list because of one of these. */
function problemWithFields({ compatibility, metadata }: UnknownObject): string | null {
  const isFitting =
    typeof compatibility === "string" &&
    compatibility !== "" &&
    compatibility.length <= longestCompatibility;
  if (compatibility !== undefined && !isFitting)
    return `'compatibility' is not a text of up to ${longestCompatibility} characters`;
  const isMap =
    isObject(metadata) && Object.values(metadata).every((value) => typeof value === "string");
  return metadata === undefined || isMap
    ? null
    : "'metadata' has values that are not texts; put them in quotes";
}

/** As clients compare addresses. */
function canonical(uri: string): string {
  return URL.parse(uri)?.href ?? uri;
}

function problemWithFiles(uri: string, resources: unknown): string | null {
  if (!Array.isArray(resources)) return "it does not list its files";
  if (resources.length > skillLimits.files) return `it has more than ${skillLimits.files} files`;
  const seenAddresses = new Set<unknown>();
  let bytes = 0;
  for (const file of resources) {
    if (!isObject(file) || typeof file.uri !== "string" || seenAddresses.has(canonical(file.uri)))
      return "a file is listed twice or has no address";
    if (!file.uri.startsWith(`${skillRoot(uri)}/`) || isSteppingOut(file.uri))
      return "a file is outside of its directory";
    if (typeof file.digest !== "string" || !digestShape.test(file.digest))
      return "a file has no valid digest";
    if (typeof file.size !== "number" || !Number.isSafeInteger(file.size) || file.size < 0)
      return "a file has no valid size";
    seenAddresses.add(canonical(file.uri));
    bytes += file.size;
  }
  if (bytes > skillLimits.bytes)
    return `its files are larger than ${skillLimits.bytes / 1024 / 1024} MiB`;
  return seenAddresses.has(canonical(uri)) ? null : "its SKILL.md is not among its files";
}
