import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import type { MemoryMessage } from "../../src/testing/testing.ts";
import { inMemory } from "../../src/testing/testing.ts";

type Args = Record<string, unknown>;
type Given = { structuredContent?: unknown; content?: object[]; isError?: boolean };

const picture = { type: "image", data: "iVBORw0KGgo".repeat(60), mimeType: "image/png" };
const issues = Array.from({ length: 53 }, (_, at) => ({
  id: at + 1,
  title: `${at % 3 === 0 ? "bug" : "task"}: number ${at + 1}`,
  owner: ["ann", "bob", "cem"][at % 3],
  createdAt: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
}));
const text = (words: string): Given => ({ content: [{ type: "text", text: words }] });
let flaky = 0;
let running = 0;
let most = 0;

/** As agents meet them: pages, people, weather that fails now and then, files, pictures. */
const servers: Record<string, Record<string, (args: Args) => Given | Promise<Given>>> = {
  tracker: {
    list_issues({ cursor = 0, limit = 20 }) {
      const from = Number(cursor);
      const next = from + Number(limit);
      const page = {
        issues: issues.slice(from, next),
        nextCursor: next < issues.length ? next : null,
      };
      return { structuredContent: page, content: [{ type: "text", text: JSON.stringify(page) }] };
    },
    get_issue({ id }) {
      const found = issues.find((issue) => issue.id === id);
      return found
        ? { structuredContent: found, content: [] }
        : { ...text(`no issue ${id}`), isError: true };
    },
  },
  people: {
    find: ({ login }) => ({
      structuredContent: { login, email: `${login}@example.com`, team: "core" },
      content: [],
    }),
  },
  weather: {
    forecast({ city }) {
      flaky += 1;
      return flaky % 3 === 0
        ? text(JSON.stringify({ city, degrees: 21 }))
        : { ...text("try again"), isError: true };
    },
  },
  files: {
    read: ({ path }) => text(`line 1 of ${path}\nline 2: total=42\nline 3\n`),
    big: () => text("word ".repeat(200_000)),
    async slow({ n }) {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return { structuredContent: { n, square: Number(n) ** 2 }, content: [] };
    },
    screenshot: () => ({ content: [{ type: "text", text: "here it is" }, picture] }),
  },
};

function serve(tools: Record<string, (args: Args) => Given | Promise<Given>>) {
  return inMemory(async ({ id, method, params = {} }: MemoryMessage, reply) => {
    const answer = (result: object) => reply({ jsonrpc: "2.0", id, result });
    if (method === "initialize")
      answer({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      });
    else if (method === "tools/list") {
      const annotations = { readOnlyHint: true };
      answer({
        tools: Object.keys(tools).map((name) => ({
          name,
          inputSchema: { type: "object" },
          annotations,
        })),
      });
    } else if (method === "tools/call") {
      const given = await tools[String(params.name)]?.((params.arguments ?? {}) as Args);
      answer({ content: [], ...given });
    } else if (id !== undefined)
      reply({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
  });
}

/** Each as a model writes it, and what it returns. */
const programs: [title: string, code: string, expected: unknown][] = [
  [
    "pages through a list",
    `const all = [];
     let cursor = 0;
     while (cursor !== null) {
       const page = await tools.tracker.list_issues({ cursor, limit: 20 });
       all.push(...page.issues);
       cursor = page.nextCursor;
     }
     return { count: all.length, bugs: all.filter(i => i.title.startsWith("bug")).length };`,
    { count: 53, bugs: 18 },
  ],
  [
    "joins two servers",
    `const { issues } = await tools.tracker.list_issues({ limit: 6 });
     const logins = [...new Set(issues.map((issue) => issue.owner))];
     const people = await Promise.all(logins.map((login) => tools.people.find({ login })));
     const byLogin = new Map(people.map((p) => [p.login, p]));
     return issues.map(({ id, owner }) => \`#\${id} \${byLogin.get(owner)?.email}\`).slice(0, 3);`,
    ["#1 ann@example.com", "#2 bob@example.com", "#3 cem@example.com"],
  ],
  [
    "retries with setTimeout",
    `async function withRetry(fn, attempts = 5) {
       for (let i = 0; ; i++) {
         try { return await fn(); }
         catch (error) {
           if (i >= attempts - 1) throw error;
           await new Promise((resolve) => setTimeout(resolve, 5 * 2 ** i));
         }
       }
     }
     const forecast = await withRetry(() => tools.weather.forecast({ city: "Bern" }));
     return forecast.degrees;`,
    21,
  ],
  [
    "reckons with dates and Intl",
    `const { createdAt } = await tools.tracker.get_issue({ id: 10 });
     const created = new Date(createdAt);
     const days = Math.round((Date.UTC(2026, 1, 1) - created.getTime()) / 86_400_000);
     const shown = new Intl.DateTimeFormat("en-GB", { day: "2-digit", month: "short", year: "numeric", timeZone: "UTC" }).format(created);
     const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(1234.5);
     return [days, shown, money, created.toISOString().slice(0, 10)];`,
    [22, "10 Jan 2026", "$1,234.50", "2026-01-10"],
  ],
  [
    "uses Map, Set and patterns",
    `const { issues } = await tools.tracker.list_issues({ limit: 30 });
     const counts = new Map();
     for (const { title } of issues) {
       const kind = title.match(/^(?<kind>\\w+):/u)?.groups?.kind ?? "other";
       counts.set(kind, (counts.get(kind) ?? 0) + 1);
     }
     const owners = new Set(issues.map(i => i.owner));
     return { ...Object.fromEntries(counts), owners: owners.size, first: "a-b-c".replaceAll(/-(.)/g, (_, x) => x.toUpperCase()) };`,
    { bug: 10, task: 20, owners: 3, first: "aBC" },
  ],
  [
    "catches a tool's error",
    `try {
       await tools.tracker.get_issue({ id: 999 });
       return "found";
     } catch (error) {
       return { name: error.name, isToolError: error instanceof ToolError, message: /no issue 999/.test(error.message) };
     } finally {
       console.log("looked");
     }`,
    { name: "ToolError", isToolError: true, message: true },
  ],
  [
    "limits what runs beside each other",
    `async function mapLimit(items, limit, fn) {
       const results = new Array(items.length);
       let next = 0;
       const worker = async () => { while (next < items.length) { const i = next++; results[i] = await fn(items[i]); } };
       await Promise.all(Array.from({ length: limit }, worker));
       return results;
     }
     const squares = await mapLimit([1, 2, 3, 4, 5, 6, 7, 8], 3, (n) => tools.files.slow({ n }));
     return squares.reduce((sum, { square }) => sum + square, 0);`,
    204,
  ],
  [
    "returns a picture",
    `const shot = await tools.files.screenshot();
     const image = shot.find((block) => block.type === "image");
     return { caption: shot[0].text, image };`,
    /"caption":\s*"here it is"/,
  ],
  [
    "sums up a large result",
    `const text = await tools.files.big();
     const words = text.split(/\\s+/).filter(Boolean);
     return { words: words.length, sample: words.slice(0, 2).join(" ") };`,
    { words: 200_000, sample: "word word" },
  ],
  [
    "builds addresses",
    `const url = new URL("/search", "https://api.example.com");
     url.searchParams.set("q", "a b&c");
     url.searchParams.append("page", String(2));
     const query = new URLSearchParams({ x: "1", y: "ü" }).toString();
     return [url.href, url.host, query, encodeURIComponent("a/b")];`,
    ["https://api.example.com/search?q=a+b%26c&page=2", "api.example.com", "x=1&y=%C3%BC", "a%2Fb"],
  ],
  [
    "encodes text and bytes",
    `const bytes = new TextEncoder().encode("grüezi");
     const back = new TextDecoder().decode(bytes);
     const hex = [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
     return { length: bytes.length, back, hex: hex.slice(0, 8), b64: btoa("hi") + atob("aGk=") };`,
    { length: 7, back: "grüezi", hex: "6772c3bc", b64: "aGk=hi" },
  ],
  [
    "copies with structuredClone",
    `const original = { when: new Date(0), tags: new Set(["a"]), nested: { list: [1, 2] } };
     const copy = structuredClone(original);
     copy.nested.list.push(3);
     copy.tags.add("b");
     return [original.nested.list.length, copy.nested.list.length, original.tags.size, copy.tags.size, copy.when.getTime()];`,
    [2, 3, 1, 2, 0],
  ],
  [
    "defines a class",
    `class Stats {
       #values: number[] = [];
       static of(...values: number[]) { const s = new Stats(); for (const v of values) s.add(v); return s; }
       add(value: number) { this.#values.push(value); return this; }
       get mean() { return this.#values.reduce((a, b) => a + b, 0) / this.#values.length; }
       get median() { const s = this.#values.toSorted((a, b) => a - b); return s[Math.floor(s.length / 2)]; }
     }
     const { issues } = await tools.tracker.list_issues({ limit: 5 });
     const stats = Stats.of(...issues.map((i) => i.id));
     return { mean: stats.mean, median: stats.median };`,
    { mean: 3, median: 3 },
  ],
  [
    "walks an async generator",
    `async function* pages() {
       let cursor = 0;
       do {
         const page = await tools.tracker.list_issues({ cursor, limit: 25 });
         yield page.issues;
         cursor = page.nextCursor;
       } while (cursor !== null);
     }
     const sizes = [];
     for await (const page of pages()) sizes.push(page.length);
     return sizes;`,
    [25, 25, 3],
  ],
  [
    "is written in TypeScript",
    `enum Level { Low = 1, High = 10 }
     interface Issue { id: number; title: string; owner: string }
     type Row = Pick<Issue, "id" | "owner"> & { level: Level };
     const settings = { limit: 4 } satisfies { limit: number };
     const { issues } = (await tools.tracker.list_issues(settings)) as { issues: Issue[] };
     const rows: Row[] = issues.map(({ id, owner }): Row => ({ id, owner, level: id > 2 ? Level.High : Level.Low }));
     const grouped = Object.groupBy(rows, (row) => Level[row.level]);
     function first<T>(list: readonly T[] | undefined): T | undefined { return list?.[0]; }
     return [first(grouped.Low)!.id, first(grouped.High)?.id ?? null, rows.length as number];`,
    [1, 3, 4],
  ],
];

suite("programs as agents write them run at the first try", () => {
  let plane: Plane;
  before(async () => {
    const mcpServers = Object.fromEntries(
      Object.entries(servers).map(([name, tools]) => [name, serve(tools)]),
    );
    plane = await createPlane({ config: { mcpServers } });
    await plane.tools.list();
  });
  after(() => plane.stop());

  for (const [title, code, expected] of programs)
    test(title, async () => {
      const outcome = await plane.code.run(code);
      assert.equal(outcome.ok, true, outcome.text);
      if (expected instanceof RegExp) assert.match(outcome.text, expected);
      else assert.deepEqual(outcome.value, expected);
      if (title === "returns a picture") assert.equal(outcome.blocks?.[0]?.mimeType, "image/png");
    });

  test("a mistake after an enum is reported with the line that its author wrote", async () => {
    const code =
      "enum Level {\n  Low = 1,\n  High,\n}\nconst wanted: Level = Level.High;\nthrow new Error(`no ${wanted}`);";
    const { ok, error } = await plane.code.run(code);
    assert.deepEqual(
      [ok, error?.line, error?.text],
      [false, 6, "throw new Error(`no ${wanted}`);"],
    );
  });

  const mistakes: [title: string, code: string, said: RegExp][] = [
    [
      "arguments by position",
      'await tools.people.find("ann")',
      /A call takes one object, with its arguments by name: tools\.people\.find\(\{/,
    ],
    [
      "a list of arguments",
      "await tools.files.slow([1])",
      /with its arguments by name: tools\.files\.slow/,
    ],
    [
      "a server without 'tools'",
      "await people.find({ login: 'ann' })",
      /'people' is not defined\. Did you mean tools\.people\? \(line 1/,
    ],
    [
      "a tool without 'tools'",
      "return await get_issue({ id: 1 })",
      /Did you mean tools\.tracker\.get_issue\?/,
    ],
    [
      "another platform's way to call",
      'await callTool("people", {})',
      /Tools are functions: await tools\.server\.tool/,
    ],
  ];
  for (const [title, code, said] of mistakes)
    test(`the remedy is named: ${title}`, async () => {
      const { ok, text } = await plane.code.run(code);
      assert.equal(ok, false);
      assert.match(text, said);
    });

  test("a main that nothing calls is named", async () => {
    const { text } = await plane.code.run("async function main() {\n  return 1;\n}");
    assert.match(text, /Its 'main' was not called: end with 'return await main\(\);'/);
  });

  test("prose around a fence is left out, and of two programs none is guessed", async () => {
    const fence = "```";
    const code = `Here it is:\r\n\r\n${fence}ts\r\nreturn [1, 2].length;\r\n${fence}\r\n\r\nIt counts.`;
    assert.equal((await plane.code.run(code)).value, 2);
    const writes = "const page = `\n~~~\nreturn 1\n~~~\n`;\nreturn page.length";
    assert.equal(
      (await plane.code.run(writes)).value,
      18,
      "what a program writes is not the program",
    );
    await assert.rejects(plane.code.run(`${code}\n${code}`), {
      code: "USAGE",
      message: /several programs/,
    });
  });

  test("no more ran beside each other than the program said", () =>
    assert.ok(most <= 3, String(most)));
});
