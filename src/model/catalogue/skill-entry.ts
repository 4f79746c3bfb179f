import { isObject, type UnknownObject } from "../json.ts";

/** A skill that a server publishes (SEP-2640): instructions in a `SKILL.md`, and the files beside it. */
export type PublishedSkill = {
  /** Of its `SKILL.md`. */
  uri: string;
  frontmatter: UnknownObject & { name: string; description: string };
  resources: readonly SkillFile[] | "dynamic";
};

type SkillFile = { uri: string; digest: string; size: number };

/** Of one skill, as the extension says. */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024, frontmatter: 64 * 1024, address: 2_000 } as const;

const file = "/SKILL.md";
const nameShape = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const digestShape = /^sha256:[0-9a-f]{64}$/;
const longestDescription = 1_024;

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
  const { name, description } = isObject(frontmatter) ? frontmatter : ({} as UnknownObject);
  if (typeof name !== "string" || !nameShape.test(name)) return { wrong: "its name is not valid" };
  if (typeof description !== "string" || description.trim() === "" || description.length > longestDescription)
    return { wrong: `its description is missing or longer than ${longestDescription} characters` };
  if (JSON.stringify(frontmatter).length > skillLimits.frontmatter) return { wrong: "its frontmatter is too long" };
  if (skillRoot(uri).split("/").at(-1) !== name) return { wrong: "its directory is not called as it is" };
  const wrong = resources === "dynamic" ? null : wrongFiles(uri, resources);
  return wrong === null ? (entry as PublishedSkill) : { wrong };
}

function wrongFiles(uri: string, resources: unknown): string | null {
  if (!Array.isArray(resources)) return "it does not list its files";
  if (resources.length > skillLimits.files) return `it has more than ${skillLimits.files} files`;
  const seen = new Set<unknown>();
  let bytes = 0;
  for (const one of resources) {
    if (!isObject(one) || typeof one.uri !== "string" || seen.has(one.uri))
      return "a file is listed twice or has no address";
    if (!one.uri.startsWith(`${skillRoot(uri)}/`) || isSteppingOut(one.uri))
      return "a file is outside of its directory";
    if (typeof one.digest !== "string" || !digestShape.test(one.digest)) return "a file has no valid digest";
    if (typeof one.size !== "number" || !Number.isSafeInteger(one.size) || one.size < 0)
      return "a file has no valid size";
    seen.add(one.uri);
    bytes += one.size;
  }
  if (bytes > skillLimits.bytes) return `its files are larger than ${skillLimits.bytes / 1024 / 1024} MiB`;
  return seen.has(uri) ? null : "its SKILL.md is not among its files";
}
