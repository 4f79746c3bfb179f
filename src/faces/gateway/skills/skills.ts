import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { errorText } from "../../../lib/text/error-text.ts";
import {
  type PublishedSkill,
  type ServerSkill,
  skillRoot,
} from "../../../model/catalogue/skill-entry.ts";
import { isObject, stringOrEmpty, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { OfferOptions } from "../../../model/plane-tools.ts";
import { skillsExtension } from "../../../protocol/extensions.ts";
import { RpcError } from "../../../protocol/message.ts";
import { isScoped, readScoped, showScoped } from "../apps/addresses.ts";
import { listParam, objectParam, type RequestContext, textParam } from "../request.ts";
import type { Surface } from "../surfaces.ts";
import { createFirstWait } from "../tool-list.ts";

/** Children of a directory that are passed on. */
const maxChildren = 2_000;

/** A skill under the address that clients know. */
export type ShownSkill = {
  server: string;
  serverUri: string;
  shown: PublishedSkill;
  prompt: string;
};

type Forward = (
  server: string,
  method: string,
  params: UnknownObject,
  context: RequestContext,
) => Promise<UnknownObject>;

const ownScheme = "toolplane://";

/** Any address of a server, under its name. */
export function showAddress(server: string, address: string): string {
  if (isScoped(address)) return showScoped(server, address);
  return `${ownScheme}${encodeURIComponent(server)}/${address}`;
}

/** The server of an address, and the address there. */
function readShown(
  shown: string,
  servers: Iterable<string>,
): { server: string; uri: string } | undefined {
  const serverNames = [...servers];
  const scoped = readScoped(shown, serverNames);
  if (scoped) return scoped;
  for (const server of serverNames) {
    const prefix = `${ownScheme}${encodeURIComponent(server)}/`;
    if (shown.startsWith(prefix)) return { server, uri: shown.slice(prefix.length) };
  }
  return undefined;
}

/** The skills of all servers in view, as one list. */
export function createSkillList(plane: Plane, forward: Forward) {
  const firstWait = createFirstWait<ServerSkill>(plane, ({ listedAt }) => listedAt === null);
  const serversWith = async ({ servers, principal }: Surface): Promise<string[]> =>
    [...(await servers())].filter((name) =>
      Object.hasOwn(plane.servers.extensions(name, { principal }), skillsExtension),
    );

  /** The server of an address, and the address there. */
  async function findAddress(
    surface: Surface,
    shown: unknown,
  ): Promise<{ server: string; uri: string }> {
    const text = stringOrEmpty(shown);
    const address = readShown(text, await serversWith(surface));
    if (address) return address;
    throw new RpcError(
      -32602,
      `No skill or directory '${text.slice(0, 200)}'. 'skills/list' tells which there are.`,
    );
  }

  return {
    async all(surface: Surface, options: Omit<OfferOptions, "principal">): Promise<ShownSkill[]> {
      const servers = [...(await surface.servers())];
      const { principal } = surface;
      const list = async (waitMs: number) =>
        (await plane.skills.published({ ...options, principal, servers, waitMs })).skills;
      return nameAll(await firstWait(principal, list));
    },
    async get(
      surface: Surface,
      params: UnknownObject,
      context: RequestContext,
    ): Promise<UnknownObject> {
      const { server, uri } = await findAddress(surface, params.uri);
      const answer = await forward(server, "skills/get", { uri }, context);
      return { ...answer, skill: show(server, answer.skill as PublishedSkill) };
    },
    /** The children of a directory; what a server lists beside them is left out. */
    async directory(
      surface: Surface,
      params: UnknownObject,
      context: RequestContext,
    ): Promise<UnknownObject> {
      const { server, uri } = await findAddress(surface, params.uri);
      const { cursor } = params;
      const answer = await forward(
        server,
        "resources/directory/read",
        withoutUndefined({ uri, cursor }),
        context,
      );
      const root = `${uri.replace(/(?<!\/)\/+$/, "")}/`;
      const isInside = (child: unknown): child is { uri: string } =>
        isObject(child) && typeof child.uri === "string" && child.uri.startsWith(root);
      const children = listParam(answer, "resources").slice(0, maxChildren).filter(isInside);
      const resources = children.map((child) => {
        return { ...child, uri: showAddress(server, child.uri) };
      });
      return { ...answer, resources };
    },
  };
}

function show(server: string, skill: PublishedSkill): PublishedSkill {
  const { resources } = skill;
  const shown = { ...skill, uri: showAddress(server, skill.uri), resources };
  if (!Array.isArray(resources)) return shown;
  shown.resources = resources.map((file) => ({ ...file, uri: showAddress(server, file.uri) }));
  return shown;
}

/** Two skills of one server may have the same name in different directories. */
function nameAll(skills: readonly ServerSkill[]): ShownSkill[] {
  const ownName = ({ server, frontmatter }: ServerSkill) => `${server}__skill_${frontmatter.name}`;
  const alike = Map.groupBy(skills, ownName);
  const prompts = new Set<string>();
  return skills.map((skill) => {
    const { server, ...published } = skill;
    const isAlone = alike.get(ownName(skill))?.length === 1;
    const path = skillRoot(skill.uri).replace(/^[^:]*:\/\//, "");
    const name = isAlone ? ownName(skill) : `${server}__skill_${path.replaceAll(/[^\w-]+/g, "_")}`;
    // The address tells them apart in any case.
    const prompt = prompts.has(name) ? `${name}_${prompts.size}` : name;
    prompts.add(prompt);
    return { server, serverUri: skill.uri, shown: show(server, published), prompt };
  });
}

/** For clients that do not know the extension: each skill as a prompt. */
export function toPrompt({
  prompt,
  shown: { frontmatter },
}: ShownSkill): UnknownObject & { name: string } {
  return {
    name: prompt,
    title: frontmatter.name,
    description: frontmatter.description,
  };
}

/** And its text as a resource. */
export function toResource({
  shown: { uri, frontmatter },
}: ShownSkill): UnknownObject & { uri: string } {
  return {
    uri,
    name: frontmatter.name,
    description: frontmatter.description,
    mimeType: "text/markdown",
  };
}

/** The text of a skill as a message, with the address that its files are below. */
export function toMessages({ shown }: ShownSkill, read: UnknownObject): UnknownObject {
  const [content] = listParam(read, "contents");
  const text = isObject(content) ? textParam(content, "text") : null;
  const whereFilesAre = `The files of this skill are resources below ${skillRoot(shown.uri)}.`;
  const message = {
    role: "user",
    content: { type: "text", text: `${text ?? ""}\n\n${whereFilesAre}` },
  };
  return { description: shown.frontmatter.description, messages: [message] };
}

/** Does the client load skills by itself? */
export function knowsSkills({ client }: Pick<RequestContext, "client">): boolean {
  return Object.hasOwn(objectParam(client.capabilities, "extensions"), skillsExtension);
}

/** A model that cannot read resources reads a skill, or a file of one, as it calls a tool. Null for any other name. */
export async function readSkillCall(
  plane: Plane,
  surface: Surface,
  shown: string,
  context: RequestContext,
): Promise<UnknownObject | null> {
  if (!shown.startsWith("skill://") && !shown.startsWith(ownScheme)) return null;
  const address = readShown(shown, await surface.servers());
  if (address === undefined) return null;
  const { principal } = surface;
  const { signal, conversation } = context;
  const isSkills = Object.hasOwn(
    plane.servers.extensions(address.server, { principal }),
    skillsExtension,
  );
  if (!isSkills) return null;
  const options = {
    face: "mcp" as const,
    principal,
    signal,
    ...(conversation !== null && { conversation }),
  };
  try {
    const resources = await plane.resources.read(address.server, address.uri, options);
    const [content] = isObject(resources) ? listParam(resources, "contents") : [];
    if (!isObject(content)) return null;
    const resource = { ...content, uri: shown };
    if (typeof content.text !== "string") return { content: [{ type: "resource", resource }] };
    return { content: [{ type: "text", text: content.text }] };
  } catch (thrown) {
    const text = errorText(thrown);
    return { content: [{ type: "text", text }], isError: true };
  }
}
