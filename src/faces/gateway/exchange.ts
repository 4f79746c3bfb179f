import type { IncomingHttpHeaders } from "node:http";
import { Cancellation } from "../../lib/async/cancellation.ts";
import type { AsClient } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { LogLevel } from "../../model/servers/server.ts";
import type { ClientTools } from "./lazy/client-tools.ts";
import { type Id, type Receipt, type RequestContext, renderNotification } from "./request.ts";
import type { View } from "./view.ts";
import type { Wire } from "./wire.ts";

/** For the answer, and for messages because of the request. `receipt` is of an answer that must not be lost. */
export type Out = { answer(wire: Wire, receipt?: Receipt | null): void; say(text: string): void };

type Ask = (
  method: string,
  params: UnknownObject,
  signal: AbortSignal,
  out: Out,
) => Promise<UnknownObject>;

type Arriving = Pick<RequestContext, "principal" | "view" | "tools"> & {
  /** Null where others may use it, too. */
  connection: string | null;
  headers: IncomingHttpHeaders | undefined;
};

/** What the requests of one session have in common. */
export type ClientIdentity = {
  principal: Principal;
  view: View;
  conversation: string;
  tools: ClientTools;
  description(): AsClient;
  logLevel(): LogLevel | null;
  ask: Ask;
  /** The store knows its session as long as it lives. */
  isKept: boolean;
};

/** A request that its client may cancel. */
export class CancellableRequest extends Cancellation {
  /** Set where the answer is the outcome of a call that waited for a person. */
  receipt: Receipt | null = null;
  namedConversation: string | null = null;

  get cancellation(): Cancellation {
    return this;
  }
}

/** A request of a legacy client while it runs. */
export class Exchange extends CancellableRequest implements RequestContext {
  readonly id: Id;
  readonly era = "legacy";
  readonly #client: ClientIdentity;
  readonly #out: Out;
  done: Promise<void> = Promise.resolve();

  constructor(id: Id, client: ClientIdentity, out: Out) {
    super();
    this.id = id;
    this.#client = client;
    this.#out = out;
  }

  get principal(): Principal {
    return this.#client.principal;
  }

  get view(): View {
    return this.#client.view;
  }

  get client(): AsClient {
    return this.#client.description();
  }

  get tools(): ClientTools {
    return this.#client.tools;
  }

  get logLevel(): LogLevel | null {
    return this.#client.logLevel();
  }

  get conversation(): string {
    return this.namedConversation ?? this.#client.conversation;
  }

  get isKeptSession(): boolean {
    return this.#client.isKept && this.namedConversation === null;
  }

  notify(method: string, params: UnknownObject): void {
    this.#out.say(renderNotification(method, params));
  }

  ask(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
    return this.#client.ask(method, params, signal, this.#out);
  }

  lacks(): void {}
}

/** A request of a modern client, which says with each who it is. */
export class Arrival extends CancellableRequest implements RequestContext {
  readonly era = "modern";
  readonly principal: Principal;
  readonly view: View;
  /** Undefined without HTTP. */
  readonly headers: IncomingHttpHeaders | undefined;
  client: AsClient = { capabilities: {} };
  logLevel: LogLevel | null = null;
  readonly tools: ClientTools;
  readonly #connection: string | null;
  readonly #say: Out["say"];

  constructor({ principal, view, headers, tools, connection }: Arriving, say: Out["say"]) {
    super();
    this.#connection = connection;
    this.principal = principal;
    this.view = view;
    this.headers = headers;
    this.tools = tools;
    this.#say = say;
  }

  get conversation(): string | null {
    return this.namedConversation ?? this.#connection;
  }

  notify(method: string, params: UnknownObject): void {
    if (!this.isCancelled) this.#say(renderNotification(method, params));
  }

  ask(): Promise<UnknownObject> {
    return Promise.reject(new Error("a client of this revision is asked with an answer"));
  }

  lacks(): void {}
}
