import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { commandLineFile } from "../fixtures/bundled.ts";
import { freePort } from "../fixtures/free-port.ts";
import { selfSigned } from "../fixtures/self-signed.ts";
import {
  fixtureEnvironment,
  stopProcess,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { runCli, startServeProcess, writeConfig } from "./support.ts";

const name = "tools.example.org";
const installed = (program: string) =>
  [`/usr/sbin/${program}`, `/usr/bin/${program}`].find((file) => existsSync(file));
const example = (path: string) =>
  readFileSync(join(import.meta.dirname, "../../deploy", path), "utf8");

type Place = {
  directory: TemporaryDirectory;
  /** The host and port of the plane. */
  plane: string;
  secure: number;
  open: number;
  pair: ReturnType<typeof selfSigned>;
};

/** Our examples at free ports of this machine; `start` gives the words that the program is started with. */
const proxies: Record<
  string,
  { program: string | undefined; start(place: Place): Promise<string[]> }
> = {
  nginx: {
    program: installed("nginx"),
    async start({ directory, plane, secure, open, pair }) {
      await writeFile(directory.file("cert.pem"), pair.cert);
      await writeFile(directory.file("key.pem"), pair.key);
      const own = example("nginx/toolplane.conf")
        .replace("127.0.0.1:7420", plane)
        .replace("/etc/ssl/toolplane/fullchain.pem", directory.file("cert.pem"))
        .replace("/etc/ssl/toolplane/privkey.pem", directory.file("key.pem"))
        .replace("listen 443 ssl", `listen 127.0.0.1:${secure} ssl`)
        .replace("listen 80", `listen 127.0.0.1:${open}`);
      await mkdir(directory.file("tmp"));
      const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const places = kinds
        .map((kind) => `${kind}_temp_path ${directory.file("tmp")}/${kind};`)
        .join("\n");
      const whole = `pid ${directory.file("pid")};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places}\n${own}\n}\n`;
      await writeFile(directory.file("nginx.conf"), whole);
      return ["-c", directory.file("nginx.conf"), "-g", "daemon off;"];
    },
  },
  haproxy: {
    program: installed("haproxy"),
    async start({ directory, plane, secure, open, pair }) {
      await writeFile(directory.file("both.pem"), pair.cert + pair.key);
      const own = example("haproxy/toolplane.cfg")
        // There is one plane here.
        .replace(/^ +server plane-2 .*$/m, "")
        .replace("127.0.0.1:7420", plane)
        .replace("/etc/ssl/toolplane/both.pem", directory.file("both.pem"))
        .replace("bind :443", `bind 127.0.0.1:${secure}`)
        .replace("bind :80", `bind 127.0.0.1:${open}`);
      await writeFile(directory.file("haproxy.cfg"), own);
      return ["-db", "-f", directory.file("haproxy.cfg")];
    },
  },
};

type Answer = {
  status: number;
  headers: Record<string, unknown>;
  body: string;
  certificate: string;
};

/** A request to this machine that says it is for the public name; `ca` is all that it trusts. */
function ask(
  port: number,
  path: string,
  ca: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = {
    host: "127.0.0.1",
    port,
    path,
    ca,
    servername: name,
    headers: { host: name, ...headers },
  };
  const sent = request({ ...options, agent: false }, async (response) => {
    const certificate = (response.socket as TLSSocket).getPeerCertificate().fingerprint256;
    const { statusCode: status = 0, headers: said } = response;
    resolve({ status, headers: said, body: await text(response), certificate });
  });
  sent.on("error", reject).end();
  return promise;
}

suite("a plane on the network", () => {
  test("speaks TLS from files, and takes a renewed certificate without a restart", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {}, { auth: { server: { enabled: true } } });
    const files = { cert: directory.file("cert.pem"), key: directory.file("key.pem") };
    const install = async (pair: ReturnType<typeof selfSigned>) => {
      await writeFile(files.cert, pair.cert);
      await writeFile(files.key, pair.key);
    };
    const first = selfSigned(name);
    await install(first);
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const url = `https://${name}`;
    const alone = await runCli([
      "serve",
      "--port",
      "0",
      "--public-url",
      url,
      "--tls-cert",
      files.cert,
      ...place,
    ]);
    assert.match(alone.stderr, /TLS needs both/);
    const flags = ["--public-url", url, "--tls-cert", files.cert, "--tls-key", files.key];
    const refused = await runCli(["serve", "--port", "0", ...flags, ...place]);
    assert.match(refused.stderr, /No one could sign in at this plane/);
    const withUrl = await writeConfig(
      directory,
      {},
      { auth: { server: { enabled: true }, publicUrl: url } },
    );
    assert.equal((await runCli(["people", "invite", "me", ...place.with(1, withUrl)])).code, 0);
    await using serving = await startServeProcess(withUrl, directory.file("data"), "0", flags);
    assert.match(serving.url, /^https:/);
    const port = Number(new URL(serving.url).port);
    const before = await ask(port, "/.well-known/oauth-protected-resource/mcp", first.cert);
    assert.equal(before.status, 200);
    assert.equal((JSON.parse(before.body) as { resource: string }).resource, `${url}/mcp`);
    assert.equal(before.headers["strict-transport-security"], "max-age=31536000");
    const second = selfSigned(name);
    await install(second);
    await until("the renewed certificate is used", async () =>
      ask(port, "/healthz", second.cert).then(
        ({ certificate }) => certificate !== before.certificate,
        () => false,
      ),
    );
  });

  test("with a public address and no way to sign in says that no one has a key", async () => {
    await using directory = await temporaryDirectory();
    const place = [
      "--config",
      await writeConfig(directory, {}),
      "--data-dir",
      directory.file("data"),
    ];
    const words = [
      commandLineFile,
      "serve",
      "--port",
      "0",
      "--public-url",
      `https://${name}`,
      ...place,
    ];
    const serving = spawn(process.execPath, words, {
      stdio: ["ignore", "ignore", "pipe"],
      env: fixtureEnvironment(),
    });
    let said = "";
    serving.stderr.on("data", (chunk) => {
      said += chunk;
    });
    try {
      await until("it says so", async () =>
        /tools\.example\.org can be reached.*keys create NAME/s.test(said),
      );
    } finally {
      await stopProcess(serving);
    }
  });

  for (const [kind, { program, start }] of Object.entries(proxies))
    test(`is served by the example for ${kind}, which passes the sign-in and the client's own address`, {
      skip: program === undefined,
    }, async () => {
      await using directory = await temporaryDirectory();
      const url = `https://${name}`;
      const config = await writeConfig(
        directory,
        {},
        { auth: { publicUrl: url, server: { enabled: true } } },
      );
      const place = ["--config", config, "--data-dir", directory.file("data")];
      const invited = await runCli(["people", "invite", "me", "--json", ...place]);
      assert.equal(invited.code, 0, invited.stderr);
      const trust = ["--trust-proxy", "127.0.0.1"];
      await using serving = await startServeProcess(config, directory.file("data"), "0", trust);
      const pair = selfSigned(name);
      const [secure, open] = [await freePort(), await freePort()];
      const words = await start({
        directory,
        plane: new URL(serving.url).host,
        secure,
        open,
        pair,
      });
      const proxy = spawn(program ?? "", words, { stdio: "ignore" });
      try {
        const through = (path: string, headers = {}) => ask(secure, path, pair.cert, headers);
        await until("the proxy answers", () =>
          through("/healthz").then(
            ({ status }) => status === 200,
            () => false,
          ),
        );
        const plain = await fetch(`http://127.0.0.1:${open}/mcp`, { redirect: "manual" });
        assert.deepEqual(
          [plain.status, plain.headers.get("location")?.slice(0, 8)],
          [308, "https://"],
        );
        const metadata = JSON.parse(
          (await through("/.well-known/oauth-authorization-server")).body,
        ) as {
          issuer: string;
        };
        assert.equal(metadata.issuer, url);
        const refused = await through("/mcp");
        assert.equal(refused.status, 401);
        assert.match(
          String(refused.headers["www-authenticate"]),
          /resource_metadata="https:\/\/tools\.example\.org\//,
        );
        const page = await through("/sign-in/workbench");
        assert.equal(page.status, 303);
        const begun = await through(String(page.headers.location), {
          "x-forwarded-for": "198.51.100.7",
        });
        assert.match(String(begun.headers["set-cookie"]), /__Secure-toolplane_.*secure/i);
        assert.equal(
          (
            await through("/oauth/authorize?client_id=unknown", {
              "x-forwarded-for": "198.51.100.7",
            })
          ).status,
          400,
        );
        await until("the refusal is recorded with the address that the proxy saw", async () => {
          const { stdout } = await runCli(["audit", "list", "--json", ...place]);
          const { records = [] } = JSON.parse(stdout) as {
            records?: { operation: string; address: string }[];
          };
          return records.some(
            ({ operation, address }) => operation === "signIn.authorize" && address === "127.0.0.1",
          );
        });
      } finally {
        await stopProcess(proxy);
      }
    });
});
