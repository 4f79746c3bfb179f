import type { AsClient } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Cancellation } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { LogLevel } from "../../model/servers/server.ts";
import type { ClientTools } from "./lazy/client-tools.ts";
import { type Id, type RequestContext, renderNotification } from "./request.ts";
import type { View } from "./view.ts";
import type { Wire } from "./wire.ts";

/** For the answer, and for messages because of the request. */
export type Out = { answer(wire: Wire): void; say(text: string): void };

type Ask = (method: string, params: UnknownObject, signal: AbortSignal, out: Out) => Promise<UnknownObject>;

/** What the requests of one session have in common. */
export type Client = {
  principal: Principal;
  view: View;
  conversation: string;
  tools: ClientTools;
  description(): AsClient;
  logLevel(): LogLevel | null;
  ask: Ask;
};

/** A request of a legacy client while it runs. A signal is made only where one is asked for. */
export class Exchange implements RequestContext, Cancellation {
  readonly id: Id;
  readonly era = "legacy";
  readonly #client: Client;
  readonly #out: Out;
  #controller: AbortController | undefined;
  #isCancelled = false;
  listener: Cancellation["listener"] = null;
  done: Promise<void> = Promise.resolve();

  constructor(id: Id, client: Client, out: Out) {
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
    return this.#client.conversation;
  }

  get cancellation(): Cancellation {
    return this;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
    this.listener?.cancel(this.signal.reason);
  }

  notify(method: string, params: UnknownObject): void {
    this.#out.say(renderNotification(method, params));
  }

  ask(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
    return this.#client.ask(method, params, signal, this.#out);
  }

  lacks(): void {}
}
