import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { workedOut } from "../scripts/built-tables.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "workbench/src");
const wallLines = 240;

/** Who may import whom. */
const arrows: Record<string, readonly string[]> = {
  api: [],
  parts: ["api"],
  app: ["api", "parts", "pages"],
  pages: ["api", "parts", "app"],
  "main.tsx": ["app"],
};

const files = globSync("**/*.{ts,tsx}", { cwd: source });
const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), "utf8")]));

type Import = { file: string; target: string; isType: boolean };

const imports: Import[] = [...texts].flatMap(([file, text]) => {
  const pattern =
    /^(?:import|export)\s+(type\s+)?[^"';]*?\bfrom\s*["'](\.[^"'\n]+)["']|\bimport\s*\(\s*["'](\.[^"'\n]+)["']/gm;
  return [...text.matchAll(pattern)].map(([, type, still, lazy]) => ({
    file,
    isType: type !== undefined,
    target: relative(root, join(source, dirname(file), still ?? lazy ?? "")),
  }));
});
const own = imports.filter(({ target }) => target.startsWith("workbench/src/"));
const foreign = imports.filter(({ target }) => !target.startsWith("workbench/"));

const roomOf = (path: string) => path.split("/")[0] ?? "";
const pageOf = (path: string) => (path.startsWith("pages/") ? path.split("/")[1] : undefined);

test("the search for imports finds them", () => {
  assert.ok(own.length > 100 && foreign.length > 10, `${own.length} and ${foreign.length}`);
});

test("the workbench takes types of the plane, and code only from its ground floor or worked out at build", () => {
  const isLight = (target: string) =>
    /^src\/(model|lib)\//.test(target) || workedOut.includes(join(root, target));
  const wrong = foreign.filter(({ target, isType }) => !isType && !isLight(target));
  assert.deepEqual(wrong, []);
});

test("the browser loads no schemas", () => {
  const valued = /^(?:import|export)\b(?!\s+type\b)[^"';]*?\bfrom\s*"([^"]+)"/gm;
  const seen = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (seen.has(file) || workedOut.includes(file)) return;
    seen.add(file);
    for (const [, target = ""] of readFileSync(file, "utf8").matchAll(valued)) {
      assert.ok(
        !/^zod(\/|$)/.test(target),
        [...way, file].map((one) => relative(root, one)).join(" → "),
      );
      if (target.startsWith(".")) visit(join(dirname(file), target), [...way, file]);
    }
  };
  for (const { target, isType } of foreign) if (!isType) visit(join(root, target), []);
  assert.ok(seen.size > 5, `${seen.size}`);
});

test("requests are made from operations: no page writes a path, or the type of an answer", () => {
  const client = ["api/client.ts", "api/session.ts", "api/operations.ts"];
  const byHand = /\b(?:fetch|send|sendBeacon|EventSource|XMLHttpRequest|readAnswer)\b\s*[<(]/;
  const typed =
    /\b(?:(?:call|send|use|useMutate)Operation|operation(?:Query|Pages)|useQuery|useMutation|queryOptions|infiniteQueryOptions)<|\(await callOperation\([^;]*?\)\) as /;
  const wrong = [...texts].filter(
    ([file, text]) =>
      !client.includes(file) &&
      !file.endsWith(".test.ts") &&
      (byHand.test(text) || typed.test(text)),
  );
  assert.deepEqual(
    wrong.map(([file]) => file),
    [],
  );
});

test("what pages share knows no page, and a page shows pieces of another at most", () => {
  const wrong = own.filter(({ file, target, isType }) => {
    const path = target.slice("workbench/src/".length);
    const from = roomOf(file);
    const to = roomOf(path);
    if (from === "pages" && to === "pages")
      return pageOf(file) !== pageOf(path) && path.endsWith("-page.tsx");
    return from !== to && !isType && !arrows[from]?.includes(to);
  });
  assert.deepEqual(wrong, []);
});

test("no page shows itself by way of others", () => {
  const shows = (page: string) =>
    own.flatMap(({ file, target }) => {
      const other = pageOf(target.slice("workbench/src/".length));
      return pageOf(file) === page && other !== undefined && other !== page ? [other] : [];
    });
  const visit = (page: string, path: readonly string[]): void => {
    assert.ok(!path.includes(page), [...path, page].join(" → "));
    for (const other of new Set(shows(page))) visit(other, [...path, page]);
  };
  for (const page of new Set(files.flatMap((file) => pageOf(file) ?? []))) visit(page, []);
});

test("what others wrote is shown as text and never as a page", () => {
  const wrong = [...texts].filter(([, text]) =>
    /dangerouslySetInnerHTML|\.(inner|outer)HTML|insertAdjacentHTML|\beval\(/.test(text),
  );
  assert.deepEqual(
    wrong.map(([file]) => file),
    [],
  );
});

test("files of the workbench are small and say what they are", () => {
  const long = [...texts].filter(([, text]) => text.split("\n").length > wallLines + 1);
  assert.deepEqual(
    long.map(([file]) => file),
    [],
    `longer than ${wallLines} lines`,
  );
  assert.deepEqual(
    files.filter(
      (file) =>
        !/^[a-z0-9/-]+(\.test)?\.tsx?$/.test(file) ||
        /(^|\/)(utils?|helpers?|types|index)\./.test(file),
    ),
    [],
  );
});
