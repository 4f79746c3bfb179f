import { type CodeCall, renderSearch } from "../../model/agent/code-run.ts";
import { resultText } from "../../model/calls/result.ts";
import { codeToolNames } from "../../model/catalogue/meta-tools.ts";
import { pageOf } from "../../model/catalogue/tool-page.ts";
import { errorTable, messageForModel, toPlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { ShownTool } from "../../model/plane-tools.ts";
import { createAskForAccount } from "./accounts.ts";
import { isHost, noteCalled, withPage } from "./apps/page-calls.ts";
import { canElicit, elicitAnswer, relayOf } from "./client-relay.ts";
import type { ClientTools } from "./lazy/client-tools.ts";
import { failure, type RequestContext, type RpcAnswer } from "./request.ts";
import type { Surface } from "./surfaces.ts";
import { resultFor } from "./wire.ts";

const maxFound = 20;

/** `search_tools` and `run_code`. A client's mistake is an answer that its model can read. */
export async function answerCode(
  plane: Plane,
  surface: Surface,
  params: UnknownObject,
  context: RequestContext,
): Promise<RpcAnswer> {
  const { name, arguments: args = {} } = params;
  if (!isObject(args)) return failure(-32602, "'arguments' must be an object.");
  const answering = name === codeToolNames.search ? search : run;
  try {
    return answer(await answering(plane, surface, args, context, params), context);
  } catch (thrown) {
    const { code, message } = toPlaneError(thrown);
    if (errorTable[code].category !== "validation") throw thrown;
    return answer({ text: `${message} [${code}]`, isError: true }, context);
  }
}

/** With the tool whose page shows the result. */
type CodeText = {
  text: string;
  isError: boolean;
  shownBy?: ShownTool | undefined;
  blocks?: UnknownObject[];
};

function answer(
  { text, isError, shownBy, blocks = [] }: CodeText,
  { era }: RequestContext,
): RpcAnswer {
  const content = [{ type: "text", text }, ...blocks];
  const result = withPage(isError ? { content, isError } : { content }, shownBy, true);
  return { result: resultFor(era, result) };
}

/** Along the path, as every search of a client. */
async function search(
  plane: Plane,
  surface: Surface,
  args: UnknownObject,
  context: RequestContext,
): Promise<CodeText> {
  const { principal } = surface;
  const onOwnTool = async (_: string, { query, limit }: UnknownObject) => {
    const hasLimit = typeof limit === "number" && limit >= 1;
    const searchAnswer = await plane.code.search(String(query), {
      principal,
      face: "mcp",
      ...(hasLimit && { limit: Math.min(limit, maxFound) }),
      ...inView(surface),
    });
    const { find } = await context.tools.lookUp("none");
    context.tools.show(searchAnswer.tools.flatMap(({ name }) => find(name) ?? []));
    return { content: [{ type: "text", text: renderSearch(searchAnswer) }] };
  };
  const searchTool = { server: null, tool: codeToolNames.search };
  const { result, error } = await plane.call(searchTool, args, {
    principal,
    face: "mcp",
    signal: context.signal,
    relay: { onOwnTool },
    ...(context.conversation !== null && { conversation: context.conversation }),
  });
  if (result) return { text: resultText(result), isError: result.isError === true };
  return wrong(`${messageForModel(error)} [${error.code}]`);
}

async function run(
  plane: Plane,
  surface: Surface,
  { code, resume, ...others }: UnknownObject,
  context: RequestContext,
  params: UnknownObject,
): Promise<CodeText> {
  const [stray] = Object.keys(others);
  if (stray !== undefined)
    return wrong(`'${stray.slice(0, 60)}' is not an argument of run_code. It takes code, resume.`);
  const isResumed = typeof resume === "string" && resume !== "";
  if (!isResumed && typeof code !== "string") return wrong("'code' must be a program.");
  const { tools, conversation } = context;
  const shownNames = tools.mayCallOnlyShown() ? await namesShown(tools) : undefined;
  const { ok, text, calls, blocks } = await plane.code.run(isResumed ? "" : String(code), {
    principal: surface.principal,
    face: "mcp",
    signal: context.signal,
    relay: relayOf(context, params, plane),
    ...(isResumed && { resume }),
    ...(conversation !== null && { conversation }),
    ...(canElicit(context.client.capabilities) && {
      askHere: (...held) => elicitAnswer(context, ...held),
    }),
    askForAccount: createAskForAccount(plane, surface.principal, context),
    ...inView(surface),
    ...(shownNames && { isSeen: ({ name }) => shownNames.has(name) }),
  });
  const shownBy = ok && isHost(context) ? await lastWithPage(calls, tools) : undefined;
  noteCalled(shownBy, context);
  return { text, isError: !ok, shownBy, ...(blocks && { blocks }) };
}

/** Of the tools that a program has called, the last that has a page. */
async function lastWithPage(
  calls: readonly CodeCall[],
  client: ClientTools,
): Promise<ShownTool | undefined> {
  const { find } = await client.lookUp("none");
  for (const { tool: name, status } of calls.toReversed()) {
    const tool = status === "succeeded" ? find(name)?.tool : undefined;
    if (tool && pageOf(tool) !== null) return tool;
  }
  return undefined;
}

async function namesShown(client: ClientTools): Promise<ReadonlySet<string>> {
  const { tools } = await client.lookUp("none");
  const wasShown = await Promise.all(tools.map((shownTool) => client.wasShown(shownTool)));
  const seenTools = tools.filter((_, index) => wasShown[index]);
  return new Set(seenTools.map(({ tool }) => tool.name));
}

const wrong = (text: string): CodeText => ({ text, isError: true });

/** A toolset's tools are checked one by one; its servers have narrowed the caller. */
function inView({ view, shows }: Surface) {
  return view.toolset === null ? {} : { only: shows };
}
