import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "@toolplane/core/config/editing";
import { configured, type Egress } from "@toolplane/core/lib/net/egress";
import { nearest } from "@toolplane/core/lib/text/nearest";
import { countOf, nounFor } from "@toolplane/core/lib/text/wording";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import {
  asQueryValue,
  asShown,
  asStored,
  type Foreign,
  fieldOf,
  foreign,
  foreignTextOf,
  isForeignObject,
  itemsOf,
} from "@toolplane/core/model/foreign";
import { fetchFile } from "./fetch-file.ts";
import { isOldVersion, parseRegistryServer, type RegistryServer } from "./server-json.ts";

const maxBytes = 16 * 1024 * 1024;
const maxCached = 5_000;
const pageSize = 100;
const maxPages = 5;

type RegistryOptions = {
  urls: readonly string[];
  /** Where answers are kept; without a directory none are. */
  directory: string | undefined;
  isOffline: boolean;
  egress: Egress;
};

export type RegistryResult = { servers: RegistryServer[]; problems: string[] };

/** Several registries in the order of the configuration: the first that knows a name counts. */
export function createRegistries({ urls, ...options }: RegistryOptions) {
  const registries = urls.map((url) => createRegistry(url, options));
  return {
    async search(query: string, limit: number): Promise<RegistryResult> {
      const answers = await Promise.all(
        registries.map((registry) => registry.search(query, limit)),
      );
      const servers = answers.flatMap((answer) => answer.servers);
      const unique = servers.filter(
        ({ name }, index) => servers.findIndex((server) => server.name === name) === index,
      );
      return {
        servers: unique.slice(0, limit),
        problems: answers.flatMap((answer) => answer.problem ?? []),
      };
    },
    /** Rejects with NOT_FOUND that names what is near. */
    async get(
      name: string,
      version: string,
    ): Promise<{ server: RegistryServer; problems: string[] }> {
      const problems: string[] = [];
      for (const registry of registries) {
        const { server, problem } = await registry.get(name, version);
        if (problem !== null) problems.push(problem);
        if (server) return { server, problems };
      }
      throw notFound(name, version, problems, await nearNames(name, registries));
    },
  };
}

async function nearNames(name: string, registries: readonly Registry[]): Promise<string[]> {
  const shortName = name.split("/").at(-1) ?? name;
  const answers = await Promise.all(
    registries.map((registry) => registry.search(shortName, pageSize)),
  );
  const names = answers.flatMap(({ servers }) => servers.map((server) => server.name));
  return [
    ...new Set([
      ...nearest(name, names, 3),
      ...names.filter((candidate) => candidate.endsWith(`/${shortName}`)),
    ]),
  ].slice(0, 3);
}

function notFound(
  name: string,
  version: string,
  problems: readonly string[],
  near: readonly string[],
): PlaneError {
  const what = version === "latest" ? `'${name}'` : `version ${version} of '${name}'`;
  const suggestion = `Did you mean ${near.join(" or ")}?`;
  const hint = near.length > 0 ? suggestion : "Look for it: toolplane servers search WORD";
  if (problems.length > 0) {
    const message = `No registry that could be asked knows ${what}. ${problems.join(" ")}`;
    return new PlaneError("SERVER_UNAVAILABLE", message, { data: { name } });
  }
  return new PlaneError("NOT_FOUND", `No registry knows ${what}. ${hint}`, {
    data: { name, near: [...near] },
  });
}

type Registry = ReturnType<typeof createRegistry>;

function createRegistry(
  address: string,
  { directory, isOffline, egress }: Omit<RegistryOptions, "urls">,
) {
  const base = address.replace(/(?<!\/)\/+$/, "");
  const cache = createCache(base, directory);
  const host = new URL(base).host;

  /** Asks the newer version of the API, then the older. Null where the registry does not have what is asked for. */
  async function request(path: string): Promise<Foreign | null> {
    const versions = /\/v\d+(\.\d+)?$/.test(base) ? [""] : ["/v0.1", "/v0"];
    const statuses: number[] = [];
    for (const version of versions) {
      const headers = { accept: "application/json" };
      const url = new URL(`${base}${version}${path}`);
      const redirects = await egress.namedBy(url.href);
      const answer = await fetchFile({ url, gate: configured }, { redirects, maxBytes, headers });
      if (answer.status === 200) {
        const body = parseBody(answer.body);
        if (body !== undefined) return body;
      }
      statuses.push(answer.status);
      if (answer.status >= 500) break;
    }
    const refusal = statuses.find((status) => status === 401 || status === 403);
    const status = refusal ?? statuses.at(-1);
    if (status === 404) return null;
    const answerText = status === 200 ? "what is not JSON" : `HTTP ${status}`;
    throw new PlaneError("SERVER_UNAVAILABLE", `The registry ${host} answers with ${answerText}.`);
  }

  /** Uses the cached copy when the registry is unreachable, and reports it. */
  async function orCached<T>(
    fresh: () => Promise<T>,
    cached: () => T,
  ): Promise<{ value: T; problem: string | null }> {
    if (isOffline) return { value: cached(), problem: null };
    try {
      return { value: await fresh(), problem: null };
    } catch (thrown) {
      if (toPlaneError(thrown).code === "USAGE") throw thrown;
      const { message } = toPlaneError(thrown);
      return { value: cached(), problem: `${message}${cachedNote(cache.size())}` };
    }
  }

  async function pages(query: string, limit: number): Promise<RegistryServer[]> {
    const servers: RegistryServer[] = [];
    let cursor: Foreign<string> | undefined;
    for (let page = 0; page < maxPages; page++) {
      const parameters = new URLSearchParams({
        search: query,
        version: "latest",
        limit: String(pageSize),
      });
      const cursorParameter = cursor === undefined ? "" : `&cursor=${asQueryValue(cursor)}`;
      const answer = await request(`/servers?${parameters}${cursorParameter}`);
      if (answer === null) break;
      servers.push(...latestOf(itemsOf(fieldOf(answer, "servers"))));
      const metadata = fieldOf(answer, "metadata");
      const next =
        foreignTextOf(fieldOf(metadata, "nextCursor")) ??
        foreignTextOf(fieldOf(metadata, "next_cursor"));
      if (next === undefined || servers.length >= limit) break;
      cursor = next;
    }
    return servers;
  }

  return {
    async search(
      query: string,
      limit: number,
    ): Promise<{ servers: RegistryServer[]; problem: string | null }> {
      const { value: servers, problem } = await orCached(
        async () => cache.add(await pages(query, limit)),
        () => cache.search(query),
      );
      return { servers: servers.filter(({ status }) => status !== "deleted"), problem };
    },
    async get(
      name: string,
      version: string,
    ): Promise<{ server: RegistryServer | null; problem: string | null }> {
      const { value: server, problem } = await orCached(
        async () => {
          const answer = await request(
            `/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`,
          );
          const answered = answer && parseRegistryServer(answer);
          if (answered?.name === name) return cache.add([answered])[0] ?? null;
          if (answer !== null && isForeignObject(fieldOf(answer, "server")))
            throw unreadable(name, host);
          // Older registries only list.
          const listed = version === "latest" ? await pages(name, pageSize) : [];
          return cache.add(listed).find((candidate) => candidate.name === name) ?? null;
        },
        () => cache.get(name, version),
      );
      return { server, problem };
    },
  };
}

function cachedNote(size: number): string {
  if (size === 0) return "";
  return ` ${countOf(size, "server")} seen before ${nounFor(size, "is", "are")} known.`;
}

/** For an entry of the registry whose own name or version is invalid. */
function unreadable(name: string, host: string): PlaneError {
  return new PlaneError(
    "USAGE",
    `What the registry ${host} has as '${name}' is refused: its name or its version is none.`,
  );
}

function parseBody(body: Buffer): Foreign | undefined {
  try {
    return foreign(JSON.parse(body.toString("utf8")));
  } catch {
    return undefined;
  }
}

/** One entry for each name: the first that is not marked as old, which is the newest. */
function latestOf(listed: readonly Foreign[]): RegistryServer[] {
  const servers = listed
    .filter((document) => !isOldVersion(document))
    .flatMap((document) => parseRegistryServer(document) ?? []);
  return servers.filter(
    ({ name }, index) => servers.findIndex((server) => server.name === name) === index,
  );
}

/** Entries that a registry sent before, newest last, so that they are found without a network. */
function createCache(base: string, directory: string | undefined) {
  const fileName = createHash("sha256").update(base).digest("hex").slice(0, 16);
  const file = directory === undefined ? null : join(directory, "registries", `${fileName}.json`);
  const read = (): RegistryServer[] => {
    try {
      const stored = foreign(JSON.parse(readFileSync(file ?? "", "utf8")));
      return itemsOf(fieldOf(stored, "servers")).flatMap(
        (document) => parseRegistryServer(document) ?? [],
      );
    } catch {
      return [];
    }
  };
  const latest = () => [...new Map(read().map((server) => [server.name, server])).values()];
  return {
    size: () => latest().length,
    add(servers: RegistryServer[]): RegistryServer[] {
      if (file === null || servers.length === 0) return servers;
      const isNew = (server: RegistryServer) =>
        !servers.some((added) => added.name === server.name && added.version === server.version);
      const cached = [...read().filter(isNew), ...servers].slice(-maxCached);
      try {
        const written = asStored(cached.map((server) => server.written));
        writeAtomically(file, `{"url":${JSON.stringify(base)},"servers":${written}}`);
      } catch {
        // What cannot be kept is asked for again.
      }
      return servers;
    },
    search(query: string): RegistryServer[] {
      const lowerQuery = query.toLowerCase();
      return latest().filter(({ name, title, description }) =>
        [name, ...[title, description].map((text) => text && asShown(text))]
          .join(" ")
          .toLowerCase()
          .includes(lowerQuery),
      );
    },
    get: (serverName: string, version: string): RegistryServer | null =>
      (version === "latest" ? latest() : read()).findLast(
        (server) =>
          server.name === serverName && (version === "latest" || server.version === version),
      ) ?? null,
  };
}
