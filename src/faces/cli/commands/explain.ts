// Generated from docs/errors by `npm run docs`, so that an installed package needs no other file.

import { nearest } from "../../../lib/text/nearest.ts";
import { type ErrorCode, errorTable, PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import pages from "../error-pages.json" with { type: "json" };
import { colors, print, printJson, renderTable } from "../terminal/output.ts";

const codes = Object.keys(errorTable) as ErrorCode[];

export function explainError(_: Cli, codeText: string | undefined, { json }: GlobalOptions): void {
  if (codeText === undefined) {
    if (json) return printJson({ errors: codes.map((code) => ({ code, ...errorTable[code] })) });
    print(renderTable(["CODE", "EXIT", "MEANS"], codes.map(rowOf)));
    return;
  }
  const code = findCode(codeText);
  const page = pages[code];
  if (json) printJson({ code, ...errorTable[code], page });
  else print(renderPage(code, page));
}

function rowOf(code: ErrorCode): string[] {
  const { exit, means } = errorTable[code];
  return [code, String(exit), means];
}

/** In any case, with the brackets that messages end with or without them. */
function findCode(codeText: string): ErrorCode {
  const normalized = codeText
    .replaceAll(/[[\]\s]/g, "")
    .replaceAll("-", "_")
    .toUpperCase();
  const exactCode = codes.find((code) => code === normalized);
  if (exactCode) return exactCode;
  const [likeliest] = nearest(normalized, codes, 1);
  const suggestion = likeliest === undefined ? "" : ` Did you mean '${likeliest}'?`;
  throw new PlaneError(
    "USAGE",
    `No error code '${codeText}'.${suggestion} List them: toolplane explain`,
  );
}

function renderPage(code: ErrorCode, page: string): string {
  const { http, rpc, exit, retryable, category, means } = errorTable[code];
  const facts = [
    `category ${category}`,
    `exit code ${exit}`,
    `HTTP ${http}`,
    `JSON-RPC ${rpc}`,
    `retryable: ${retryable ? "yes" : "no"}`,
  ];
  return [colors.bold(code), means, colors.dim(facts.join(" · ")), "", plainPage(page)].join("\n");
}

/** Markdown as a terminal shows it: headings in bold, examples indented, links by their text. */
function plainPage(page: string): string {
  let isExample = false;
  const lines = page
    .trim()
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("```")) {
        isExample = !isExample;
        return [];
      }
      if (isExample) return [`  ${line}`];
      const heading = /^#+ (.*)$/.exec(line)?.[1];
      if (heading !== undefined) return [colors.bold(heading)];
      return [line.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, "$1")];
    });
  return lines.join("\n");
}
