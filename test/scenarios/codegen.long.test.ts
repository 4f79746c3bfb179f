import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createPlane } from "../../src/index.ts";
import { commandLineFile } from "../fixtures/bundled.ts";
import { compile, projectCompiler } from "../fixtures/declarations.ts";
import {
  fixtureEnvironment,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import {
  callsAt,
  errorOf,
  processFixture as fixture,
  type RunningServe,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

const node = {
  type: "object",
  properties: { next: { $ref: "#/$defs/node" }, value: { type: "integer" } },
};

/** What schemas and names in the wild have. */
const odd = [
  {
    name: "get-weather v2",
    description: "Weather. */ process.exit(1) /*\nSecond line.",
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string", description: "Where, */ please" },
        unit: { enum: ["celsius", "fahrenheit"], default: "celsius" },
        days: { type: ["integer", "null"], minimum: 1 },
        at: { type: "string", format: "date-time" },
        isDetailed: { type: "boolean" },
        tags: { type: "array", items: { type: "string" } },
        place: {
          type: "object",
          properties: { lat: { type: "number" }, "lon-gitude": { type: "number" } },
        },
        json: { type: "string" },
        __proto__x: { const: 4 },
        either: {
          oneOf: [{ type: "string" }, { type: "object", properties: { id: { type: "number" } } }],
        },
        pair: {
          type: "array",
          prefixItems: [{ type: "string" }, { type: "number" }],
          items: { type: "boolean" },
        },
        mixed: { allOf: [{ $ref: "#/$defs/node" }, { required: ["value"] }] },
        labels: { type: "object", additionalProperties: { type: "string" } },
        maybe: { type: "string", nullable: true },
        tree: { $ref: "#/$defs/tree" },
        self: { $ref: "#" },
      },
      required: ["city"],
      $defs: {
        node,
        tree: { type: "object", additionalProperties: { $ref: "#/$defs/tree" } },
      },
    },
  },
  { name: "get_weather_v2", description: "Looks like the first.", inputSchema: { type: "object" } },
  {
    name: "broken",
    description: "Its references lead nowhere.",
    inputSchema: {
      type: "object",
      properties: {
        loop: { $ref: "#/$defs/a" },
        gone: { $ref: "#/$defs/none" },
        elsewhere: { $ref: "https://example.org/schema.json" },
        odd: { $ref: "#/%" },
      },
      $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } },
    },
    outputSchema: { type: "object", anyOf: [{ $ref: "#" }] },
  },
  { name: "constructor", description: "", inputSchema: { type: "object", properties: {} } },
  { name: "__proto__", description: "", inputSchema: { type: "object" } },
  {
    name: "1st",
    description: "",
    inputSchema: { type: "object", properties: { "": { type: "string" } } },
  },
];

type Answer = Promise<{ data: unknown; text: string; callId: string }>;
type Generated = {
  createClient(to: object): Record<string, Record<string, (args?: unknown) => Answer>>;
};

suite("generated code", { concurrency: 2 }, () => {
  let directory: TemporaryDirectory;
  let config = "";
  let words: string[] = [];
  let serving: RunningServe;
  const log = () => directory.file("odd.log");

  before(async () => {
    directory = await temporaryDirectory();
    await writeFile(directory.file("odd.json"), JSON.stringify([odd]));
    config = await writeConfig(directory, {
      "my-odd": fixture("scripted-list", ["--tools", directory.file("odd.json"), "--log", log()]),
      structured: fixture("structured"),
      echo: fixture("echo"),
    });
    words = ["--config", config, "--data-dir", directory.file("data"), "--json"];
    serving = await startServe(config, directory.file("served"));
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });

  async function generate(...asked: string[]): Promise<string> {
    const out = directory.file(asked.filter((word) => !word.startsWith("--")).join("-"));
    const { code, stdout, stderr } = await runCli(["codegen", ...asked, "--out", out, ...words]);
    assert.equal(code, 0, stdout + stderr);
    const { files } = JSON.parse(stdout) as { files: { path: string; text: string }[] };
    assert.equal(files.length, 1);
    const [{ path, text: said } = { path: "", text: "" }] = files;
    assert.equal(await readFile(path, "utf8"), said);
    return path;
  }

  async function compiled(files: readonly string[], more: readonly string[] = []): Promise<string> {
    const strict = [
      "--strict",
      "--noEmit",
      "--exactOptionalPropertyTypes",
      "--noUncheckedIndexedAccess",
    ];
    const project = [
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--types",
      "",
      "--pretty",
      "false",
      "--ignoreConfig",
    ];
    const imports = ["--allowImportingTsExtensions", "--noPropertyAccessFromIndexSignature"];
    return compile(
      projectCompiler,
      [...strict, ...project, ...imports, ...more, ...files],
      directory.file("."),
    );
  }

  const run = async (
    file: string,
    args: readonly string[],
    env: Record<string, string> = {},
    input = "",
  ) => {
    const child = spawn(process.execPath, [file, ...args], {
      env: { ...fixtureEnvironment(), ...env },
    });
    child.stdin.end(input);
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      closed,
    ]);
    return { code, stdout, stderr };
  };

  test("types say what schemas say, compile under strict and are the same each time", async () => {
    const file = await generate("types");
    const again = await readFile(await generate("types"), "utf8");
    const types = await readFile(file, "utf8");
    assert.equal(again, types);
    for (const part of [
      'unit?: "celsius" | "fahrenheit";',
      "days?: number | null;",
      "Where, *\\/ please",
      '@format "date-time"',
      "pair?: [string, number, ...boolean[]];",
      "tree?: MyOddGetWeatherV2Tree;",
      "export type MyOddGetWeatherV2Tree = {\n  [name: string]: MyOddGetWeatherV2Tree;\n};",
      "next?: MyOddGetWeatherV2Node;",
      "self?: MyOddGetWeatherV2Input;",
      "maybe?: string | null;",
      '"lon-gitude"?: number;',
      "export type MyOddGetWeatherV2Input2 =",
      "  loop?: unknown;\n  gone?: unknown;\n  elsewhere?: unknown;\n  odd?: unknown;",
    ])
      assert.ok(types.includes(part), `${part} is not in\n${types}`);
    const use = join(file, "..", "use.ts");
    await writeFile(
      use,
      `import type { MyOddGetWeatherV2Input, Tools } from "./types.ts";
export const good: MyOddGetWeatherV2Input = { city: "Rome", unit: "celsius", days: null, pair: ["a", 1, true], either: { id: 1 } };
export const data: Tools["structured.valid"]["output"] = { city: "Rome", temperature: 1 };
// @ts-expect-error the city is missing
export const none: MyOddGetWeatherV2Input = {};
// @ts-expect-error no such unit
export const wrong: MyOddGetWeatherV2Input = { city: "Rome", unit: "kelvin" };
`,
    );
    assert.equal(await compiled([use, file]), "");
  });

  test("a client has a method for each tool, over a plane of the library and over HTTP", async () => {
    const file = await generate("client");
    const use = join(file, "..", "use.ts");
    await writeFile(
      use,
      `import { createClient } from "./client.ts";
export async function use(): Promise<number> {
  const client = createClient({ url: "http://127.0.0.1:7420" });
  // @ts-expect-error the message is missing
  await client.echo.echo({});
  return (await client.structured.valid()).data.temperature;
}
`,
    );
    assert.equal(await compiled([use, file], ["--lib", "es2022"]), "");
    const { createClient } = (await import(pathToFileURL(file).href)) as Generated;
    await using plane = await createPlane({ config });
    for (const to of [plane, { url: `${serving.url}/` }]) {
      const client = createClient(to);
      const call = (server: string, tool: string, args?: unknown) =>
        client[server]?.[tool]?.(args) ?? assert.fail(tool);
      const { data, callId } = await call("structured", "valid");
      assert.deepEqual(data, { city: "Paris", temperature: 21.5 });
      assert.ok(callId.length > 5);
      assert.equal((await call("echo", "echo", { message: "hi" })).text, "hi");
      assert.equal(
        (await call("my_odd", "get-weather v2", { city: "Rome" })).data,
        "called get-weather v2",
      );
      assert.equal((await call("my_odd", "__proto__")).data, "called __proto__");
      await assert.rejects(call("echo", "echo", {}), {
        name: "ToolError",
        code: "INVALID_ARGUMENTS",
      });
      await assert.rejects(call("structured", "failed"), {
        code: "TOOL_ERROR",
        message: /no weather today/,
      });
    }
    await assert.rejects(
      createClient({ url: "http://127.0.0.1:1" }).structured?.valid?.() ?? assert.fail(),
      {
        code: "SERVER_UNAVAILABLE",
      },
    );
  });

  test("a command line has a flag for each argument, checks them and ends with our exit codes", async () => {
    const file = await generate("cli", "--server", "my-odd");
    assert.equal(await compiled([file], ["--lib", "es2022"]), "");
    if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o111, 0o111);
    const env = { TOOLPLANE_URL: serving.url };
    const help = await run(file, ["get-weather v2", "--help"]);
    assert.match(help.stdout, /--unit <celsius\|fahrenheit> +\[default "celsius"\]/);
    assert.match(help.stdout, /--is-detailed, --no-is-detailed/);
    assert.match(help.stdout, /--city <text> +Where, \*\/ please \(required\)/);
    assert.match((await run(file, ["--help"])).stdout, /constructor/);
    const given = [
      "--city",
      "Rome",
      "--unit=celsius",
      "--days",
      "null",
      "--no-is-detailed",
      "--tags",
      "a",
      "--tags",
      "b",
    ];
    const nested = [
      "--place",
      '{"lat":1}',
      "--arg-json",
      "x",
      "--pair",
      '["a",1]',
      "--args",
      '{"labels":{"k":"v"},"city":"Oslo"}',
    ];
    const ran = await run(file, ["get-weather-v2", ...given, ...nested], env);
    assert.deepEqual([ran.code, ran.stdout], [0, "called get-weather v2\n"], ran.stderr);
    assert.deepEqual(callsAt(log()).at(-1)?.arguments, {
      labels: { k: "v" },
      city: "Rome",
      unit: "celsius",
      days: null,
      isDetailed: false,
      tags: ["a", "b"],
      place: { lat: 1 },
      json: "x",
      pair: ["a", 1],
    });
    for (const [args, message] of [
      [[], /A command is missing/],
      [["none"], /No command 'none'/],
      [["get-weather v2"], /Missing: --city/],
      [
        ["get-weather v2", "--city", "x", "--unit", "kelvin"],
        /--unit must be one of celsius, fahrenheit/,
      ],
      [["get-weather v2", "--city", "x", "--days", "1.5"], /--days must be an integer/],
      [["get-weather v2", "--city", "x", "--place", "{"], /--place is not JSON/],
      [["get-weather v2", "--citi", "x"], /No flag --citi/],
      [["get-weather v2", "--city"], /--city needs a value/],
    ] as const) {
      const { code, stderr, stdout } = await run(file, args, env);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(stderr, message);
    }
    const { code, stdout } = await run(file, ["get-weather v2", "--json"], env);
    assert.deepEqual([code, errorOf(JSON.parse(stdout) as object).code], [2, "USAGE"]);
  });

  test("a command line without an address calls through the command of Toolplane", async () => {
    const file = await generate("cli", "--server", "structured");
    const env = {
      TOOLPLANE_COMMAND: `${process.execPath} ${commandLineFile} --data-dir ${directory.file("data")}`,
    };
    const good = await run(file, ["valid", "--config", config, "--json"], env);
    assert.equal(good.code, 0, good.stderr);
    assert.equal((JSON.parse(good.stdout) as { ok: boolean }).ok, true);
    const said = await run(file, ["failed", "--config", config], env);
    assert.deepEqual([said.code, said.stdout], [1, ""]);
    assert.match(said.stderr, /no weather today.*\[TOOL_ERROR\]/);
    const gone = await run(file, ["valid"], { TOOLPLANE_COMMAND: "no-such-program-here" });
    assert.equal(gone.code, 4);
    assert.match(gone.stderr, /Install toolplane, or give --url/);
  });

  test("a toolset and a server narrow what is generated; what cannot be is said", async () => {
    await mkdir(directory.file("narrow"));
    const narrow = { file: (name: string) => join(directory.file("narrow"), name) };
    const toolsets = { small: { providers: ["structured"], allow_tools: ["valid"] } };
    const file = await writeConfig(
      narrow,
      { structured: fixture("structured"), echo: fixture("echo") },
      { toolsets },
    );
    const own = ["--config", file, "--data-dir", directory.file("narrow-data"), "--json"];
    const { stdout } = await runCli(["codegen", "types", "--toolset", "small", ...own]);
    const [{ path, text: types } = { path: "", text: "" }] = (
      JSON.parse(stdout) as { files: { path: string; text: string }[] }
    ).files;
    assert.equal(path, "types.ts");
    assert.deepEqual(
      [...types.matchAll(/^ {2}"([^"]+)": \{ input/gm)].map(([, name]) => name),
      ["structured.valid"],
    );
    for (const [args, message, exit = 2] of [
      [["cli"], /for one server.*echo, structured/],
      [["python"], /No kind 'python'.*types, client, cli/],
      [["types", "--server", "nowhere"], /nowhere/],
      [["types", "--toolset", "nowhere"], /nowhere/, 1],
    ] as const) {
      const failed = await runCli(["codegen", ...args, ...own]);
      assert.equal(failed.code, exit, failed.stdout);
      assert.match(errorOf(failed.json()).message, message);
    }
    const over = await fetch(`${serving.url}/codegen/types?server=structured`);
    assert.equal(over.status, 200);
    assert.match(
      ((await over.json()) as { files: { text: string }[] }).files[0]?.text ?? "",
      /StructuredValidOutput/,
    );
    assert.equal((await fetch(`${serving.url}/codegen/python`)).status, 400);
  });
});
