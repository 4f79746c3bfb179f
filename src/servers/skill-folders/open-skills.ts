import { realpath } from "node:fs/promises";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { fileErrorText } from "../../lib/files.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { version } from "../../lib/version.ts";
import type { UnknownObject } from "../../model/json.ts";
import { skillsExtension } from "../../protocol/extensions.ts";
import {
  type Channel,
  type ChannelHandlers,
  RpcError,
  TransportError,
} from "../../protocol/message.ts";
import { legacyVersions, modernVersion } from "../../protocol/session.ts";
import {
  type FolderListing,
  type FolderSkill,
  type KnownDigests,
  readFolder,
  readInside,
} from "./read-folder.ts";

/** Between two looks at the folder, or a hundred times what a look takes. */
const pollMs = 2_000;

/** A folder with skills, as a server of MCP within this process. */
export function openSkills(folder: string, handlers: ChannelHandlers): Channel {
  const shelf = createShelf(folder);
  const watch = watchShelf(shelf, () =>
    handlers.onMessage({ jsonrpc: "2.0", method: "notifications/resources/list_changed" }),
  );
  let isClosed = false;
  return {
    pid: null,
    useProtocolVersion() {},
    async send(message) {
      if (isClosed) throw new TransportError("the connection was closed", { sent: false });
      if (!("method" in message) || !("id" in message)) return;
      const { id, method, params = {} } = message;
      const answered = await answer(shelf, method, params).then(
        (result) => ({ result }),
        (thrown) => {
          if (thrown instanceof RpcError)
            return { error: { code: thrown.code, message: thrown.message } };
          throw thrown;
        },
      );
      if (!isClosed) handlers.onMessage({ jsonrpc: "2.0", id, ...answered }, id);
    },
    async close() {
      isClosed = true;
      watch.stop();
    },
  };
}

type Shelf = ReturnType<typeof createShelf>;

/** The last listing, and a new one for all that ask at the same time. */
function createShelf(folder: string) {
  const digests: KnownDigests = new Map();
  let looking: Promise<FolderListing> | null = null;
  let lastListing: FolderListing | null = null;
  async function look(): Promise<FolderListing> {
    looking ??= readFolder(folder, digests)
      .catch((thrown) => {
        throw new TransportError(
          `its folder of skills cannot be read: ${fileErrorText(thrown)}. Correct 'skills'`,
          {
            sent: false,
            permanent: true,
          },
        );
      })
      .finally(() => {
        looking = null;
      });
    lastListing = await looking;
    return lastListing;
  }
  return {
    folder,
    look,
    async containing(uri: string): Promise<{ skill: FolderSkill; path: string } | undefined> {
      const find = ({ skills }: FolderListing) => {
        const skill = skills.find(({ paths }) => paths.has(uri));
        return skill && { skill, path: skill.paths.get(uri) as string };
      };
      return (lastListing && find(lastListing)) ?? find(await look());
    },
  };
}

/** Looks again from time to time, and says when something is different. */
function watchShelf(shelf: Shelf, changed: () => void) {
  let previousSkills: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const wait = (ms: number) => {
    if (!isStopped) timer = setTimeout(lookAgain, ms).unref();
  };
  async function lookAgain(): Promise<void> {
    const begunAt = steadyNow();
    // The next request reports a folder that cannot be read.
    const listing = await shelf.look().catch(() => null);
    const currentSkills = JSON.stringify(listing?.skills.map(({ skill }) => skill) ?? null);
    if (previousSkills !== null && currentSkills !== previousSkills && !isStopped) changed();
    previousSkills = currentSkills;
    wait(Math.max(pollMs, 100 * (steadyNow() - begunAt)));
  }
  wait(0);
  return {
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function answer(shelf: Shelf, method: string, params: UnknownObject): Promise<UnknownObject> {
  if (method === "ping") return {};
  if (method === "server/discover" || method === "initialize") {
    await shelf.look();
    const serverInfo = { name: "skills", version };
    const capabilities = {
      resources: { listChanged: true },
      extensions: { [skillsExtension]: { directoryRead: true } },
    };
    if (method === "initialize")
      return { protocolVersion: legacyVersions[0], capabilities, serverInfo };
    const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
    return { supportedVersions: [modernVersion], capabilities, _meta };
  }
  if (method === "resources/list")
    return { resources: (await shelf.look()).skills.map(toResource) };
  if (method === "resources/templates/list") return { resourceTemplates: [] };
  if (method === "resources/read") return { contents: [await read(shelf, String(params.uri))] };
  if (method === "skills/list") {
    const { skills, leftOut } = await shelf.look();
    return { skills: skills.map(({ skill }) => skill), ...(leftOut.length > 0 && { leftOut }) };
  }
  if (method === "skills/get") {
    const published = (await shelf.look()).skills.find(({ skill }) => skill.uri === params.uri);
    if (published === undefined) throw notFound(params.uri);
    return { skill: published.skill };
  }
  if (method === "resources/directory/read")
    return { resources: await childrenOf(shelf, String(params.uri)) };
  throw new RpcError(-32601, `Method not found: ${method}`);
}

function toResource({
  skill: { uri, frontmatter, resources },
  changedAt,
}: FolderSkill): UnknownObject {
  const { name, description } = frontmatter;
  const files = Array.isArray(resources) ? resources : [];
  const size = files.find((file) => file.uri === uri)?.size;
  const annotations = { lastModified: changedAt.toISOString() };
  return {
    uri,
    name,
    description,
    mimeType: "text/markdown",
    annotations,
    ...withoutUndefined({ size }),
  };
}

async function read(shelf: Shelf, uri: string): Promise<UnknownObject> {
  const location = await shelf.containing(uri);
  if (location === undefined) throw notFound(uri);
  const bytes = await realpath(shelf.folder)
    .then((root) => readInside(root, location.path))
    .catch((thrown) => {
      throw new RpcError(-32603, `'${uri}' cannot be read: ${fileErrorText(thrown)}.`);
    });
  const text = textOf(bytes);
  const isMarkdown = /\.(?:md|markdown)$/i.test(uri);
  if (text === null) {
    const blob = bytes.toString("base64");
    return isMarkdown ? { uri, mimeType: "text/markdown", blob } : { uri, blob };
  }
  return { uri, mimeType: isMarkdown ? "text/markdown" : "text/plain", text };
}

/** Null where the text would not be the same bytes. */
function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** What is right below a directory that a skill is in, or that a skill has. */
async function childrenOf(shelf: Shelf, directory: string): Promise<UnknownObject[]> {
  const root = directory === "skill://" ? directory : `${directory.replace(/(?<!\/)\/+$/, "")}/`;
  const addresses = (await shelf.look()).skills.flatMap(({ paths }) => [...paths.keys()]);
  const children = new Map<string, UnknownObject>();
  for (const uri of addresses) {
    if (!uri.startsWith(root)) continue;
    const [first = "", ...deeper] = uri.slice(root.length).split("/");
    const name = decodeURIComponent(first);
    const isFile = deeper.length === 0;
    children.set(first, {
      uri: root + first,
      name,
      ...(isFile ? {} : { mimeType: "inode/directory" }),
    });
  }
  if (children.size === 0) throw notFound(directory);
  return [...children.values()];
}

function notFound(uri: unknown): RpcError {
  return new RpcError(
    -32602,
    `No skill, file or directory '${String(uri).slice(0, 200)}' is in this folder.`,
  );
}
