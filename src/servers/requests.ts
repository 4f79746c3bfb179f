import { abortable } from "../lib/abortable.ts";
import { createGate, GateFull } from "../lib/gate.ts";
import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerDefinition } from "../model/server.ts";
import { TransportError } from "../protocol/message.ts";
import type { AnswerRequest } from "../protocol/questions-from-peer.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
import type { Connection, Live } from "./connection-contract.ts";
import { tellWhileInstalling } from "./installer.ts";
import { createRequestSender, type SenderOptions } from "./send-request.ts";
import { createSignOfLife } from "./sign-of-life.ts";
import { withoutSecrets } from "./without-secrets.ts";

export type RequestsOptions = SenderOptions & {
  definition: Pick<ServerDefinition, "maxConcurrency" | "maxQueue">;
  answering(caller: AnswerRequest | undefined): AnswerRequest;
  /** Throws where a process that is new does not list its tools. */
  settleListing(connection: Connection, live: Live): Promise<void>;
  hide(text: string): string;
};

export type Requests = {
  send(
    connection: Connection,
    method: string,
    params: UnknownObject,
    options: RequestOptions,
    by?: string | null,
  ): Promise<unknown>;
  /** Those that run and those that wait to be sent. */
  pending(): number;
};

/** What one server is asked, and how much of it at once. */
export function createRequests(options: RequestsOptions): Requests {
  const { name } = options;
  const { maxConcurrency, maxQueue } = options.definition;
  const gate = createGate(maxConcurrency, maxQueue);

  function enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    try {
      return gate.enter(signal);
    } catch (thrown) {
      if (!(thrown instanceof GateFull)) throw thrown;
      const limits = `${maxConcurrency} requests run and ${maxQueue} wait ('maxConcurrency', 'maxQueue')`;
      throw new PlaneError("BUSY", `Server '${name}' is busy: ${limits}.`, {
        data: { server: name, sent: false, retryAt: null },
      });
    }
  }

  const sendIn = createRequestSender(options);
  const askForLife = createSignOfLife();

  /** A session that never answered anything is not worth being opened once more. */
  function explain(thrown: unknown, live: Live): unknown {
    const told = withoutSecrets(thrown, options.hide);
    const isWasted =
      told instanceof TransportError && told.status === 404 && live.answered === 0 && !live.hasListed;
    return isWasted ? new TransportError(told.message, { ...told, permanent: true }) : told;
  }

  function open(connection: Connection, { signal, onProgress }: RequestOptions): Promise<Live> {
    const opened = abortable(connection.ensure(), signal);
    if (onProgress === undefined) return opened;
    const since = () => connection.facts().installingSince;
    return tellWhileInstalling(opened, { server: () => name, since, onProgress });
  }

  return {
    async send(connection, method, params, requestOptions, by = null) {
      const { signal } = requestOptions;
      // Whoever waits for a turn uses it already.
      connection.enter();
      try {
        const turn = enter(signal);
        if (turn) await turn;
      } catch (thrown) {
        connection.leave();
        throw thrown;
      }
      try {
        const live = connection.live() ?? (await open(connection, requestOptions));
        if (method === "tools/call") {
          if (live.owesListing) await abortable(options.settleListing(connection, live), signal);
          requestOptions.beforeSend?.();
        }
        const onRequest = options.answering(requestOptions.onRequest);
        const startedAt = performance.now();
        try {
          const asked = { ...requestOptions, onRequest, by };
          const result = await sendIn(connection, live, method, params, asked);
          connection.worked(live);
          return result;
        } catch (thrown) {
          if (signal?.aborted) askForLife(connection, live, startedAt);
          throw explain(thrown, live);
        }
      } finally {
        gate.leave();
        connection.leave();
      }
    },
    pending: () => gate.inside() + gate.waiting(),
  };
}
