import { hash } from "../../lib/stable-json.ts";
import type { Outcome } from "../../model/call.ts";
import { errorTable } from "../../model/errors.ts";
import type { AskHere } from "../../model/held-call.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Plane, ToolListing } from "../../model/plane.ts";
import { completed, forOlder } from "./describe.ts";
import { canElicit, createElicitation } from "./elicit-approval.ts";
import { relayOf } from "./relay-of.ts";
import type { Surface } from "./surfaces.ts";
import { fitResult } from "./tool-list.ts";
import { type Answer, failure, type Visit } from "./visit.ts";

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
  visit: Visit,
  consents: Consents,
): Promise<Answer> {
  const { name } = params;
  if (typeof name !== "string") return failure(-32602, "'name' must be a text.");
  // What is shown under the plane's own names needs no looking up here.
  const listed = surface.tools.isWhole ? undefined : await surface.tools.find(name);
  if (listed === undefined && visit.view.toolset !== null)
    return failure(-32602, `Unknown tool: '${name}' is not in toolset '${visit.view.toolset}'.`);
  const relay = relayOf(visit, params);
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
  const outcome = await plane.call(listed?.id ?? name, params.arguments, {
    face: "mcp",
    principal: surface.principal,
    signal: visit.signal,
    relay,
    ...(consent ? { consent } : {}),
    ...(askHere ? { askHere } : {}),
    ...(visit.conversation === null ? {} : { conversation: visit.conversation }),
  });
  if (isQuestion(outcome.result) && (wasAsked || consent)) consents.give(same);
  return renderOutcome(outcome, await schemaOf(outcome, surface, name, listed), visit);
}

function isQuestion(result: UnknownObject | undefined): boolean {
  return result?.resultType === "input_required";
}

/** Only a result that may have to be put differently is worth looking up what its tool promised. */
async function schemaOf(
  { result }: Outcome,
  { tools }: Surface,
  name: string,
  listed: ToolListing | undefined,
): Promise<ToolListing["outputSchema"]> {
  const { structuredContent } = result ?? {};
  const isPlain = structuredContent === undefined || isPlainObject(structuredContent);
  return isPlain ? undefined : (listed ?? (await tools.find(name)))?.outputSchema;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A result is passed on as it is, and so is what a server answered instead. What the plane refused is a result too,
 * for the model to read; a wrong name is not.
 */
function renderOutcome(
  { result, error }: Outcome,
  schema: ToolListing["outputSchema"],
  { era }: Visit,
): Answer {
  if (result) {
    const fitted = fitResult(result, schema, era);
    if (era === "legacy") return { result: forOlder(fitted) };
    return { result: completed(isQuestion(fitted) ? withoutContent(fitted) : fitted) };
  }
  if (error === undefined) return { result: { content: [] } };
  const { code, message, data, cause } = error;
  if (code === "TOOL_NOT_FOUND" || code === "TOOL_AMBIGUOUS")
    return failure(errorTable[code].rpc, `Unknown tool: ${message}`, data);
  if (code === "PROVIDER_FAILED" && typeof data.rpcCode === "number")
    return failure(data.rpcCode, cause ?? message, data.rpcData);
  const text = `${message}${afterwards(data)} [${code}]`;
  const refusal = { content: [{ type: "text", text }], isError: true };
  return { result: era === "legacy" ? refusal : completed(refusal) };
}

/** A question has none; the plane gives one to every result. */
function withoutContent({ content: _, ...question }: UnknownObject): UnknownObject {
  return question;
}

/** What a model needs to know about a call that waits, so that it neither calls again nor waits for nothing. */
function afterwards({ approvalId, planId, status }: UnknownObject): string {
  if (typeof approvalId !== "string" || planId !== undefined || status !== undefined) return "";
  return ` Do not call it again: it runs once a person says yes ('toolplane approvals approve ${approvalId}'), and 'toolplane approvals show ${approvalId}' tells how it went.`;
}
