import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ownFiles } from "../../src/lib/own-files.ts";
import { version } from "../../src/lib/version.ts";
import { compile, projectCompiler } from "../fixtures/declarations.ts";
import { projectRoot } from "../fixtures/documents.ts";
import { scaledMs } from "../fixtures/patience.ts";
import { isWholeTier } from "../fixtures/tier.ts";
import { until } from "../fixtures/until.ts";
import { noBrowser, openBrowser } from "../workbench/chromium.ts";
import { hangMs, type Installation, installPackage, ownNode, type Person } from "./installation.ts";
import { brokenLinks, entriesOf, followImports, readPackage } from "./package-files.ts";

const libraryUse = `
import { createPlane, type Outcome, resultText } from "toolplane";
const plane = await createPlane({ config: { mcpServers: { demo: { command: "toolplane", args: ["demo"] } } } });
const outcome: Outcome = await plane.call("demo.greet", { name: "Bob" });
if (outcome.result) console.log(resultText(outcome.result));
await plane.stop();
`;

suite("the package, installed in an empty directory", () => {
  let installed: Installation;
  before(async () => {
    installed = await installPackage();
  });
  after(() => installed[Symbol.asyncDispose]());

  test("has every file that package.json lists, and no dependency but the declared ones", () => {
    const { files, manifest } = readPackage(installed.package);
    const isThere = (place: string) =>
      files.has(place) || [...files].some((file) => file.startsWith(`${place}/`));
    const listed = manifest.files.filter((place) => !place.startsWith("!"));
    const wanted = [
      ...listed,
      "README.md",
      "LICENSE",
      "dist/sbom.cdx.json",
      "dist/third-party-licenses.txt",
    ];
    assert.deepEqual(
      [...wanted, ...Object.values(ownFiles).map(({ built }) => built)].filter(
        (place) => !isThere(place),
      ),
      [],
    );
    const leftOut = manifest.files
      .filter((place) => place.startsWith("!"))
      .map((place) => place.slice(1));
    assert.deepEqual(leftOut.filter(isThere), []);
    assert.deepEqual(globSync("*", { cwd: installed.modules }).sort(), ["toolplane", "zod"]);
  });

  test("has no file that leads nowhere and none that nothing leads to", () => {
    const content = readPackage(installed.package);
    const { reached, missing } = followImports(content, entriesOf(content));
    assert.ok(reached.size > 200, `only ${reached.size} files are reached`);
    assert.deepEqual(missing, []);
    const loaded = [...content.files].filter((file) => /^dist\/.*\.(?:js|css|d\.ts)$/.test(file));
    assert.deepEqual(
      loaded.filter((file) => !reached.has(file)),
      [],
    );
    assert.deepEqual(brokenLinks(content), []);
  });

  test("compiles in a strict project that calls the library", async () => {
    await writeFile(join(installed.project, "use.ts"), libraryUse);
    const strict = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "esnext",
      "--types",
      "",
      "use.ts",
    ];
    assert.equal(await compile(projectCompiler, strict, installed.project), "");
  });

  test("starts the thread that writes to a store", async () => {
    const file = join(installed.project, "thread.db");
    const worker = new Worker(join(installed.package, ownFiles.appendWorker.built), {
      workerData: { file },
    });
    const [said] = await new Promise<unknown[]>((resolve, reject) => {
      worker.once("message", (...heard) => resolve(heard)).once("error", reject);
    });
    await worker.terminate();
    assert.equal(said, "ready");
  });

  test("satisfies publint", { skip: isWholeTier ? false : "in npm run test:all" }, async () => {
    const publint = [
      join(projectRoot, "scripts/tools/run.ts"),
      "publint",
      installed.package,
      "--strict",
      "--pack=false",
    ];
    await promisify(execFile)(process.execPath, publint, { cwd: projectRoot });
  });

  suite(`on Node ${process.versions.node}`, () => {
    tryAll(() => installed.personWith(ownNode, "home"));
  });

  suite("on the oldest Node that package.json promises", {
    skip: isWholeTier ? false : "in npm run test:all",
  }, () => {
    const { engines } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
    const oldest = `~${engines.node.replace(">=", "")}.0`;
    let node: string;
    before(async () => {
      node = await installed.installNode(oldest);
    });
    test("is that one", async () => {
      const said = await installed.personWith(node, "home-of-oldest").node("--version");
      assert.ok(said.startsWith(`v${engines.node.replace(">=", "")}.`), said);
    });
    tryAll(() => installed.personWith(node, "home-of-oldest"));
  });

  test("leaves nothing behind when it is uninstalled", async () => {
    await until("the end of what was started", () => runningFrom(installed.project).length === 0);
    await installed.uninstall();
    const left = readdirSync(installed.modules).filter((entry) => !entry.startsWith("."));
    assert.deepEqual([...left, ...globSync(".bin/*", { cwd: installed.modules })], []);
  });
});

/** What a person does with it. */
function tryAll(start: () => Person): void {
  let person: Person;
  before(async () => {
    person = start();
    await mkdir(person.home);
  });

  test("it knows its version", async () => {
    assert.equal(await person.toolplane("--version"), `${version}\n`);
  });

  test("it explains an error", async () => {
    assert.match(await person.toolplane("explain", "TIMEOUT"), /^TIMEOUT\n/);
  });

  test("it adds a server to the person's own file, and calls it", async () => {
    const said = await person.toolplane("add", "--global", "--name", "demo", "toolplane", "demo");
    const [, file = ""] = /Added 'demo' to (\S+) .*\. 6 tools/.exec(said) ?? [];
    assert.ok(file.startsWith(person.home), said);
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), {
      mcpServers: { demo: { command: "toolplane", args: ["demo"] } },
    });
    assert.equal(await person.toolplane("call", "demo.greet", "name=Ann"), "Hello, Ann!\n");
  });

  test("it is a client's server as it wrote it there, and gives the file back byte for byte", async () => {
    const file = join(person.home, ".cursor", "mcp.json");
    const own =
      '{\n  // mine\n  "mcpServers": {\n    "planner": { "command": "toolplane", "args": ["planner"] }\n  }\n}\n';
    await mkdir(join(person.home, ".cursor"));
    await writeFile(file, own);
    await person.toolplane("connect", "cursor", "--yes");
    const known = await person.toolplane("servers", "list");
    assert.ok(known.includes("demo") && known.includes("planner"), known);
    const written = JSON.parse((await readFile(file, "utf8")).replace("// mine", "")) as Written;
    assert.deepEqual(Object.keys(written.mcpServers), ["toolplane"]);

    const client = new Client({ name: "editor", version: "1" });
    const { env, project: cwd } = person;
    await client.connect(
      new StdioClientTransport({ ...written.mcpServers.toolplane, env: textsOf(env), cwd }),
    );
    try {
      // A list does not wait for a server that starts slowly.
      const listed = async (ending: string) =>
        (await client.listTools()).tools
          .map((tool) => tool.name)
          .find((one) => one.endsWith(ending));
      await until(
        "the client's own server",
        async () => (await listed("plan_with_tools")) !== undefined,
      );
      await until("the demo server", async () => (await listed("greet")) !== undefined);
      const name = (await listed("greet")) ?? "";
      const result = await client.callTool({ name, arguments: { name: "Eve" } });
      assert.deepEqual(result.content, [{ type: "text", text: "Hello, Eve!" }]);
    } finally {
      await client.close();
    }

    await person.toolplane("disconnect", "cursor");
    assert.equal(await readFile(file, "utf8"), own);
  });

  test("the library calls a tool", async () => {
    await writeFile(
      join(person.project, "use.mjs"),
      libraryUse.replaceAll(/, type Outcome|: Outcome/g, ""),
    );
    assert.equal(await person.node("use.mjs"), "Hello, Bob!\n");
  });

  suite("while it serves", () => {
    let serving: Awaited<ReturnType<Person["serve"]>>;
    before(async () => {
      serving = await person.serve();
    });
    after(() => serving[Symbol.asyncDispose]());

    test("a program runs in the sandbox", async () => {
      const program = 'return await tools.demo.greet({ name: "Cy" })';
      assert.equal(await person.toolplane("code", "run", "-e", program), "Hello, Cy!\n");
    });

    test("a search finds by meaning what it does not find by words", async () => {
      const answer = JSON.parse(
        await person.toolplane("search", "welcome a guest", "--explain", "--json"),
      );
      assert.equal(answer.tools[0]?.name, "demo.greet");
      assert.deepEqual(
        answer.tools[0]?.points.map(({ from }: { from: string }) => from),
        ["likeness"],
      );
    });

    test("the planner knows the tools", async () => {
      assert.match(await person.toolplane("plan", "make", "greet Ann"), /Tool: demo_greet/);
    });

    test("it serves its workbench, and what the page asks for at once", async () => {
      const page = await fetch(serving.workbench);
      const html = await page.text();
      assert.match(html, /<title>Toolplane<\/title>/, `${page.status}: ${html}`);
      const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, path]) => `${serving.url}${path}`,
      );
      assert.ok(files.length > 4, html);
      const answers = await Promise.all(files.map((file) => fetch(file)));
      assert.deepEqual(
        answers.filter(({ ok }) => !ok).map(({ url, status }) => `${url}: ${status}`),
        [],
      );
    });

    test("its workbench works in a browser", { skip: noBrowser }, async () => {
      await using page = await openPage();
      await page.goto(serving.workbench);
      assert.deepEqual(page.complaints, []);
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.getByRole("link", { name: "Tools", exact: true }).click();
      // What only some pages need is loaded with them.
      await page
        .getByRole("table", { name: "Tools" })
        .getByRole("link", { name: "demo.greet" })
        .click();
      await page.getByRole("main").getByRole("link", { name: "Try", exact: true }).click();
      await page.getByRole("textbox", { name: /^name/ }).fill("Zoe");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByText("Hello, Zoe!").first().waitFor();
      assert.deepEqual(page.complaints, []);
    });
  });
}

/** A page that keeps what goes wrong in it. */
async function openPage() {
  const browser = await openBrowser();
  const page = await browser.newPage();
  page.setDefaultTimeout(scaledMs(hangMs));
  const complaints: string[] = [];
  page.on(
    "console",
    (message) => void (message.type() === "error" && complaints.push(message.text())),
  );
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    const { errorText = "" } = request.failure() ?? {};
    // The page itself gives up what it does not need any more.
    if (errorText !== "net::ERR_ABORTED") complaints.push(`${request.url()}: ${errorText}`);
  });
  page.on(
    "response",
    (response) =>
      void (response.ok() || complaints.push(`${response.url()}: ${response.status()}`)),
  );
  return Object.assign(page, { complaints, [Symbol.asyncDispose]: () => browser.close() });
}

type Written = { mcpServers: { toolplane: { command: string; args: string[] } } };

function textsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The command lines that name a file there. */
function runningFrom(directory: string): string[] {
  if (process.platform !== "linux") return [];
  return globSync("/proc/[0-9]*/cmdline").flatMap((file) => {
    try {
      const words = readFileSync(file, "utf8");
      return words.includes(directory) ? [words] : [];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}
