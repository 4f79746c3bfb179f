import { nearest } from "../../lib/text/nearest.ts";
import { parseToolQuery } from "../../model/catalogue/tool-query.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Readiness } from "../../model/plane.ts";
import { ToolsShown } from "../../operations/declared/tools.ts";
import { type ExportedText, exportTypes } from "../../operations/schemas/call-export.ts";
import { answerAgent } from "./agent-stream.ts";
import { answerCallRequest, parseCall } from "./call-stream.ts";
import type { Identities } from "./callers/identity.ts";
import { streamEvents } from "./event-stream.ts";
import { streamLogs } from "./log-stream.ts";
import type { HttpAddition } from "./operation-routes.ts";
import { readQuery } from "./read-query.ts";
import { problemResponse, renderOutcome, renderSkillRun } from "./render.ts";
import { wantsStream } from "./route.ts";

/** What HTTP adds to operations: streams, text, and statuses that depend on how a call went. */
export function ownAnswers(
  identities: Identities,
  closing: AbortSignal,
): Record<string, HttpAddition> {
  const { plane } = identities;
  return {
    "tools.page": { read: readTools },
    call: { read: parseCall, answer: answerCallRequest },
    "pages.ask": { answer: async (_asked, run) => renderOutcome(await run()) },
    "deadLetters.retry": { answer: async (_asked, run) => renderOutcome(await run()) },
    "skills.run": { answer: async (_asked, run) => renderSkillRun(await run()) },
    "agent.run": {
      answer: ({ c }, run, { detached }) => answerAgent(c, run, closing, detached === true),
    },
    "servers.logs": {
      async answer(request, run, { name }) {
        if (wantsStream(request.c)) return streamLogs(identities, request, String(name), closing);
        return request.c.json((await run()) as object);
      },
    },
    "events.page": { answer: (request) => streamEvents(identities, request, closing) },
    "calls.export": {
      async answer({ c }, run) {
        const { format, text }: ExportedText = await run();
        c.header("content-type", `${exportTypes[format]}; charset=utf-8`);
        return c.body(ReadableStream.from(encoded(text)) as never);
      },
    },
    "runs.get": {
      async answer({ c, caller, param }, run) {
        const accepted = c.req.header("accept") ?? "";
        c.header("vary", "Accept");
        if (/\btext\/plain\b/i.test(accepted))
          return c.text((await plane.runs.render(param("id"), "text", caller)).text);
        if (accepted !== "" && !/\bapplication\/(?:json|\*)|\*\/\*/i.test(accepted))
          throw new PlaneError(
            "USAGE",
            "A run is available as application/json or text/plain. Ask for one of them in 'Accept'.",
          );
        return c.json((await run()) as object);
      },
    },
    readiness: {
      async answer({ c }, run) {
        if (closing.aborted) return problemResponse(stopping());
        const state = (await run()) as Readiness;
        if (state.ready) return c.json({ ready: true });
        const data = { since: state.since, why: state.reason.replace(/\.$/, "") };
        return problemResponse(new PlaneError("STORE_FAILED", state.reason, { data }));
      },
    },
  };
}

export function stopping(): PlaneError {
  return new PlaneError("SERVER_UNAVAILABLE", "This plane is stopping. Ask another, or later.");
}

async function* encoded(text: AsyncIterable<string>) {
  const encoder = new TextEncoder();
  for await (const part of text) yield encoder.encode(part);
}

const wording = { spell: (parameter: string) => `'${parameter}'`, nearest };
/** The filters of a search; others would hold for one half of the list only. */
const searchable: ReadonlySet<string> = new Set(["q", "server", "group", "limit", "cursor"]);

function readTools(search: string): object {
  const parameters = [...new URLSearchParams(search)] as [string, string][];
  const isShown = ([name]: [string, string]) => Object.hasOwn(ToolsShown.shape, name);
  const shown = readQuery(ToolsShown, new URLSearchParams(parameters.filter(isShown)));
  const filters = parameters.filter((parameter) => !isShown(parameter));
  const [notSearchable] = filters.find(([name]) => !searchable.has(name)) ?? [];
  if (shown.best !== undefined && notSearchable !== undefined)
    throw new PlaneError(
      "USAGE",
      `'best' does not go with '${notSearchable}': leave out one of them.`,
      {
        data: { parameter: "best" },
      },
    );
  return { ...parseToolQuery(filters, wording), ...shown };
}
