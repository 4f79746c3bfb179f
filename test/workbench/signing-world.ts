import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import type { Plane } from "../../src/index.ts";
import { openLocalPlane } from "../../src/local-plane.ts";
import { freePort } from "../fixtures/free-port.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { namedServer, type RunningServe, startServe, writeConfig } from "../scenarios/support.ts";

export type SigningWorld = AsyncDisposable & {
  url: string;
  directory: TemporaryDirectory;
  config: string;
  serving: RunningServe;
  /** The same store, as a command on the machine sees it. */
  withPlane<T>(work: (plane: Plane) => Promise<T>): Promise<T>;
};

/** A plane that signs people in, at an address of its own. */
export async function startSigningWorld(
  auth: object = {},
  more: object = {},
): Promise<SigningWorld> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const config = await writeConfig(
    directory,
    { files: namedServer("files", ["read", "write"]), mail: namedServer("mail", ["send"]) },
    {
      auth: { publicUrl: url, server: { enabled: true }, ...auth },
      policy: { profile: "personal" },
      ...more,
    },
  );
  const serving = await startServe(config, directory.file("data"), port);
  const place = {
    files: [config],
    directory: process.cwd(),
    dataDirectory: directory.file("data"),
  };
  return {
    url,
    directory,
    config,
    serving,
    async withPlane(work) {
      await using plane = await openLocalPlane({
        ...place,
        user: undefined,
        groups: [],
        persona: undefined,
      });
      return await work(plane);
    },
    async [Symbol.asyncDispose]() {
      await serving.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export const password = "correct horse battery";

/** Accepts an invitation with a password, as a person would. */
export async function acceptWithPassword(page: Page, invitation: string): Promise<void> {
  await page.goto(invitation);
  await page.getByLabel(/Or a password/).fill(password);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", { name: "You can sign in now" }).waitFor();
}

/** A device that keeps passkeys, within the browser. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Accepts an invitation with a passkey of the page's device. */
export async function acceptWithPasskey(page: Page, invitation: string): Promise<void> {
  await page.goto(invitation);
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("heading", { name: "You can sign in now" }).waitFor();
}

/** Where a client of this machine is sent back to. */
export async function startLoopback() {
  let arrived = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    response.writeHead(200, { "content-type": "text/plain" }).end("Back at the client.");
    if (url.pathname === "/callback") arrived.resolve(url.searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    async next(): Promise<URLSearchParams> {
      const answer = await arrived.promise;
      arrived = Promise.withResolvers();
      return answer;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Goes where a client sends its person, signs in if asked, and allows it. */
export async function allow(
  context: BrowserContext,
  url: URL | string,
  user: string,
): Promise<void> {
  const page = await context.newPage();
  await page.goto(String(url));
  if (await page.getByRole("heading", { name: "Sign in" }).isVisible()) {
    await page.getByLabel("Name or e-mail").fill(user);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in with a password" }).click();
  }
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Back at the client.").waitFor();
  await page.close();
}

/** Takes back what a client may do, on the person's own page. */
export async function takeBack(page: Page, url: string, grant: string): Promise<void> {
  await page.goto(`${url}/sign-in/access`);
  const row = page.getByRole("row").filter({ has: page.locator(`input[value="${grant}"]`) });
  await row.getByRole("button", { name: "Take back" }).click();
  await row.waitFor({ state: "detached" });
}

type Stored = {
  client?: unknown;
  tokens?: { access_token: string; refresh_token?: string };
  verifier?: string;
};

/** What a client keeps of a sign-in, in the form that the official SDKs of both versions take. */
export function createClientStore(redirectUrl: string, name = "Probe") {
  const stored: Stored = {};
  let sent: URL | null = null;
  return {
    stored,
    /** Where the person has to go. */
    sent(): URL {
      assert.ok(sent !== null, "the client has not asked for its person");
      return sent;
    },
    provider: {
      redirectUrl,
      clientMetadata: {
        client_name: name,
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      clientInformation: () => stored.client as never,
      saveClientInformation: (client: unknown) => {
        stored.client = client;
      },
      tokens: () => stored.tokens as never,
      saveTokens: (tokens: unknown) => {
        stored.tokens = tokens as Stored["tokens"] & object;
      },
      redirectToAuthorization: (url: URL) => {
        sent = url;
      },
      saveCodeVerifier: (verifier: string) => {
        stored.verifier = verifier;
      },
      codeVerifier: () => stored.verifier ?? "",
    },
  };
}
