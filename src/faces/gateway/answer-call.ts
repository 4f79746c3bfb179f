import type { Cancellable } from "../../lib/async/cancellation.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { memberPlace } from "../../lib/json/json-members.ts";
import {
  ambiguityOf,
  noteAmbiguity,
  rememberText,
  sourceTextOf,
} from "../../lib/json/json-text.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { shorten } from "../../lib/text/cut-text.ts";
import type { OnUnavailable, Outcome } from "../../model/calls/call.ts";
import type { AskHere, HeldOpen } from "../../model/calls/held-call.ts";
import type { Relay } from "../../model/calls/provider.ts";
import {
  allMetaTools,
  isCodeTool,
  isMetaTool,
  isOwnName,
  metaToolNames,
} from "../../model/catalogue/meta-tools.ts";
import type { ToolId } from "../../model/catalogue/tool.ts";
import {
  type ErrorCode,
  type ErrorData,
  errorTable,
  messageForModel,
  toPlaneError,
} from "../../model/errors.ts";
import type { ErrorReport } from "../../model/errors-schema.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import type { Plane, PlaneCallOptions } from "../../model/plane.ts";
import type { ShownTool } from "../../model/plane-tools.ts";
import type { Principal } from "../../model/principal.ts";
import { withAccount } from "./accounts.ts";
import {
  findPageCall,
  hasLinks,
  isHost,
  noteCalled,
  withLinks,
  withPage,
} from "./apps/page-calls.ts";
import { type ClientWishes, canElicit, elicitAnswer, relayOf, wishesIn } from "./client-relay.ts";
import { answerCode } from "./code-mode.ts";
import type { ClientTools } from "./lazy/client-tools.ts";
import { answerListTools, answerSearchTools, countTokens } from "./lazy/find-tools.ts";
import { failure, type RequestContext, type RpcAnswer } from "./request.ts";
import { readSkillCall } from "./skills/skills.ts";
import type { Surface } from "./surfaces.ts";
import { fitResult } from "./tool-list.ts";
import { changeResult, resultFor, wireResult } from "./wire.ts";

type MetaCall = {
  name: string;
  arguments: unknown;
  /** Set for meta tools. */
  metaTool?: ToolId;
  /** Called through another tool: a wrong name is then the model's mistake, not the client's. */
  isWrapped: boolean;
};

const { search, call } = metaToolNames;

/** `call_tool` is the call of the tool it names, and leaves no trace of its own. */
export function readMetaCall(name: string, args: unknown): MetaCall | { wrong: string } {
  if (name !== call)
    return (
      strayIn(name, args) ?? {
        name,
        arguments: args,
        metaTool: { server: null, tool: name },
        isWrapped: false,
      }
    );
  const members: UnknownObject = objectOrEmpty(args);
  const { name: inner, arguments: innerArguments, ...otherMembers } = members;
  if (typeof inner !== "string" || inner === "")
    return { wrong: `'name' of ${call} must be the name of a tool. Find one with ${search}.` };
  if (inner === call)
    return { wrong: `${call} does not call itself. Give the name of the tool that you mean.` };
  const [stray] = Object.keys(otherMembers);
  if (innerArguments === undefined && stray !== undefined)
    return {
      wrong: `'${stray}' is not an argument of ${call}. Put what '${inner}' takes into 'arguments'.`,
    };
  if (isObject(args) && isObject(innerArguments)) passOnText(args, innerArguments);
  const wrapped = { name: inner, arguments: innerArguments ?? {}, isWrapped: true };
  if (!isMetaTool(inner)) return wrapped;
  return strayIn(inner, innerArguments) ?? { ...wrapped, metaTool: { server: null, tool: inner } };
}

/** A wrapped call is what its caller wrote, too. */
function passOnText(args: UnknownObject, innerArguments: UnknownObject): void {
  const ambiguity = ambiguityOf(args);
  if (ambiguity !== undefined) return void noteAmbiguity(innerArguments, ambiguity);
  const text = sourceTextOf(args);
  if (text === undefined) return;
  const span = memberPlace(text, "arguments");
  if (span !== undefined) rememberText(innerArguments, text.slice(...span));
}

/** An ignored argument would seem to have been answered. */
function strayIn(name: string, args: unknown): { wrong: string } | null {
  const { properties } = allMetaTools.find((tool) => tool.name === name)?.inputSchema ?? {};
  if (!isObject(properties) || !isObject(args)) return null;
  const stray = Object.keys(args).find((key) => !Object.hasOwn(properties, key));
  if (stray === undefined) return null;
  return {
    wrong: `'${shorten(stray)}' is not an argument of ${name}. It takes ${Object.keys(properties).join(", ")}.`,
  };
}

/** A yes holds for the rounds of questions that one call may take. */
const consentMs = 600_000;

type Consents = ReturnType<typeof createConsents>;

/** Approved calls that return with answers to a server's questions. */
export function createConsents() {
  const expiries = new Map<string, number>();
  return {
    give(approvedCall: unknown): void {
      for (const [key, until] of expiries) if (until < steadyNow()) expiries.delete(key);
      expiries.set(hash(approvedCall), steadyNow() + consentMs);
    },
    take(approvedCall: unknown): boolean {
      if (expiries.size === 0) return false;
      const key = hash(approvedCall);
      const until = expiries.get(key) ?? 0;
      expiries.delete(key);
      return until >= steadyNow();
    },
  };
}

/** The options of a plain call; what few calls need is made when it is asked for. */
class ClientCall implements PlaneCallOptions, HeldOpen {
  readonly face = "mcp";
  readonly principal: Principal;
  readonly relay: Relay;
  readonly #context: RequestContext;

  constructor(context: RequestContext, principal: Principal, relay: Relay, wishes: ClientWishes) {
    this.principal = principal;
    this.relay = relay;
    this.#context = context;
    const { conversation, cancellation } = context;
    if (conversation !== null) this.conversation = conversation;
    if (cancellation) this.cancellation = cancellation;
    if (wishes.idempotencyKey !== undefined) this.idempotencyKey = wishes.idempotencyKey;
    if (wishes.onUnavailable !== undefined) this.onUnavailable = wishes.onUnavailable;
  }

  declare idempotencyKey?: string;
  declare onUnavailable?: OnUnavailable;
  declare conversation?: string;
  declare cancellation?: Cancellable;
  declare putBack?: HeldOpen["putBack"];

  get heldOpen(): HeldOpen {
    return this;
  }

  get isSession(): boolean {
    return this.#context.isKeptSession === true;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }
}

/** Along the plane's path, in the words of the protocol. */
export function answerCall(
  plane: Plane,
  surface: Surface,
  params: UnknownObject,
  context: RequestContext,
  consents: Consents,
): Promise<RpcAnswer> {
  const toolReference = plainReference(params, surface, context);
  if (toolReference === undefined) return answerAny(plane, surface, params, context, consents);
  const relay = relayOf(context, params, plane);
  const options = new ClientCall(context, surface.principal, relay, wishesIn(params));
  const run = () => plane.call(toolReference, params.arguments, options);
  return withAccount(plane, surface.principal, context, run).then((outcome) => {
    noteReceipt(outcome, options, context);
    if (outcome.error && isWrongName(outcome.error.code))
      return renderWrongName(outcome.error, surface, context);
    const structured = outcome.result?.structuredContent;
    const isPlainContent = structured === undefined || isObject(structured);
    if (isPlainContent && !hasLinks(outcome.result))
      return renderOutcome(outcome, undefined, context);
    return surface.tools
      .find(params.name as string)
      .then((tool) => renderLinked(outcome, tool, surface, context));
  });
}

/** Where the answer is not written, the outcome of a call that waited for a person is there for an equal one. */
function noteReceipt(outcome: Outcome, { putBack }: HeldOpen, context: RequestContext): void {
  if (putBack !== undefined && outcome.call.status !== "waiting")
    context.receipt = () => putBack(outcome);
}

/** What a client without a list of its own calls; undefined where more must be found out. */
function plainReference(
  params: UnknownObject,
  { tools }: Surface,
  context: RequestContext,
): string | ToolId | undefined {
  const { name } = params;
  if (typeof name !== "string" || isOwnName(name) || isContinued(params) || isHost(context))
    return undefined;
  const { tools: client, view } = context;
  if (client.mayCallOnlyShown() || client.isSettled() || canElicit(context.client.capabilities))
    return undefined;
  if (tools.hasPlaneNames) return name;
  const listed = tools.now()?.get(name);
  if (listed) return listed.id;
  return view.toolset === null && tools.now() !== null ? name : undefined;
}

/** Does a modern client return with answers? */
function isContinued({ inputResponses, requestState }: UnknownObject): boolean {
  return inputResponses !== undefined || requestState !== undefined;
}

async function answerAny(
  plane: Plane,
  surface: Surface,
  params: UnknownObject,
  context: RequestContext,
  consents: Consents,
): Promise<RpcAnswer> {
  const { name } = params;
  if (typeof name !== "string") return failure(-32602, "'name' must be a string.");
  if (isCodeTool(name) && context.tools.isCode())
    return answerCode(plane, surface, params, context);
  const isMeta = isMetaTool(name) && (await hasMetaTool(name, surface, context));
  const target: ReturnType<typeof readMetaCall> = isMeta
    ? readMetaCall(name, params.arguments)
    : { name, arguments: params.arguments, isWrapped: false };
  if ("wrong" in target) return refusal(target.wrong, context);
  if (target.isWrapped) {
    const skill = await readSkillCall(plane, surface, target.name, context);
    if (skill) return wireResult(skill, context.era);
  }
  const mayBePageCall = !target.metaTool && !target.isWrapped;
  const byPage = mayBePageCall ? await findPageCall(target.name, params, context) : null;
  const called = byPage ? nameOfPlane : await findCalled(target, surface, context);
  if (called.kind === "not in the toolset") return notInToolset(target, context);
  const listed = called.kind === "tool" ? called.tool : undefined;
  const relay = relayOf(context, params, plane);
  if (target.metaTool) relay.onOwnTool = createOwnTools(plane, surface, context.tools);
  const consentKey = [context.principal, context.view, name, params.arguments ?? {}];
  const consent = context.era === "modern" && isContinued(params) && consents.take(consentKey);
  let wasAsked = false;
  const askHere: AskHere = (...held) => {
    wasAsked = true;
    return elicitAnswer(context, ...held);
  };
  const heldOpen: HeldOpen = {
    isSession: context.isKeptSession,
    asksInAnswer: context.era === "modern",
  };
  const options: PlaneCallOptions = {
    face: "mcp",
    heldOpen,
    principal: surface.principal,
    signal: context.signal,
    relay,
    ...wishesIn(params),
  };
  if (consent) options.consent = true;
  if (called.isUnseen) options.unseen = true;
  if (byPage) options.page = byPage.page;
  if (canElicit(context.client.capabilities)) options.askHere = askHere;
  if (context.conversation !== null) options.conversation = context.conversation;
  const toolReference = byPage?.tool ?? target.metaTool ?? listed?.id ?? target.name;
  const run = () => plane.call(toolReference, target.arguments, options);
  const outcome = await withAccount(plane, surface.principal, context, run);
  noteReceipt(outcome, heldOpen, context);
  if (isQuestion(outcome.result) && (wasAsked || consent)) consents.give(consentKey);
  if (byPage === null) noteUse(outcome, target, context);
  const { error } = outcome;
  if (error && isWrongName(error.code)) {
    if (target.isWrapped) return refusal(`${wrongName(error, context)} [${error.code}]`, context);
    return renderWrongName(error, surface, context);
  }
  const structured = outcome.result?.structuredContent;
  // Only a result that may need other words needs its tool.
  const isPlainContent = structured === undefined || isObject(structured);
  const mayHavePage = !target.metaTool && byPage === null && isHost(context);
  const isWorded = !isPlainContent || mayHavePage || hasLinks(outcome.result);
  let tool = isWorded ? listed : undefined;
  if (isWorded) tool ??= await calledTool(target, surface, context);
  if (byPage) return renderLinked(outcome, { ...tool, id: byPage.tool }, surface, context);
  if (!mayHavePage || !outcome.result) return renderLinked(outcome, tool, surface, context);
  noteCalled(tool, context);
  const result = withPage(outcome.result, tool, target.isWrapped) as typeof outcome.result;
  return renderLinked({ ...outcome, result }, tool, surface, context);
}

/** By the shown name, or by any other that a wrapped call may have. */
async function calledTool(
  { name, isWrapped }: MetaCall,
  { tools }: Surface,
  context: RequestContext,
) {
  if (!isWrapped) return tools.find(name);
  return (await context.tools.lookUp()).find(name)?.tool;
}

/** In lazy mode, unless a server's tool has the name. */
async function hasMetaTool(
  name: string,
  { tools }: Surface,
  context: RequestContext,
): Promise<boolean> {
  if (context.tools.mayBeLazy())
    return (await tools.find(name)) === undefined || context.tools.isLazy();
  return context.tools.isLazy();
}

function notInToolset({ name, isWrapped }: MetaCall, context: RequestContext): RpcAnswer {
  const message = `Unknown tool: '${name}' is not in toolset '${context.view.toolset}'.`;
  return isWrapped ? refusal(message, context) : failure(-32602, message);
}

function isQuestion(result: UnknownObject | undefined): boolean {
  return result?.resultType === "input_required";
}

/** A question, or of a kind that an extension has added. */
function isIncomplete({ resultType = "complete", content }: UnknownObject): boolean {
  return resultType !== "complete" && Array.isArray(content) && content.length === 0;
}

async function renderLinked(
  outcome: Outcome,
  tool: CalledTool | undefined,
  surface: Surface,
  context: RequestContext,
): Promise<RpcAnswer> {
  if (!outcome.result) return renderOutcome(outcome, tool, context);
  const result = await withLinks(outcome.result, tool?.id.server ?? null, () => surface.offers);
  return renderOutcome({ ...outcome, result } as Outcome, tool, context);
}

type CalledTool = Pick<ShownTool, "id"> & Partial<Pick<ShownTool, "outputSchema">>;

/** Results and answers of servers pass unchanged. A refusal of the plane is a result for the model. */
function renderOutcome(
  outcome: Outcome,
  tool: CalledTool | undefined,
  context: RequestContext,
): RpcAnswer {
  const { era } = context;
  if (outcome.result) {
    const fitted = fitResult(outcome.result, tool?.outputSchema, era);
    return wireResult(isIncomplete(fitted) ? withoutContent(fitted) : fitted, era);
  }
  const { code, message, cause } = outcome.error;
  const data = dataForModel(outcome.error.data);
  if (code === "PROVIDER_FAILED" && typeof data.rpcCode === "number") {
    const ownMessage = data.saidBy === "plane" ? undefined : cause;
    return failure(data.rpcCode, ownMessage ?? message, data.rpcData);
  }
  return refusal(`${messageForModel(outcome.error)}${howToCollect(data)} [${code}]`, { era });
}

/** A wrong name is the client's mistake, and no result for the model. */
async function renderWrongName(
  error: ErrorReport,
  { tools }: Surface,
  context: RequestContext,
): Promise<RpcAnswer> {
  const spelled = asShown(error, await tools.named("none"));
  const message = wrongName(spelled, context).replace(/^No tool '/, "Unknown tool: '");
  return failure(errorTable[error.code].rpc, message, dataForModel(spelled.data));
}

/** Without commands of a shell: the message says what to do instead. */
function dataForModel({ personHints = [], hint, ...data }: ErrorData): UnknownObject {
  const isForModel = hint !== undefined && !personHints.some((typed) => hint.includes(typed));
  return isForModel ? { ...data, hint } : data;
}

/** Suggestions are the names that the client was shown, and not those of the command line. */
function asShown(error: ErrorReport, named: ReadonlyMap<string, ShownTool>): ErrorReport {
  const { message, data } = error;
  const names = new Map([...named].map(([shown, { name }]) => [name, shown]));
  const respell = (suggested: unknown) =>
    Array.isArray(suggested) ? suggested.map((name: string) => names.get(name) ?? name) : undefined;
  const respellQuoted = (text: string) =>
    text.replaceAll(/'([^'\s]+)'/g, (quotedName, name) =>
      names.has(name) ? `'${names.get(name)}'` : quotedName,
    );
  // The name that was asked for stays as it was written.
  const [opening = ""] = /^[^']*'[^']*'/.exec(message) ?? [];
  const nearest = respell(data.nearest);
  const candidates = respell(data.candidates);
  return {
    ...error,
    message: opening + respellQuoted(message.slice(opening.length)),
    data: {
      ...data,
      ...(nearest && { nearest }),
      ...(candidates && { candidates }),
      ...(data.hint !== undefined && { hint: respellQuoted(data.hint) }),
    },
  };
}

function wrongName(error: ErrorReport, { tools }: RequestContext): string {
  if (tools.isSettled()) return messageForModel(error, `Find one with ${search}.`);
  return messageForModel(error, "The list of tools shows what there is.");
}

function isWrongName(code: ErrorCode): boolean {
  return code === "TOOL_NOT_FOUND" || code === "TOOL_AMBIGUOUS";
}

function refusal(text: string, { era }: Pick<RequestContext, "era">): RpcAnswer {
  const refused = { content: [{ type: "text", text }], isError: true };
  return { result: resultFor(era, refused) };
}

/** A question has none; the plane adds one to every result. */
function withoutContent(result: UnknownObject): UnknownObject {
  const { content: _, ...question } = result;
  return changeResult(result, question, { content: () => undefined });
}

/** A model must neither wait in vain nor take the call for refused. */
function howToCollect({ approvalId, isCollected }: UnknownObject): string {
  if (typeof approvalId !== "string" || isCollected !== true) return "";
  return " Call it again with the same arguments to get the result once a person has decided.";
}

/** A client's mistake is an answer that it can read. */
function createOwnTools(plane: Plane, surface: Surface, client: ClientTools) {
  return async (tool: string, args: UnknownObject): Promise<UnknownObject> => {
    try {
      if (tool === metaToolNames.stats) return await countTokens(plane, surface, client);
      if (tool === metaToolNames.search)
        return await answerSearchTools(plane, surface, client, args);
      return await answerListTools(plane, surface, client, args);
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      if (errorTable[code].category !== "validation") throw thrown;
      return { content: [{ type: "text", text: message }], isError: true };
    }
  };
}

/** What a called name stands for. `isUnseen`: the client may call only what it was shown, and was not shown this. */
type CalledName =
  | { kind: "tool"; tool: ShownTool; isUnseen: boolean }
  | { kind: "name of the plane"; isUnseen: boolean }
  | { kind: "not in the toolset" };

const nameOfPlane: CalledName = { kind: "name of the plane", isUnseen: false };

async function findCalled(
  { name, metaTool }: MetaCall,
  { tools }: Surface,
  { tools: client, view }: RequestContext,
): Promise<CalledName> {
  if (metaTool) return nameOfPlane;
  const isLimited = client.mayCallOnlyShown() && (await client.isLazy());
  // The plane's own names need no look-up.
  if (tools.hasPlaneNames && !isLimited) return nameOfPlane;
  if (!isLimited && !client.isSettled()) return calledName(await tools.find(name), view, false);
  const shownTool = (await client.lookUp()).find(name);
  const isUnseen = isLimited && !(shownTool && (await client.wasShown(shownTool)));
  return calledName(shownTool?.tool, view, isUnseen);
}

function calledName(
  tool: ShownTool | undefined,
  { toolset }: RequestContext["view"],
  isUnseen: boolean,
): CalledName {
  if (tool) return { kind: "tool", tool, isUnseen };
  return toolset === null
    ? { kind: "name of the plane", isUnseen }
    : { kind: "not in the toolset" };
}

/** Loads a called tool, and `read_result` with a handle; in the background. */
function noteUse(
  { call, stored }: Outcome,
  { metaTool, isWrapped }: MetaCall,
  { tools }: RequestContext,
): void {
  if (metaTool || !tools.isSettled() || call.status === "refused") return;
  const uses = [tools.used(call.tool, { isListed: !isWrapped })];
  if (stored) uses.push(tools.used("read_result", { isListed: true }));
  void Promise.allSettled(uses);
}
