import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { type LogLevel, logLevels } from "../../model/server.ts";
import { legacyVersions } from "../../protocol/session.ts";
import type { Core } from "./answer.ts";
import type { Changes } from "./changes.ts";
import { createClientRequests } from "./client-requests.ts";
import { capabilities, instructionsFor, serverInfo } from "./describe.ts";
import { renderFailure } from "./failures.ts";
import { type Id, isId, objectIn, type Request, textIn } from "./request.ts";
import type { Surface, Surfaces } from "./surfaces.ts";
import type { View } from "./view.ts";
import { type Answer, failure, renderAnswer, renderNotification, type Visit } from "./visit.ts";
import { createWatched } from "./watched.ts";

export type House = { plane: Plane; core: Core; surfaces: Surfaces; changes: Changes };

export type SessionOptions = {
  id: string;
  principal: Principal;
  view: View;
  /** Where goes what belongs to no request. */
  announce(text: string): void;
};

/** Where the answer to a message goes, and what is said or asked because of it. */
export type Out = { answer(text: string): void; say(text: string): void };

export type ClientSession = {
  id: string;
  /** The revision that was settled. */
  version(): string;
  /** Takes one message; resolves when it is answered, at once where it needs no answer. */
  take(message: UnknownObject, out: Out): Promise<void>;
  cancel(id: Id): void;
  /** Nothing is running. */
  isIdle(): boolean;
  close(): Promise<void>;
};

type Running = { controller: AbortController; done: Promise<void> };

/** One client of the revisions that begin with a handshake, however its messages come. */
export function createClientSession(house: House, options: SessionOptions): ClientSession {
  const { plane, core } = house;
  const surface: Surface = house.surfaces.of(options.principal, options.view);
  const running = new Map<Id, Running>();
  const requests = createClientRequests((message) => options.announce(JSON.stringify(message)));
  const watched = createWatched(plane, surface);
  const client: Visit["client"] = { capabilities: {} };
  let version: string = "2025-03-26";
  let logLevel: LogLevel = "info";
  let letGoOfLogs: (() => void) | undefined;
  let stopTelling: (() => void) | undefined;

  const own: Record<string, (params: UnknownObject) => Promise<Answer>> = {
    ping: async () => ({ result: {} }),
    async initialize(params) {
      version = legacyVersions.find((known) => known === params.protocolVersion) ?? legacyVersions[0];
      client.capabilities = objectIn(params, "capabilities");
      if (isObject(params.clientInfo)) client.info = params.clientInfo;
      const instructions = await instructionsFor(plane, surface.principal, options.view);
      return { result: { protocolVersion: version, capabilities, serverInfo, instructions } };
    },
    async "logging/setLevel"({ level }) {
      const known = logLevels.find((candidate) => candidate === level);
      if (known === undefined) return failure(-32602, `'level' must be one of ${logLevels.join(", ")}.`);
      logLevel = known;
      letGoOfLogs?.();
      letGoOfLogs = plane.wantLogs(known);
      client.logLevel = known;
      return { result: {} };
    },
    async "resources/subscribe"(params) {
      await watched.add(textIn(params, "uri") ?? "");
      return { result: {} };
    },
    async "resources/unsubscribe"(params) {
      watched.remove(textIn(params, "uri") ?? "");
      return { result: {} };
    },
  };

  function answer(request: Request, signal: AbortSignal, out: Out): Promise<Answer> {
    const mine = Object.hasOwn(own, request.method) ? own[request.method] : undefined;
    if (mine) return mine(request.params).catch(renderFailure);
    const visit: Visit = {
      principal: options.principal,
      view: options.view,
      era: "legacy",
      client,
      logLevel,
      conversation: options.id,
      signal,
      notify: (method, params) => out.say(renderNotification(method, params)),
      ask: (method, params, asked) =>
        requests.request(method, params, asked, (message) => out.say(JSON.stringify(message))),
      lacks: () => undefined,
    };
    const known = core.answer(request, visit);
    return known ?? Promise.resolve(failure(-32601, `Method not found: ${request.method}`));
  }

  function takeRequest(id: Id, request: Request, out: Out): Promise<void> {
    if (running.has(id)) {
      out.answer(
        renderAnswer(id, failure(-32600, `A request with the id ${JSON.stringify(id)} is running.`)),
      );
      return Promise.resolve();
    }
    const controller = new AbortController();
    const done = answer(request, controller.signal, out).then((given) => {
      running.delete(id);
      // Nobody waits for the answer to what was cancelled.
      if (!controller.signal.aborted) out.answer(renderAnswer(id, given));
    });
    running.set(id, { controller, done });
    return done;
  }

  function takeNotice({ method, params }: Request): void {
    if (method === "notifications/cancelled") running.get(params.requestId as Id)?.controller.abort();
    // Nothing may come before the handshake is over.
    if (method !== "notifications/initialized" || stopTelling) return;
    stopTelling = house.changes.tell({
      surface,
      wants: () => true,
      watches: watched.find,
      logLevel: () => logLevel,
      hear: (said, about) => options.announce(renderNotification(said, about)),
    });
  }

  return {
    id: options.id,
    version: () => version,
    async take(message, out) {
      const { id, method } = message;
      if (typeof method !== "string") return requests.takeAnswer(message);
      const request = { method, params: objectIn(message, "params") };
      if (id === undefined) return takeNotice(request);
      if (isId(id)) return takeRequest(id, request, out);
      out.answer(renderAnswer(null, failure(-32600, "'id' must be a text or a number.")));
    },
    cancel: (id) => running.get(id)?.controller.abort(),
    isIdle: () => running.size === 0,
    async close() {
      stopTelling?.();
      letGoOfLogs?.();
      watched.clear();
      requests.close();
      const left = [...running.values()];
      for (const { controller } of left) controller.abort();
      await Promise.allSettled(left.map(({ done }) => done));
      await plane.endConversation(options.id, { principal: options.principal }).catch(() => undefined);
    },
  };
}
