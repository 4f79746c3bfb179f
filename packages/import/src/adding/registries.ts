import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../../../src/config/editing.ts";
import { configured, type Egress } from "../../../../src/lib/net/egress.ts";
import { nearest } from "../../../../src/lib/text/nearest.ts";
import { countOf } from "../../../../src/lib/text/wording.ts";
import { PlaneError, toPlaneError } from "../../../../src/model/errors.ts";
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
} from "../../../../src/model/foreign.ts";
import { fetchFile } from "./fetch-file.ts";
import { isOldVersion, parseRegistryServer, type RegistryServer } from "./server-json.ts";

const maxBytes = 16 * 1024 * 1024;
const maxKept = 5_000;
const pageSize = 100;
const maxPages = 5;

type RegistryOptions = {
  urls: readonly string[];
  /** Where answers are kept; none are without one. */
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
      const answers = await Promise.all(registries.map((one) => one.search(query, limit)));
      const servers = answers.flatMap((one) => one.servers);
      const first = servers.filter(
        ({ name }, at) => servers.findIndex((one) => one.name === name) === at,
      );
      return {
        servers: first.slice(0, limit),
        problems: answers.flatMap((one) => one.problem ?? []),
      };
    },
    /** Rejects with NOT_FOUND that names what is near. */
    async get(
      name: string,
      version: string,
    ): Promise<{ server: RegistryServer; problems: string[] }> {
      const problems: string[] = [];
      for (const one of registries) {
        const { server, problem } = await one.get(name, version);
        if (problem !== null) problems.push(problem);
        if (server) return { server, problems };
      }
      throw notFound(name, version, problems, await nearNames(name, registries));
    },
  };
}

async function nearNames(name: string, registries: readonly Registry[]): Promise<string[]> {
  const own = name.split("/").at(-1) ?? name;
  const found = await Promise.all(registries.map((one) => one.search(own, pageSize)));
  const names = found.flatMap(({ servers }) => servers.map((server) => server.name));
  return [
    ...new Set([...nearest(name, names, 3), ...names.filter((one) => one.endsWith(`/${own}`))]),
  ].slice(0, 3);
}

function notFound(
  name: string,
  version: string,
  problems: readonly string[],
  near: readonly string[],
): PlaneError {
  const what = version === "latest" ? `'${name}'` : `version ${version} of '${name}'`;
  const hint =
    near.length > 0
      ? ` Did you mean ${near.join(" or ")}?`
      : " Look for it: toolplane servers search WORD";
  if (problems.length > 0) {
    const message = `No registry that could be asked knows ${what}. ${problems.join(" ")}`;
    return new PlaneError("SERVER_UNAVAILABLE", message, { data: { name } });
  }
  return new PlaneError("NOT_FOUND", `No registry knows ${what}.${hint}`, {
    data: { name, near: [...near] },
  });
}

type Registry = ReturnType<typeof createRegistry>;

function createRegistry(
  address: string,
  { directory, isOffline, egress }: Omit<RegistryOptions, "urls">,
) {
  const base = address.replace(/(?<!\/)\/+$/, "");
  const kept = createKept(base, directory);
  const host = new URL(base).host;

  /** The version of the API that it speaks; the older one where the newer is not known. */
  async function ask(path: string): Promise<Foreign | null> {
    const versions = /\/v\d+(\.\d+)?$/.test(base) ? [""] : ["/v0.1", "/v0"];
    let status = 0;
    for (const version of versions) {
      const headers = { accept: "application/json" };
      const url = new URL(`${base}${version}${path}`);
      const redirects = await egress.namedBy(url.href);
      const answer = await fetchFile({ url, gate: configured }, { redirects, maxBytes, headers });
      const body = answer.status === 200 ? parseBody(answer.body) : undefined;
      if (body !== undefined) return body;
      status = answer.status;
      if (status >= 500) break;
    }
    if (status === 404) return null;
    throw new PlaneError("SERVER_UNAVAILABLE", `The registry ${host} answers with HTTP ${status}.`);
  }

  /** Uses the cached copy when the registry is unreachable, and reports it. */
  async function orKept<T>(
    fresh: () => Promise<T>,
    known: () => T,
  ): Promise<{ value: T; problem: string | null }> {
    if (isOffline) return { value: known(), problem: null };
    try {
      return { value: await fresh(), problem: null };
    } catch (thrown) {
      if (toPlaneError(thrown).code === "USAGE") throw thrown;
      const size = kept.size();
      const said =
        size === 0
          ? ""
          : ` ${countOf(size, "server")} seen before ${size === 1 ? "is" : "are"} known.`;
      return { value: known(), problem: `${toPlaneError(thrown).message}${said}` };
    }
  }

  async function pages(query: string, limit: number): Promise<RegistryServer[]> {
    const servers: RegistryServer[] = [];
    let cursor: Foreign<string> | undefined;
    for (let page = 0; page < maxPages; page++) {
      const asked = new URLSearchParams({
        search: query,
        version: "latest",
        limit: String(pageSize),
      });
      const from = cursor === undefined ? "" : `&cursor=${asQueryValue(cursor)}`;
      const answer = await ask(`/servers?${asked}${from}`);
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
      const { value, problem } = await orKept(
        async () => kept.add(await pages(query, limit)),
        () => kept.search(query),
      );
      return { servers: value.filter(({ status }) => status !== "deleted"), problem };
    },
    async get(
      name: string,
      version: string,
    ): Promise<{ server: RegistryServer | null; problem: string | null }> {
      const { value, problem } = await orKept(
        async () => {
          const answer = await ask(
            `/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`,
          );
          const server = answer && parseRegistryServer(answer);
          if (server?.name === name) return kept.add([server])[0] ?? null;
          if (answer !== null && isForeignObject(fieldOf(answer, "server")))
            throw unreadable(name, host);
          // Older registries only list.
          const listed = version === "latest" ? await pages(name, pageSize) : [];
          return kept.add(listed).find((one) => one.name === name) ?? null;
        },
        () => kept.get(name, version),
      );
      return { server: value, problem };
    },
  };
}

/** It is there, and cannot be what was asked for. */
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

/** One of each name: the one that says so, or the first, which is the newest. */
function latestOf(listed: readonly Foreign[]): RegistryServer[] {
  const servers = listed
    .filter((one) => !isOldVersion(one))
    .flatMap((one) => parseRegistryServer(one) ?? []);
  return servers.filter(({ name }, at) => servers.findIndex((one) => one.name === name) === at);
}

/** What a registry said before, newest last, so that it can be searched without a network. */
function createKept(base: string, directory: string | undefined) {
  const name = createHash("sha256").update(base).digest("hex").slice(0, 16);
  const file = directory === undefined ? null : join(directory, "registries", `${name}.json`);
  const read = (): RegistryServer[] => {
    try {
      const kept = foreign(JSON.parse(readFileSync(file ?? "", "utf8")));
      return itemsOf(fieldOf(kept, "servers")).flatMap((one) => parseRegistryServer(one) ?? []);
    } catch {
      return [];
    }
  };
  const latest = () => [...new Map(read().map((server) => [server.name, server])).values()];
  return {
    size: () => latest().length,
    add(servers: RegistryServer[]): RegistryServer[] {
      if (file === null || servers.length === 0) return servers;
      const isNew = (one: RegistryServer) =>
        !servers.some((other) => other.name === one.name && other.version === one.version);
      const all = [...read().filter(isNew), ...servers].slice(-maxKept);
      try {
        const written = asStored(all.map((one) => one.written));
        writeAtomically(file, `{"url":${JSON.stringify(base)},"servers":${written}}`);
      } catch {
        // What cannot be kept is asked for again.
      }
      return servers;
    },
    search(query: string): RegistryServer[] {
      const wanted = query.toLowerCase();
      return latest().filter(({ name, title, description }) =>
        [name, ...[title, description].map((one) => one && asShown(one))]
          .join(" ")
          .toLowerCase()
          .includes(wanted),
      );
    },
    get: (wanted: string, version: string): RegistryServer | null =>
      (version === "latest" ? latest() : read()).findLast(
        (one) => one.name === wanted && (version === "latest" || one.version === version),
      ) ?? null,
  };
}
