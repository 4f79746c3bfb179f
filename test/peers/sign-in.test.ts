import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Browser, Page } from "playwright-core";
import { homeWithBrowser } from "../fixtures/asked-browser.ts";
import { runSuite } from "../fixtures/conformance/run-suite.ts";
import { freePort } from "../fixtures/free-port.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { noBrowser, openBrowser } from "../workbench/chromium.ts";
import {
  acceptWithPasskey,
  addAuthenticator,
  type SigningWorld,
  startSigningWorld,
} from "../workbench/signing-world.ts";

const peer = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
const person = "ann@example.org";

type Home = Awaited<ReturnType<typeof homeWithBrowser>> & { path: string };
type Asked = { output: Promise<string>; end(): Promise<void> };
/** What a client does at an address; the first signs its person in. */
type Program = {
  signIn(): Asked;
  list(): Asked;
  call(): Asked;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A program that is started for each question. */
function ask({ env, path }: Home, words: readonly string[]): Asked {
  const child = spawn(process.execPath, words, {
    env,
    cwd: path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const output = Promise.all([text(child.stdout), text(child.stderr), closed]).then((all) =>
    all.join("\n"),
  );
  const end = () => {
    child.kill("SIGKILL");
    return closed;
  };
  return { output, end };
}

const programs: Record<string, (address: string, home: Home) => Promise<Program>> = {
  async inspector(address, home) {
    // There is no keychain and no terminal here; its callback has a port of its own.
    const env = { ...home.env, MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file" };
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const words = [
      peer("@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
      "--cli",
    ];
    const where = [
      "--server-url",
      address,
      "--transport",
      "http",
      "--callback-url",
      callback,
      "--connect-timeout",
      "0",
    ];
    const say = (...more: string[]) =>
      ask({ ...home, env }, [...words, ...where, "--format", "json", ...more]);
    const list = () => say("--method", "tools/list");
    const call = () => say("--method", "tools/call", "--tool-name", "files__read");
    return { signIn: list, list, call, [Symbol.asyncDispose]: async () => undefined };
  },
  async mcporter(address, home) {
    const say = (verb: string, ...more: string[]) =>
      ask(home, [
        peer("mcporter/dist/cli.js"),
        verb,
        "--http-url",
        address,
        "--allow-http",
        "--name",
        "plane",
        ...more,
      ]);
    return {
      signIn: () => say("auth"),
      list: () => say("list", "--json"),
      call: () => say("call", "plane.files__read"),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
  async "mcp-remote"(address, home) {
    const words = [
      peer("mcp-remote/dist/proxy.js"),
      address,
      String(await freePort()),
      "--auth-timeout",
      "1200",
    ];
    const client = new Client({ name: "probe", version: "1" });
    const how = {
      command: process.execPath,
      args: words,
      env: home.env,
      cwd: home.path,
      stderr: "ignore",
    } as const;
    const transport = new StdioClientTransport(how);
    const connected = () => client.connect(transport as never, { timeout: 1_200_000 });
    const shown = (answer: Promise<unknown>): Asked => ({
      output: answer.then(
        (value) => JSON.stringify(value ?? {}),
        (thrown: Error) => thrown.message,
      ),
      end: () => client.close(),
    });
    return {
      signIn: () => shown(connected()),
      list: () => shown(client.listTools()),
      call: () => shown(client.callTool({ name: "files__read", arguments: {} })),
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
};

/** The file of tokens in the home of a program; some have them as text within text. */
async function tokensIn(home: string) {
  for (const name of await readdir(home, { recursive: true })) {
    const file = join(home, name);
    const kept = name.endsWith(".json") ? await readFile(file, "utf8") : "";
    const textOf = (key: string) =>
      new RegExp(`${key}\\\\?":\\s*\\\\?"([^"\\\\]+)`).exec(kept)?.[1];
    const [access, refresh] = [textOf("access_token"), textOf("refresh_token")];
    if (access && refresh) return { file, kept, access, refresh };
  }
  return assert.fail("the program keeps no tokens");
}

suite("a program that opens a browser for its person", { skip: noBrowser }, () => {
  let world: SigningWorld;
  let browser: Browser;
  let page: Page;

  before(async () => {
    world = await startSigningWorld();
    browser = await openBrowser();
    page = await (await browser.newContext()).newPage();
    await addAuthenticator(page);
    const { url } = await world.withPlane((plane) => plane.people.invite({ user: person }));
    await acceptWithPasskey(page, url);
  });
  after(async () => {
    await browser.close();
    await world[Symbol.asyncDispose]();
  });

  for (const [name, open] of Object.entries(programs))
    test(`${name} needs only the address: it signs in with a passkey, lists, calls, renews and is revoked`, async () => {
      await using directory = await temporaryDirectory();
      const home = { ...(await homeWithBrowser(directory)), path: directory.path };
      await using program = await open(`${world.url}/mcp`, home);
      await page.context().clearCookies();
      const signedIn = program.signIn();
      await page.goto(await home.next());
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByRole("button", { name: "Allow" }).click();
      await signedIn.output;

      assert.match(await program.list().output, /files__read/);
      assert.match(await program.call().output, /files:read/);
      const before = await tokensIn(home.path);
      // Of no use any more; one of them goes by the time that it noted.
      const over = before.kept
        .replace(before.access, "not.a.token")
        .replace(/("expires_at":\s*)\d+/, "$11");
      await writeFile(before.file, over);
      assert.match(await program.call().output, /files:read/);
      assert.notEqual((await tokensIn(home.path)).refresh, before.refresh, "renewed");
      assert.equal(await home.isAsked(), false, "the person was asked once");

      await page.goto(`${world.url}/sign-in/access`);
      await page.getByRole("button", { name: "Take back" }).click();
      await page.getByText("No client has been allowed anything.").waitFor();
      const refused = program.call();
      let said: string | null = null;
      void refused.output.then((output) => {
        said = output;
      });
      // It says that it may not, or sends its person to sign in again.
      await until("the program was refused", async () => said !== null || (await home.isAsked()));
      assert.doesNotMatch(said ?? "", /files:read/);
      await refused.end();
    });

  test("the official suite finds an authorization server as it should be", async () => {
    await using directory = await temporaryDirectory();
    const port = await freePort();
    const registered = await fetch(`${world.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_name: "Conformance",
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: "none",
      }),
    });
    const { client_id: id } = (await registered.json()) as { client_id: string };
    const where = [
      "--url",
      world.url,
      "--client-id",
      id,
      "--port",
      String(port),
      "--resource",
      `${world.url}/mcp`,
    ];
    await page.context().clearCookies();
    const visited = Promise.withResolvers<void>();
    const visit = async (url: string) => {
      await page.goto(url);
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByRole("button", { name: "Allow" }).click();
    };
    const { passed, failed, output } = await runSuite(
      ["authorization", ...where, "-o", directory.path],
      (line) => {
        if (line.startsWith(`${world.url}/oauth/authorize?`))
          visit(line).then(visited.resolve, visited.reject);
      },
    );
    await visited.promise;
    assert.deepEqual(failed, [], output);
    assert.deepEqual(
      passed,
      ["authorization-server-metadata-endpoint", "authorization-code-grant"],
      output,
    );
  });
});
