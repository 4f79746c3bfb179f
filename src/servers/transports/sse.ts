import type { IncomingMessage } from "node:http";
import {
  type Channel,
  type ChannelHandlers,
  type OutgoingMessage,
  renderMessage,
  type SendOptions,
  TransportError,
} from "../../protocol/message.ts";
import { findOversizedId } from "../../protocol/oversized-id.ts";
import { createRequester, type HttpOptions, mayArriveTwice } from "./http-request.ts";
import { isEventStream, readEvents, refused, refusedToOpen } from "./http-response.ts";
import { createOpening } from "./opening.ts";

/** As of 2024-11-05: one stream brings all answers and says where to post. */
export function openSse(options: HttpOptions, handlers: ChannelHandlers): Channel {
  const requester = createRequester(options);
  const { url } = requester;
  const endpoint = createOpening<URL>(handlers);

  async function listen(): Promise<never> {
    const response = await requester.ask({
      method: "GET",
      headers: { accept: "text/event-stream" },
    });
    checkStream(response, url);
    await readEvents(response, takeEvent, {
      limitBytes: options.maxMessageBytes,
      onTooLarge: (event) => handlers.onTooLarge?.(findOversizedId(event), event.bytes),
    });
    throw new TransportError("its event stream ended", { sent: true });
  }

  function takeEvent(data: string, event: string): void {
    if (event === "endpoint" && !endpoint.isOver()) takeEndpoint(data);
    else if (event === "message" && data !== "") endpoint.take(data);
  }

  /** Our headers may hold secrets, so they go to the configured origin only. */
  function takeEndpoint(data: string): void {
    const target = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
    if (target?.origin === url.origin) return endpoint.opened(target);
    const where =
      target === undefined ? "no address" : `at ${target.origin} instead of ${url.origin}`;
    const reason = `the endpoint it names is ${where}, so nothing is sent there. Check 'url' with the operator of the server`;
    endpoint.failed(new TransportError(reason, { sent: false, permanent: true }));
    requester.close();
  }

  async function send(
    message: OutgoingMessage,
    { signal, headers, mayRepeat, onWrite }: SendOptions = {},
  ): Promise<void> {
    const target = await endpoint.use(signal);
    const requestHeaders = { "content-type": "application/json", ...headers };
    const body = renderMessage(message);
    const response = await requester.ask({
      method: "POST",
      url: target,
      headers: requestHeaders,
      body,
      signal,
      onWrite,
      mayRepeat: mayArriveTwice(message, mayRepeat),
    });
    response.resume();
    if ((response.statusCode ?? 0) >= 300) throw refused(response, target);
  }

  listen().catch(endpoint.failed);
  return {
    pid: null,
    tellsOfWrites: true,
    send,
    get backlog() {
      return requester.backlog();
    },
    useProtocolVersion() {},
    async close() {
      endpoint.ended();
      requester.close();
    },
  };
}

function checkStream(response: IncomingMessage, url: URL): void {
  const isRefused = (response.statusCode ?? 0) >= 300;
  if (isRefused || !isEventStream(response)) response.resume();
  if (isRefused) throw refusedToOpen(response, url);
  if (isEventStream(response)) return;
  const reason = "it opened no event stream. Is 'url' the address of its stream, often at /sse?";
  throw new TransportError(reason, { sent: false, permanent: true });
}
