import { steadyNow } from "../../../lib/async/steady-time.ts";
import { type PublishedSkill, skillRoot } from "../../../model/catalogue/skill-entry.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { skillsExtension } from "../../../protocol/extensions.ts";
import { RpcError } from "../../../protocol/message.ts";
import { isScoped, readScoped, showScoped } from "../apps/addresses.ts";
import { objectParam, type RequestContext } from "../request.ts";
import type { Surface } from "../surfaces.ts";

/** How long a list is taken for current; pins and digests are looked at with each use. */
const freshMs = 10_000;
const maxPages = 50;
const maxSkills = 2_000;

/** A skill under the address that clients know. */
export type ShownSkill = { server: string; own: string; shown: PublishedSkill };

type Forward = (
  server: string,
  method: string,
  params: UnknownObject,
  context: RequestContext,
) => Promise<UnknownObject>;

const ownScheme = "toolplane://";

/** Any address of a server, under its name. */
export function showAddress(server: string, address: string): string {
  return isScoped(address) ? showScoped(server, address) : `${ownScheme}${encodeURIComponent(server)}/${address}`;
}

/** The skills of all servers in view, as one list. */
export function createSkillList(plane: Plane, forward: Forward) {
  const kept = new WeakMap<Surface, { at: number; skills: Promise<ShownSkill[]> }>();

  const serversWith = async ({ servers, principal }: Surface): Promise<string[]> =>
    [...(await servers())].filter((name) =>
      Object.hasOwn(plane.servers.extensions(name, { principal }), skillsExtension),
    );

  async function listOne(server: string, context: RequestContext): Promise<ShownSkill[]> {
    const found: ShownSkill[] = [];
    let cursor: string | undefined;
    const seen = new Set<string>();
    for (let page = 0; page < maxPages && found.length < maxSkills; page++) {
      const answer = await forward(server, "skills/list", cursor === undefined ? {} : { cursor }, context);
      for (const skill of answer.skills as PublishedSkill[]) found.push(show(server, skill));
      if (typeof answer.nextCursor !== "string" || seen.has(answer.nextCursor)) break;
      cursor = answer.nextCursor;
      seen.add(cursor);
    }
    return found.slice(0, maxSkills);
  }

  async function ask(surface: Surface, context: RequestContext): Promise<ShownSkill[]> {
    const lists = (await serversWith(surface)).map((server) => listOne(server, context).catch(() => []));
    return (await Promise.all(lists)).flat();
  }

  /** The server of an address, and the address there. */
  async function find(surface: Surface, shown: unknown): Promise<{ server: string; uri: string }> {
    const servers = await serversWith(surface);
    const text = typeof shown === "string" ? shown : "";
    const scoped = readScoped(text, servers);
    if (scoped) return scoped;
    for (const server of servers) {
      const prefix = `${ownScheme}${encodeURIComponent(server)}/`;
      if (text.startsWith(prefix)) return { server, uri: text.slice(prefix.length) };
    }
    throw new RpcError(-32602, `No skill or directory '${text.slice(0, 200)}'. 'skills/list' tells which there are.`);
  }

  return {
    all(surface: Surface, context: RequestContext): Promise<ShownSkill[]> {
      const before = kept.get(surface);
      if (before && steadyNow() - before.at < freshMs) return before.skills;
      const skills = ask(surface, context);
      kept.set(surface, { at: steadyNow(), skills });
      skills.catch(() => kept.delete(surface));
      return skills;
    },
    async get(surface: Surface, params: UnknownObject, context: RequestContext): Promise<UnknownObject> {
      const { server, uri } = await find(surface, params.uri);
      const answer = await forward(server, "skills/get", { uri }, context);
      return { ...answer, skill: show(server, answer.skill as PublishedSkill).shown };
    },
    /** The children of a directory; what a server lists beside them is left out. */
    async directory(surface: Surface, params: UnknownObject, context: RequestContext): Promise<UnknownObject> {
      const { server, uri } = await find(surface, params.uri);
      const { cursor } = params;
      const answer = await forward(
        server,
        "resources/directory/read",
        { uri, ...(cursor === undefined ? {} : { cursor }) },
        context,
      );
      const root = `${uri.replace(/\/+$/, "")}/`;
      const children = (Array.isArray(answer.resources) ? answer.resources : []).slice(0, maxSkills);
      const resources = children.flatMap((one) => {
        const isInside = isObject(one) && typeof one.uri === "string" && one.uri.startsWith(root);
        return isInside ? [{ ...one, uri: showAddress(server, String(one.uri)) }] : [];
      });
      return { ...answer, resources };
    },
  };
}

function show(server: string, skill: PublishedSkill): ShownSkill {
  const { resources } = skill;
  const files = Array.isArray(resources)
    ? resources.map((one) => ({ ...one, uri: showAddress(server, one.uri) }))
    : resources;
  return { server, own: skill.uri, shown: { ...skill, uri: showAddress(server, skill.uri), resources: files } };
}

/** For clients that do not know the extension: each skill as a prompt. */
export function toPrompt({ server, shown: { frontmatter } }: ShownSkill): UnknownObject & { name: string } {
  return {
    name: `${server}__skill_${frontmatter.name}`,
    title: frontmatter.name,
    description: frontmatter.description,
  };
}

/** And its text as a resource. */
export function toResource({ shown: { uri, frontmatter } }: ShownSkill): UnknownObject & { uri: string } {
  return { uri, name: frontmatter.name, description: frontmatter.description, mimeType: "text/markdown" };
}

/** The text of a skill as a message, with the address that its files are below. */
export function toMessages({ shown }: ShownSkill, read: UnknownObject): UnknownObject {
  const [content] = Array.isArray(read.contents) ? read.contents : [];
  const text = isObject(content) && typeof content.text === "string" ? content.text : "";
  const place = `The files of this skill are resources below ${skillRoot(shown.uri)}.`;
  const message = { role: "user", content: { type: "text", text: `${text}\n\n${place}` } };
  return { description: shown.frontmatter.description, messages: [message] };
}

/** Does the client load skills by itself? */
export function knowsSkills({ client }: Pick<RequestContext, "client">): boolean {
  return Object.hasOwn(objectParam(client.capabilities, "extensions"), skillsExtension);
}
