import { hash } from "../../lib/stable-json.ts";
import type { Outcome } from "../../model/call.ts";
import { type ErrorCode, errorTable } from "../../model/errors.ts";
import { forModels } from "../../model/for-models.ts";
import type { AskHere } from "../../model/held-call.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { isMetaTool, metaToolNames } from "../../model/meta-tools.ts";
import type { Plane, ToolListing } from "../../model/plane.ts";
import { canElicit, createElicitation } from "./elicit-approval.ts";
import { findCalled, type Meant, noteUse } from "./lazy/called-tool.ts";
import { createOwnTools } from "./lazy/own-tools.ts";
import { type MeantCall, readMetaCall } from "./lazy/read-call.ts";
import { relayOf } from "./relay-of.ts";
import { changeResult, completed, renderResult } from "./render-result.ts";
import type { Surface } from "./surfaces.ts";
import { fitResult } from "./tool-list.ts";
import { type Answer, failure, type RequestContext } from "./visit.ts";

/** A yes is good for the rounds of questions and answers that one call may take. */
const consentMs = 600_000;

export type Consents = { give(of: unknown): void; take(of: unknown): boolean };

/** Calls that a person has agreed to and that come back with the answers to a server's questions. */
export function createConsents(): Consents {
  const given = new Map<string, number>();
  return {
    give(of) {
      for (const [key, until] of given) if (until < Date.now()) given.delete(key);
      given.set(hash(of), Date.now() + consentMs);
    },
    take(of) {
      if (given.size === 0) return false;
      const key = hash(of);
      const until = given.get(key) ?? 0;
      given.delete(key);
      return until >= Date.now();
    },
  };
}

/** One call of a tool along the plane's path, in the words of the protocol. */
export async function answerCall(
  plane: Plane,
  surface: Surface,
  params: UnknownObject,
  visit: RequestContext,
  consents: Consents,
): Promise<Answer> {
  const { name } = params;
  if (typeof name !== "string") return failure(-32602, "'name' must be a text.");
  const meant: MeantCall =
    isMetaTool(name) && (await hasMetaTool(name, surface, visit))
      ? readMetaCall(name, params.arguments)
      : { name, arguments: params.arguments, isWrapped: false };
  if ("wrong" in meant) return refusal(meant.wrong, visit);
  const found = await findCalled(meant, surface, visit);
  if (found === undefined) return notInToolset(meant, visit);
  const { listed, unseen } = found;
  const relay = relayOf(visit, params, plane);
  if (meant.own) relay.onOwnTool = createOwnTools(plane, surface, visit.tools);
  const same = [visit.principal, visit.view, name, params.arguments ?? {}];
  const isLater = relay.continuation !== undefined && Object.keys(relay.continuation).length > 0;
  let wasAsked = false;
  const askHere: AskHere | undefined = canElicit(visit.client.capabilities)
    ? (...held) => {
        wasAsked = true;
        return createElicitation(visit.ask)(...held);
      }
    : undefined;
  const consent = isLater && consents.take(same);
  const outcome = await plane.call(meant.own ?? listed?.id ?? meant.name, meant.arguments, {
    face: "mcp",
    principal: surface.principal,
    signal: visit.signal,
    relay,
    ...(consent ? { consent } : {}),
    ...(unseen ? { unseen } : {}),
    ...(askHere ? { askHere } : {}),
    ...(visit.conversation === null ? {} : { conversation: visit.conversation }),
  });
  if (isQuestion(outcome.result) && (wasAsked || consent)) consents.give(same);
  noteUse(outcome, meant, visit);
  const { error } = outcome;
  if (meant.isWrapped && error && isWrongName(error.code))
    return refusal(`${wrongName(error.message, visit)} [${error.code}]`, visit);
  const schema = isPlain(outcome.result) ? undefined : await schemaOf(surface, meant.name, listed);
  return renderOutcome(outcome, schema, visit);
}

/** Whoever was told that there may be such tools may call them before it is decided, unless a tool of another is called so. */
async function hasMetaTool(name: string, { tools }: Surface, visit: RequestContext): Promise<boolean> {
  if (visit.tools.mayBeLazy()) return (await tools.find(name)) === undefined || visit.tools.isLazy();
  return visit.tools.isLazy();
}

function notInToolset({ name, isWrapped }: Meant, visit: RequestContext): Answer {
  const message = `Unknown tool: '${name}' is not in toolset '${visit.view.toolset}'.`;
  return isWrapped ? refusal(message, visit) : failure(-32602, message);
}

function isQuestion(result: UnknownObject | undefined): boolean {
  return result?.resultType === "input_required";
}

/** Only a result that may have to be put differently is worth looking up what its tool promised. */
function isPlain(result: UnknownObject | undefined): boolean {
  const structured = result?.structuredContent;
  return structured === undefined || isObject(structured);
}

async function schemaOf(
  { tools }: Surface,
  name: string,
  listed: ToolListing | undefined,
): Promise<ToolListing["outputSchema"]> {
  return (listed ?? (await tools.find(name)))?.outputSchema;
}

/**
 * A result is passed on as it is, and so is what a server answered instead. What the plane refused is a result too,
 * for the model to read; a wrong name is not.
 */
function renderOutcome(outcome: Outcome, schema: ToolListing["outputSchema"], visit: RequestContext): Answer {
  const { era } = visit;
  if (outcome.result) {
    const fitted = fitResult(outcome.result, schema, era);
    return renderResult(era === "modern" && isQuestion(fitted) ? withoutContent(fitted) : fitted, era);
  }
  const { code, message, data, cause } = outcome.error;
  if (isWrongName(code)) {
    const said = wrongName(message, visit).replace(/^No tool '/, "Unknown tool: '");
    return failure(errorTable[code].rpc, said, data);
  }
  if (code === "PROVIDER_FAILED" && typeof data.rpcCode === "number")
    return failure(data.rpcCode, saidBy(cause) ?? message, data.rpcData);
  return refusal(`${forModels(message)}${afterwards(data)} [${code}]`, { era });
}

/** What we say of an answer does not tell whose it is. */
function saidBy(cause: string | null): string | null {
  return cause?.startsWith("its ") ? null : cause;
}

function wrongName(message: string, { tools }: RequestContext): string {
  const { search } = metaToolNames;
  const instead = tools.isSettled() ? `Find one with ${search}.` : "The list of tools shows what there is.";
  return forModels(message, instead);
}

function isWrongName(code: ErrorCode): boolean {
  return code === "TOOL_NOT_FOUND" || code === "TOOL_AMBIGUOUS";
}

function refusal(text: string, { era }: Pick<RequestContext, "era">): Answer {
  const refused = { content: [{ type: "text", text }], isError: true };
  return { result: era === "legacy" ? refused : completed(refused) };
}

/** A question has none; the plane gives one to every result. */
function withoutContent(result: UnknownObject): UnknownObject {
  const { content: _, ...question } = result;
  return changeResult(result, question, { content: () => undefined });
}

/** What a model needs to know about a call that waits, so that it neither calls again nor waits for nothing. */
function afterwards({ approvalId, planId, status }: UnknownObject): string {
  if (typeof approvalId !== "string" || planId !== undefined || status !== undefined) return "";
  return ` Do not call it again: it runs once a person says yes to approval '${approvalId}', where it is also told how it went.`;
}
