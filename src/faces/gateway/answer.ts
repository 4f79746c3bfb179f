import { hasMembers } from "../../lib/json/plain-data.ts";
import {
  conversationInMeta,
  isConversationName,
  maxConversationName,
} from "../../model/access/conversation.ts";
import type { AskHere } from "../../model/calls/held-call.ts";
import { objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { OfferKind } from "../../model/servers/server.ts";
import { extensionsIn, isExtensionMethod, mayPass } from "../../protocol/extensions.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Era } from "../../protocol/session.ts";
import { withAccountToRead } from "./accounts.ts";
import { answerCall, createConsents } from "./answer-call.ts";
import { isHost, showContents, withLinks } from "./apps/page-calls.ts";
import { canElicit, elicitAnswer, relayOf } from "./client-relay.ts";
import type { OfferList } from "./offer-list.ts";
import type { ParkedRequests } from "./parked-requests.ts";
import {
  failure,
  objectParam,
  type Request,
  type RequestContext,
  type Responder,
  type RpcAnswer,
  renderFailure,
} from "./request.ts";
import {
  createSkillList,
  knowsSkills,
  type ShownSkill,
  toMessages,
  toPrompt,
  toResource,
} from "./skills/skills.ts";
import type { Surfaces } from "./surfaces.ts";
import { listTtlMs } from "./tool-list.ts";
import { changeResult, wireResult } from "./wire.ts";

export type Core = ReturnType<typeof createCore>;

/** Methods that are the same in every revision and transport. */
export function createCore(plane: Plane, surfaces: Surfaces, parked: ParkedRequests) {
  const consents = createConsents();
  /** Modern servers send no requests, so the call waits while its client answers. */
  const mayPark = (respond: Responder): Responder => {
    return (request, context) => {
      if (context.era === "legacy") return respond(request, context);
      return parked.answer(request, context, respond);
    };
  };
  const { readResource, getPrompt, answerExtension, notifyServers, skills, ...offers } =
    createOfferAnswers(plane, surfaces);
  const responders = new Map<string, Responder>([
    [
      "tools/list",
      async ({ params }, context) => {
        refuseCursor(params);
        return { text: await context.tools.text(context.era, isHost(context)) };
      },
    ],
    [
      "tools/call",
      mayPark(({ params }, context) =>
        answerCall(plane, surfaces.of(context.principal, context.view), params, context, consents),
      ),
    ],
    ["prompts/list", offers.list("prompts", "name")],
    ["prompts/get", mayPark(getPrompt)],
    ["resources/list", offers.list("resources", "uri")],
    ["resources/templates/list", offers.list("resourceTemplates", "uriTemplate")],
    ["resources/read", mayPark(readResource)],
    ["completion/complete", offers.complete],
    ["skills/list", skills.list],
    ["skills/get", skills.get],
    ["resources/directory/read", skills.directory],
  ]);
  return {
    /** Never rejects. */
    answer(request: Request, context: RequestContext): Promise<RpcAnswer> {
      const meta = objectOrEmpty(request.params._meta);
      if (Object.hasOwn(meta, conversationInMeta)) {
        const name = meta[conversationInMeta];
        if (!isConversationName(name)) return Promise.resolve(wrongConversation);
        context.namedConversation = name;
      }
      const respond =
        responders.get(request.method) ??
        (isExtensionMethod(request.method) ? mayPark(answerExtension) : null);
      if (!respond) return Promise.resolve(failure(-32601, `Method not found: ${request.method}`));
      return respond(request, context).catch(renderFailure);
    },
    /** Of an extension, to the servers that share it with the client. Never rejects. */
    notify: (request: Request, context: RequestContext): Promise<void> =>
      notifyServers(request, context),
  };
}

const wrongConversation = failure(
  -32602,
  `'${conversationInMeta}' of '_meta' must be a string of 1 to ${maxConversationName} characters.`,
);

/** Our lists have one page. */
function refuseCursor({ cursor }: UnknownObject): void {
  if (cursor !== undefined && cursor !== null)
    throw new RpcError(-32602, "'cursor' is none of ours.");
}

/** Passed on to the server that has the prompt or resource. */
function createOfferAnswers(plane: Plane, surfaces: Surfaces) {
  const surfaceOf = ({ principal, view }: RequestContext) => surfaces.of(principal, view);

  async function ask(
    server: string,
    method: string,
    clientParams: UnknownObject,
    context: RequestContext,
  ) {
    const { inputResponses: _, requestState: __, _meta: ___, ...params } = clientParams;
    const { principal } = surfaceOf(context);
    const answer = await plane.servers.forward(server, method, params, {
      ...forwardOptions(context, clientParams),
      principal,
    });
    return objectOrEmpty(answer);
  }

  const forwardOptions = (context: RequestContext, clientParams: UnknownObject) => ({
    face: "mcp" as const,
    signal: context.signal,
    relay: relayOf(context, clientParams, plane),
    ...(canElicit(context.client.capabilities) && {
      askHere: (...held: Parameters<AskHere>) => elicitAnswer(context, ...held),
    }),
    ...(context.conversation !== null && { conversation: context.conversation }),
  });

  /** For what a person wants to read: lists, notifications and completions ask no one for an account. */
  const forwardRead = (...forwardArguments: Parameters<typeof forward>) => {
    const [, , , context] = forwardArguments;
    return withAccountToRead(plane, surfaceOf(context).principal, context, () =>
      forward(...forwardArguments),
    );
  };

  async function forward(
    server: string,
    method: string,
    clientParams: UnknownObject,
    context: RequestContext,
  ) {
    const answer = await ask(server, method, clientParams, context);
    if (method !== "resources/read")
      return wireResult(
        await withLinks(answer, server, () => surfaceOf(context).offers),
        context.era,
      );
    const { result, isPage } = showContents(answer, server);
    if (isPage) context.tools.pages.note(server, String(clientParams.uri));
    return wireResult(withHints(result, context.era), context.era);
  }

  const skillList = createSkillList(plane, ask);
  const withListHints = (result: UnknownObject, { era }: RequestContext) => {
    if (era === "legacy") return wireResult(result, era);
    return wireResult({ ...result, ttlMs: listTtlMs, cacheScope: "private" }, era);
  };
  /** For a client that does not know of skills. */
  const skillsFor = (context: RequestContext): Promise<ShownSkill[]> => {
    if (knowsSkills(context)) return Promise.resolve([]);
    return skillList.all(surfaceOf(context), forwardOptions(context, {}));
  };

  async function skillsAs(
    kind: OfferKind,
    offered: readonly UnknownObject[],
    context: RequestContext,
  ) {
    if (kind === "resourceTemplates") return [];
    const key = kind === "prompts" ? "name" : "uri";
    const names = new Set(offered.map((offer) => offer[key]));
    const skillOffers = (await skillsFor(context)).map((skill) =>
      kind === "prompts" ? toPrompt(skill) : toResource(skill),
    );
    return skillOffers.filter((offer: UnknownObject) => !names.has(offer[key]));
  }

  /** Servers in view that share an extension with the client to which the method may belong. */
  async function sharing(method: string, context: RequestContext): Promise<string[]> {
    const { servers, principal } = surfaceOf(context);
    const client = extensionsIn(context.client.capabilities);
    if (!hasMembers(client)) return [];
    return [...(await servers())].filter((name) =>
      mayPass(method, plane.servers.extensions(name, { principal }), client),
    );
  }

  return {
    /** The first server that knows the method answers: one that does not know it has done nothing. */
    async answerExtension(
      { method, params }: Request,
      context: RequestContext,
    ): Promise<RpcAnswer> {
      for (const server of await sharing(method, context)) {
        try {
          return await forward(server, method, params, context);
        } catch (thrown) {
          if (!(thrown instanceof RpcError) || thrown.code !== -32601) throw thrown;
        }
      }
      throw new RpcError(-32601, `Method not found: ${method}`);
    },
    async notifyServers({ method, params }: Request, context: RequestContext): Promise<void> {
      const servers = await sharing(method, context).catch(() => []);
      await Promise.allSettled(servers.map((server) => forward(server, method, params, context)));
    },
    list:
      (kind: Parameters<OfferList["list"]>[0], nameKey: string): Responder =>
      async ({ params }, context) => {
        refuseCursor(params);
        const offers = await surfaceOf(context).offers.list(kind);
        const offered = offers.map(({ shownAs, item: { server: _, ...item } }) => ({
          ...item,
          [nameKey]: shownAs,
        }));
        const items = [...offered, ...(await skillsAs(kind, offered, context))];
        return withListHints({ [kind]: items }, context);
      },
    async getPrompt({ method, params }: Request, context: RequestContext): Promise<RpcAnswer> {
      const skill = (await skillsFor(context)).find(
        (candidate) => toPrompt(candidate).name === params.name,
      );
      if (
        skill &&
        !(await surfaceOf(context).offers.list("prompts", "short")).some(
          ({ shownAs }) => shownAs === params.name,
        )
      ) {
        const resources = await ask(
          skill.server,
          "resources/read",
          { uri: skill.serverUri },
          context,
        );
        return wireResult(toMessages(skill, resources), context.era);
      }
      const { server, name } = await findPrompt(surfaceOf(context).offers, params.name, "name");
      return forwardRead(server, method, { ...params, name }, context);
    },
    async readResource({ method, params }: Request, context: RequestContext): Promise<RpcAnswer> {
      const { uri: shown } = params;
      if (typeof shown !== "string")
        throw new RpcError(-32602, "'uri' must be a string: the address of a resource.");
      let firstFailure: RpcError | undefined;
      const pageServers = context.tools.pages.recent().map(({ server }) => server);
      for (const { server, uri } of await surfaceOf(context).offers.findResource(shown, {
        pageServers,
      })) {
        try {
          return await forwardRead(server, method, { ...params, uri }, context);
        } catch (thrown) {
          // Try the next server.
          if (!(thrown instanceof RpcError) || ![-32002, -32602, -32601].includes(thrown.code))
            throw thrown;
          firstFailure ??= thrown;
        }
      }
      // The two eras have different codes for it.
      const isOurs =
        firstFailure === undefined || (firstFailure.code === -32002 && context.era === "modern");
      const code = context.era === "legacy" ? -32002 : -32602;
      if (isOurs) throw new RpcError(code, `Resource not found: ${shown}`, { uri: shown });
      throw firstFailure;
    },
    skills: {
      list: (async ({ params }, context) => {
        refuseCursor(params);
        const shownSkills = await skillList.all(surfaceOf(context), forwardOptions(context, {}));
        return withListHints({ skills: shownSkills.map(({ shown }) => shown) }, context);
      }) satisfies Responder,
      get: (async ({ params }, context) =>
        withListHints(
          await skillList.get(surfaceOf(context), params, context),
          context,
        )) satisfies Responder,
      directory: (async ({ params }, context) =>
        withListHints(
          await skillList.directory(surfaceOf(context), params, context),
          context,
        )) satisfies Responder,
    },
    async complete({ method, params }: Request, context: RequestContext): Promise<RpcAnswer> {
      const ref = objectParam(params, "ref");
      const { server, ...named } = await findCompleted(surfaceOf(context).offers, ref);
      return forward(server, method, { ...params, ref: { ...ref, ...named } }, context);
    },
  };
}

async function findPrompt(offers: OfferList, name: unknown, key: string) {
  if (typeof name !== "string")
    throw new RpcError(-32602, `'${key}' must be a string: the name of a prompt.`);
  const prompt = await offers.findPrompt(name);
  if (!prompt)
    throw new RpcError(-32602, `No prompt '${name}'. 'prompts/list' tells which there are.`);
  return prompt;
}

async function findCompleted(offers: OfferList, { type, name, uri }: UnknownObject) {
  if (type === "ref/prompt") return findPrompt(offers, name, "ref.name");
  if (typeof uri !== "string")
    throw new RpcError(
      -32602,
      "'ref' must be of type ref/prompt with 'name', or ref/resource with 'uri'.",
    );
  const template = await offers.findTemplate(uri);
  if (!template)
    throw new RpcError(
      -32602,
      `No resource template '${uri}'. 'resources/templates/list' tells which there are.`,
    );
  return template;
}

/** Legacy servers do not say how long an answer is valid. */
function withHints(result: UnknownObject, era: Era): UnknownObject {
  if (era === "legacy" || (result.resultType ?? "complete") !== "complete") return result;
  const hinted = { ttlMs: 0, cacheScope: "private", ...result };
  return changeResult(result, hinted, {
    ttlMs: (before = "0") => before,
    cacheScope: (before = '"private"') => before,
  });
}
