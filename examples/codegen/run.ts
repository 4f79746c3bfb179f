import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";
import { createClient, ToolError } from "./client.ts";

const program = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));
const directory = await mkdtemp(join(tmpdir(), "codegen-"));
const config = { mcpServers: { demo: { command: process.execPath, args: [program, "demo"] } } };

try {
  await using plane = await createPlane({ config });

  // The client beside this file was generated from the same catalogue.
  const { files } = await plane.codegen.generate("client", { server: "demo" });
  const kept = await readFile(new URL("client.ts", import.meta.url), "utf8");
  assert.equal(
    files[0]?.text,
    kept,
    "generate it again: toolplane codegen client --server demo --out examples/codegen",
  );

  const client = createClient(plane);
  const { data } = await client.demo.add({ a: 2, b: 3 });
  const sum: number = data.sum;
  console.log(`2 + 3 = ${sum}`);
  assert.equal(sum, 5);
  await assert.rejects(client.demo.add({ a: 2 } as never), (thrown) => {
    assert.ok(thrown instanceof ToolError);
    console.log(`without b: ${thrown.code}`);
    return thrown.code === "INVALID_ARGUMENTS";
  });

  // A command line of its own for the same server.
  const [file] = (await plane.codegen.generate("cli", { server: "demo" })).files;
  const path = join(directory, file?.path ?? "");
  await writeFile(path, file?.text ?? "");
  await writeFile(join(directory, "toolplane.json"), JSON.stringify(config));
  const env = {
    ...process.env,
    TOOLPLANE_COMMAND: `${process.execPath} ${program} --data-dir ${directory}`,
  };
  const run = (...words: string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [path, ...words], {
      encoding: "utf8",
      env,
    });
    console.log(`$ demo ${words[0]} …\n${stdout}${stderr}`.trim());
    return { stdout, status };
  };
  const ran = run("greet", "--name", "Ann", "--config", join(directory, "toolplane.json"));
  assert.deepEqual(ran, { stdout: "Hello, Ann!\n", status: 0 });
  assert.equal(run("add", "--a", "two", "--b", "3").status, 2);
} finally {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
