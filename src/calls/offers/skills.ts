import { createLru } from "../../lib/lru.ts";
import {
  isSteppingOut,
  type PublishedSkill,
  readSkill,
  skillRoot,
} from "../../model/catalogue/skill-entry.ts";
import { PlaneError, quarantineHints } from "../../model/errors.ts";
import { isObject, listOrEmpty, type UnknownObject } from "../../model/json.ts";

/** Of one server that are kept. */
const maxSkills = 2_000;
const maxServers = 1_000;
const maxLeftOut = 100;

type Owner = { user: string | null } | undefined;

export type SkillPorts = {
  /** Why each of these is quarantined, or null. */
  judge(
    server: string,
    kind: "skills",
    items: readonly unknown[],
    owner?: Owner,
  ): Promise<(string | null)[]>;
};

/** What a server says of its skills is held to it: by pins when it is listed, by digests when a file is read. */
export function createSkillGuard({ judge }: SkillPorts) {
  const knownSkills = createLru<Map<string, PublishedSkill>>(maxServers);

  async function release(
    server: string,
    owner: Owner,
    published: readonly PublishedSkill[],
  ): Promise<(string | null)[]> {
    const key = JSON.stringify([server, owner?.user ?? null]);
    const skillsByUri = knownSkills.get(key) ?? new Map<string, PublishedSkill>();
    knownSkills.set(key, skillsByUri);
    for (const skill of published)
      if (skillsByUri.has(skill.uri) || skillsByUri.size < maxSkills)
        skillsByUri.set(skill.uri, skill);
    const skills = [...skillsByUri.values()];
    const reasons = await judge(server, "skills", skills.map(pinned), owner);
    const byUri = new Map(skills.map(({ uri }, index) => [uri, reasons[index] ?? null]));
    const tooMany = `its server has more than ${maxSkills} skills`;
    return published.map(({ uri }) => (byUri.has(uri) ? (byUri.get(uri) ?? null) : tooMany));
  }

  return {
    /** The list without what must not be loaded; `leftOut` says why. */
    async list(server: string, owner: Owner, answer: UnknownObject): Promise<UnknownObject> {
      const listed = listOrEmpty(answer.skills).slice(0, maxSkills);
      const leftOut = saidLeftOut(answer.leftOut);
      const fitting = listed.flatMap((entry) => {
        const skill = readSkill(entry);
        if (!("wrong" in skill)) return [skill];
        leftOut.push({
          uri: String(isObject(entry) ? entry.uri : "").slice(0, 200),
          why: skill.wrong,
        });
        return [];
      });
      // Nothing says which of two is meant.
      const alike = Map.groupBy(fitting, ({ uri }) => uri);
      const valid = fitting.filter(({ uri }) => alike.get(uri)?.length === 1);
      for (const [uri, namesakes] of alike)
        if (namesakes.length > 1)
          leftOut.push({ uri: uri.slice(0, 200), why: "its address is listed more than once" });
      const reasons = await release(server, owner, valid);
      const skills = valid.filter(({ uri }, index) => {
        const why = reasons[index] ?? null;
        if (why !== null) leftOut.push({ uri: uri.slice(0, 200), why });
        return why === null;
      });
      const { leftOut: _, ...otherFields } = answer;
      if (leftOut.length === 0) return { ...otherFields, skills };
      return { ...otherFields, skills, leftOut: leftOut.slice(0, maxLeftOut) };
    },
    async get(server: string, owner: Owner, answer: UnknownObject): Promise<UnknownObject> {
      const skill = readSkill(answer.skill);
      if ("wrong" in skill) throw refused(server, `The skill cannot be loaded: ${skill.wrong}.`);
      const [reason] = await release(server, owner, [skill]);
      if (reason) {
        const data = { server, personHints: quarantineHints(`skill:${server}/${skill.uri}`) };
        throw new PlaneError(
          "TOOL_QUARANTINED",
          `Skill '${skill.uri}' of server '${server}' is quarantined: ${reason}.`,
          { data },
        );
      }
      return { ...answer, skill };
    },
    /** Is it the text of a known skill? */
    isSkill: (server: string, owner: Owner, uri: string): boolean =>
      knownSkills.get(JSON.stringify([server, owner?.user ?? null]))?.has(uri) ?? false,
    /** Refuses a file of a known skill that is not what the skill's list of files says. */
    async check(server: string, owner: Owner, uri: string, answer: UnknownObject): Promise<void> {
      const skills = knownSkills.get(JSON.stringify([server, owner?.user ?? null]));
      if (skills === undefined) return;
      const containing = [...skills.values()].filter((skill) =>
        uri.startsWith(`${skillRoot(skill.uri)}/`),
      );
      if (containing.length === 0) return;
      const reasons = await release(server, owner, containing);
      const why = reasons.find((reason) => reason !== null);
      if (why) throw refused(server, `'${uri}' belongs to a skill that is quarantined: ${why}.`);
      if (isSteppingOut(uri)) throw refused(server, `'${uri}' leads out of the skill.`);
      for (const skill of containing)
        if (skill.resources !== "dynamic") checkFile(server, skill, uri, answer);
    },
  };
}

/** What a server itself did not list, as far as it can be read. */
function saidLeftOut(listed: unknown): { uri: string; why: string }[] {
  const entries = listOrEmpty(listed).slice(0, maxLeftOut);
  return entries.flatMap((skipped) => {
    if (!isObject(skipped)) return [];
    const { uri, why } = skipped;
    if (typeof uri !== "string" || typeof why !== "string") return [];
    return [{ uri: uri.slice(0, 200), why: why.slice(0, 300) }];
  });
}

/** What is pinned of a skill: its frontmatter, and the digests of its files. */
const pinnedSkills = new WeakMap<PublishedSkill, UnknownObject>();
function pinned(skill: PublishedSkill): UnknownObject {
  const pin = pinnedSkills.get(skill) ?? {
    uri: skill.uri,
    frontmatter: skill.frontmatter,
    resources: skill.resources,
  };
  pinnedSkills.set(skill, pin);
  return pin;
}

function checkFile(
  server: string,
  { resources }: PublishedSkill,
  uri: string,
  { contents }: UnknownObject,
): void {
  const listed = Array.isArray(resources) ? resources.find((file) => file.uri === uri) : undefined;
  if (listed === undefined) throw refused(server, `'${uri}' is not among the files of its skill.`);
  const [content, ...moreContents] = listOrEmpty(contents);
  const bytes = isObject(content) ? bytesOf(content) : null;
  if (bytes === null || moreContents.length > 0)
    throw refused(server, `'${uri}' was not answered with one file.`);
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (bytes.length !== listed.size || digest !== listed.digest)
    throw refused(
      server,
      `'${uri}' is not what the skill's list of files says. Ask for the skill again: it may have changed.`,
    );
}

function bytesOf({ text, blob }: UnknownObject): Buffer | null {
  if (typeof text === "string") return Buffer.from(text, "utf8");
  if (typeof blob !== "string") return null;
  return Buffer.from(blob, "base64");
}

function refused(server: string, message: string): PlaneError {
  return new PlaneError("TOOL_QUARANTINED", message, { data: { server } });
}
