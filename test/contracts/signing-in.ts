import assert from "node:assert/strict";
import { createEgress } from "../../src/lib/net/egress.ts";
import { ServerDefinition } from "../../src/model/servers/server.ts";
import type { Store } from "../../src/model/store.ts";
import { createCredentials } from "../../src/servers/auth/credentials.ts";
import type { Challenge, Credentials } from "../../src/servers/auth/credentials-contract.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { readLog, startHttpFixture, temporaryDirectory } from "../fixtures/start-server.ts";

export const redirectUri = "http://127.0.0.1:1/callback";

export type Plane = AsyncDisposable & {
  credentials: Credentials;
  store: Store;
  directory: string;
  /** What was reported as changed, as 'server user'. */
  changed: string[];
  /** Moves the clock. */
  later(ms: number): void;
};

/** Credentials on a real store and a clock that can be moved. */
export async function openPlane(at?: string): Promise<Plane> {
  const temporary = at === undefined ? await temporaryDirectory() : null;
  const directory = at ?? temporary?.path ?? "";
  const store = await openSqliteStore(`${directory}/store.sqlite`);
  const changed: string[] = [];
  let offset = 0;
  const credentials = createCredentials({
    store: async () => store,
    directory,
    clientName: "Toolplane test",
    egress: createEgress({ allow: () => [] }),
    onChanged: (server, user) => changed.push(`${server} ${user}`),
    now: () => Date.now() + offset,
  });
  return {
    credentials,
    store,
    directory,
    changed,
    later(ms) {
      offset += ms;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await temporary?.[Symbol.asyncDispose]();
    },
  };
}

/** A server in the normal form. */
export function remote(url: string, auth?: object): ServerDefinition {
  return ServerDefinition.parse({ url, transport: "http", ...(auth ? { auth } : {}) });
}

/** What the MCP server answers to these headers: a challenge, or null when it lets them in. */
export async function knock(
  url: string,
  headers: Record<string, string>,
): Promise<Challenge | null> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  await response.arrayBuffer();
  const { status } = response;
  return [401, 403].includes(status)
    ? { status, wwwAuthenticate: response.headers.get("www-authenticate") }
    : null;
}

/** What a browser would do with the address of a sign-in: where it is sent back to. */
export async function browse(url: string): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: "manual" });
  const location =
    response.headers.get("location") ?? assert.fail(`no redirect: ${await response.text()}`);
  return new URL(location).searchParams;
}

export async function signIn(
  credentials: Credentials,
  definition: ServerDefinition,
  user: string | null = "ada",
): Promise<URL> {
  const { url } = await credentials.beginSignIn("remote", definition, user, redirectUri);
  await credentials.finishSignIn(await browse(url));
  return new URL(url);
}

/** A fixture with the log of what reached it. */
export async function startOAuth(args: string[] = []) {
  const directory = await temporaryDirectory();
  const log = directory.file("log");
  const fixture = await startHttpFixture("oauth", [...args, "--log", log]);
  const command = async (name: string) => {
    await fetch(new URL(`/fixture/${name}`, fixture.url), { method: "POST" });
  };
  return {
    url: fixture.url,
    origin: new URL(fixture.url).origin,
    stop: fixture.stop,
    command,
    /** The forms that the token endpoint got. */
    tokens: () => readLog(log).filter(({ event }) => event === "token") as unknown as TokenEntry[],
    registrations: () => readLog(log).filter(({ event }) => event === "register"),
    requests: () =>
      readLog(log).flatMap(({ event, method, url }) =>
        event === "oauth" ? [`${method} ${url}`] : [],
      ),
    async [Symbol.asyncDispose]() {
      await fixture.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export type TokenEntry = { form: Record<string, string>; authorization: string | null };
