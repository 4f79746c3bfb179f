import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { temporaryDirectory } from "./fixtures/start-server.ts";
import { runCli, startServeProcess } from "./scenarios/support.ts";

const deploy = join(import.meta.dirname, "../deploy");
const read = (file: string) => readFileSync(join(deploy, file), "utf8");
const name = "tools.example.org";
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).error === undefined;

type Start = { config: string; args: string[]; mounted: string[] };
type Plane = { command: string[]; secrets: string[]; volumes: string[] };
type Container = { args: string[]; volumeMounts: { mountPath: string }[] };

const starts: Record<string, () => Start> = {
  compose() {
    const { services, secrets } = parse(read("sign-in/compose.yaml"), { merge: true }) as {
      services: Record<string, Plane>;
      secrets: Record<string, { file: string }>;
    };
    const { command, secrets: given } = services.plane as Plane;
    assert.deepEqual(services["plane-2"], services.plane);
    const known = {
      ...secrets,
      ...(parse(read("compose.yaml"), { merge: true }) as { secrets: object }).secrets,
    };
    assert.ok(given.every((secret) => Object.hasOwn(known, secret)));
    for (const { file } of Object.values(secrets))
      assert.match(file, /\.txt$/, "no secret gets into an image");
    return {
      config: read("sign-in/toolplane.json"),
      args: command,
      mounted: given.map((one) => `/run/secrets/${one}`),
    };
  },
  Kubernetes() {
    const [map, deployment] = parseAllDocuments(read("kubernetes-sign-in/planes.yaml")).map((one) =>
      one.toJS(),
    );
    const [container] = deployment.spec.template.spec.containers as [Container];
    const mounted = [
      "/secrets/vault/",
      ...container.volumeMounts.map(({ mountPath }) => `${mountPath}/`),
    ];
    return { config: map.data["toolplane.json"], args: container.args, mounted };
  },
};

for (const [kind, start] of Object.entries(starts))
  test(`a plane that is started as the example for ${kind} says has a sign-in at its public address`, async () => {
    const { config, args, mounted } = start();
    for (const [, file = ""] of config.matchAll(/\$\{file:([^}]+)\}/g))
      assert.ok(
        mounted.some((path) => file.startsWith(path)),
        file,
      );
    const { stdout } = await runCli(["serve", "--help"]);
    for (const [flag = ""] of args.join(" ").matchAll(/--[a-z-]+/g))
      assert.ok(stdout.includes(`${flag} `) || ["--config", "--data-dir"].includes(flag), flag);

    await using directory = await temporaryDirectory();
    const { store: _, ...rest } = JSON.parse(
      config.replaceAll(/\$\{file:[^}]+\}/g, "ab".repeat(32)),
    ) as {
      store: string;
    };
    const file = directory.file("toolplane.json");
    await writeFile(file, JSON.stringify(rest));
    const flags = args.filter((one) => /^--(public-url|trust-proxy|allow-host|host)=/.test(one));
    await using serving = await startServeProcess(file, directory.file("data"), "0", flags);
    const { port } = new URL(serving.url);
    const response = await new Promise<AsyncIterable<Buffer> & { statusCode?: number }>(
      (resolve, reject) => {
        const path = "/.well-known/oauth-protected-resource/mcp";
        get({ host: "127.0.0.1", port, path, headers: { host: name } }, resolve as never).once(
          "error",
          reject,
        );
      },
    );
    const said = JSON.parse(await text(response)) as {
      resource: string;
      authorization_servers: string[];
    };
    assert.deepEqual([response.statusCode, said.resource], [200, `https://${name}/mcp`]);
    assert.deepEqual(said.authorization_servers, [`https://${name}`]);
  });

test("Kubernetes gets the planes with their sign-in and a way to them", {
  skip: !hasKubectl,
}, () => {
  const built = spawnSync("kubectl", ["kustomize", join(deploy, "kubernetes-sign-in")], {
    encoding: "utf8",
  });
  assert.equal(built.status, 0, built.stderr);
  const byKind = new Map(
    parseAllDocuments(built.stdout).map((one) => [one.toJS().kind, one.toJS()]),
  );
  const { containers, volumes } = byKind.get("Deployment").spec.template.spec;
  assert.ok(containers[0].args.includes(`--public-url=https://${name}`));
  assert.ok(containers[0].readinessProbe, "what the base says stays");
  const names = (volumes as { name: string }[]).map((volume) => volume.name);
  for (const needed of ["config", "data", "vault", "tmp", "sign-in"])
    assert.ok(names.includes(needed), needed);
  const [rule] = byKind.get("Ingress").spec.rules;
  assert.equal(rule.host, name);
  assert.equal(rule.http.paths[0].backend.service.name, byKind.get("Service").metadata.name);
});
