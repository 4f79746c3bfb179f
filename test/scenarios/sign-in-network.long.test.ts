import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { freePort } from "../fixtures/free-port.ts";
import { selfSigned } from "../fixtures/self-signed.ts";
import { stopProcess, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { runCli, startServeProcess, writeConfig } from "./support.ts";

const name = "tools.example.org";
const nginx = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((file) => existsSync(file));

type Answer = { status: number; headers: Record<string, unknown>; body: string; certificate: string };

/** A request to this machine that says it is for the public name; `ca` is all that it trusts. */
function ask(port: number, path: string, ca: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { host: "127.0.0.1", port, path, ca, servername: name, headers: { host: name, ...headers } };
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
    const alone = await runCli(["serve", "--port", "0", "--public-url", url, "--tls-cert", files.cert, ...place]);
    assert.match(alone.stderr, /TLS needs both/);
    const flags = ["--public-url", url, "--tls-cert", files.cert, "--tls-key", files.key];
    const refused = await runCli(["serve", "--port", "0", ...flags, ...place]);
    assert.match(refused.stderr, /No one could sign in at this plane/);
    const withUrl = await writeConfig(directory, {}, { auth: { server: { enabled: true }, publicUrl: url } });
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

  test("is served by the example for nginx, which passes the sign-in and the client's own address", {
    skip: !nginx,
  }, async () => {
    await using directory = await temporaryDirectory();
    const url = `https://${name}`;
    const config = await writeConfig(directory, {}, { auth: { publicUrl: url, server: { enabled: true } } });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const invited = await runCli(["people", "invite", "me", "--json", ...place]);
    assert.equal(invited.code, 0, invited.stderr);
    const trust = ["--trust-proxy", "127.0.0.1"];
    await using serving = await startServeProcess(config, directory.file("data"), "0", trust);
    const pair = selfSigned(name);
    await writeFile(directory.file("cert.pem"), pair.cert);
    await writeFile(directory.file("key.pem"), pair.key);
    const [secure, open] = [await freePort(), await freePort()];
    const example = readFileSync(join(import.meta.dirname, "../../deploy/nginx/toolplane.conf"), "utf8")
      .replace("127.0.0.1:7420", new URL(serving.url).host)
      .replace("/etc/ssl/toolplane/fullchain.pem", directory.file("cert.pem"))
      .replace("/etc/ssl/toolplane/privkey.pem", directory.file("key.pem"))
      .replace("listen 443 ssl", `listen 127.0.0.1:${secure} ssl`)
      .replace("listen 80", `listen 127.0.0.1:${open}`);
    await mkdir(directory.file("tmp"));
    const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const places = kinds.map((kind) => `${kind}_temp_path ${directory.file("tmp")}/${kind};`).join("\n");
    const whole = `pid ${directory.file("pid")};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places}\n${example}\n}\n`;
    await writeFile(directory.file("nginx.conf"), whole);
    const proxy = spawn(nginx ?? "", ["-c", directory.file("nginx.conf"), "-g", "daemon off;"], { stdio: "ignore" });
    try {
      const through = (path: string, headers = {}) => ask(secure, path, pair.cert, headers);
      await until("nginx answers", () =>
        through("/healthz").then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
      const metadata = JSON.parse((await through("/.well-known/oauth-authorization-server")).body) as {
        issuer: string;
      };
      assert.equal(metadata.issuer, url);
      const refused = await through("/mcp");
      assert.equal(refused.status, 401);
      assert.match(String(refused.headers["www-authenticate"]), /resource_metadata="https:\/\/tools\.example\.org\//);
      const page = await through("/sign-in/access");
      assert.equal(page.status, 303);
      const begun = await through(String(page.headers.location), { "x-forwarded-for": "198.51.100.7" });
      assert.match(String(begun.headers["set-cookie"]), /__Secure-toolplane_.*secure/i);
      assert.equal(
        (await through("/oauth/authorize?client_id=unknown", { "x-forwarded-for": "198.51.100.7" })).status,
        400,
      );
      await until("the refusal is recorded with the address that nginx saw", async () => {
        const { stdout } = await runCli(["audit", "list", "--json", ...place]);
        const { records = [] } = JSON.parse(stdout) as { records?: { operation: string; address: string }[] };
        return records.some(({ operation, address }) => operation === "signIn.authorize" && address === "127.0.0.1");
      });
    } finally {
      await stopProcess(proxy);
    }
  });
});
