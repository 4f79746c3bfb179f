import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { Plane } from "../../../model/plane.ts";
import { NextCursor, Page, usualPage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, "give a whole number")
  .transform(Number)
  .optional();

const StoredResult = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    user: z.string().nullable(),
    at: z.string(),
    expiresAt: z.string(),
    hash: z.string().meta({ description: "SHA-256 of the result as JSON." }),
    characters: z.number().int(),
    bytes: z.number().int().meta({ description: "What it takes in the store." }),
  })
  .meta({ id: "StoredResult" });

const ResultPage = z
  .object({
    id: z.string(),
    tool: z.string(),
    callId: z.string(),
    expiresAt: z.string(),
    unit: z.enum(["characters", "lines", "matches"]),
    offset: z.number().int(),
    total: z.number().int(),
    nextOffset: z.number().int().nullable().meta({ description: "Null when this is the end." }),
    text: z.string(),
  })
  .meta({ id: "ResultPage" });

const PartAsked = z.object({
  offset: wholeNumber.meta({
    type: "integer",
    minimum: 0,
    description: "Where to begin: a character, with `lines` a line, with `grep` a match.",
  }),
  limit: wholeNumber.meta({
    type: "integer",
    minimum: 1,
    description: "At most so many: 100000 characters, 10000 lines or 1000 matches.",
  }),
  path: z.string().optional().meta({
    description: "A JSON pointer or names with dots; `$result` leads into the result as it came.",
  }),
  grep: z.string().optional().meta({ description: "A pattern (RE2) that is looked for in every line." }),
  lines: z
    .enum(["true", "false"], "give true or false")
    .optional()
    .meta({ description: "Count lines instead of characters." }),
});

/** Results that were too large to be given whole: one's own, or anybody's with the scope `admin`. */
export function addResultRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/results", tag: "Calls", scope: "read", query: Page },
      summary: "Large results that are kept, newest first",
      description: "Your own; everybody's with the scope `admin`.",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ results: z.array(StoredResult), nextCursor: NextCursor }),
        },
      },
    },
    async ({ c, caller, query: { limit = usualPage, cursor } }) =>
      c.json(await plane.results.page({ limit, ...(cursor === undefined ? {} : { cursor }) }, caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/results/{id}", tag: "Calls", scope: "read", query: PartAsked },
      params: { id: "The id that was given in place of the result." },
      summary: "A part of a large result",
      answers: { 200: { description: "One page of its text.", schema: ResultPage } },
    },
    async ({ c, caller, param, query: { lines, ...part } }) => {
      const asked = {
        ...withoutUndefined(part),
        ...(lines === undefined ? {} : { lines: lines === "true" }),
      };
      return c.json(await plane.results.get(param("id"), asked, caller));
    },
  );
}
