import { type Page, takePage } from "../model/page.ts";
import type { WorkQuery } from "../model/registry-summary.ts";
import { workPlace } from "./visible-work.ts";

type Work = {
  name: string;
  persona?: string | undefined;
  summary?: string | undefined;
  description?: string | undefined;
};

/** Those of the tasks or jobs that are meant, one page of them. They come and go in the order of their places. */
export function queryWork<T extends Work>(all: readonly T[], query: WorkQuery): Page<T> {
  const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const matching = all.filter(
    (one) =>
      (query.name === null || one.name === query.name) && words.every((word) => textOf(one).includes(word)),
  );
  return takePage(matching, workPlace, query);
}

function textOf({ name, summary = "", description = "" }: Work): string {
  return `${name}\n${summary}\n${description}`.toLowerCase();
}
