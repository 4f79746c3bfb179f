import { errorText } from "../../lib/text/error-text.ts";
import type { OpenTransport } from "../../model/extensions/extension.ts";
import type { UnknownObject } from "../../model/json.ts";
import { type Channel, type ChannelHandlers, TransportError } from "../../protocol/message.ts";

/** How an extension connects to addresses of a scheme. */
export type FindTransport = (scheme: string) => OpenTransport | undefined;

/** A connection that an extension makes. */
export async function openAdded(
  url: string,
  find: FindTransport | undefined,
  handlers: ChannelHandlers,
): Promise<Channel> {
  const scheme = new URL(url).protocol.slice(0, -1);
  const open = find?.(scheme);
  if (open === undefined) {
    const reason = `no extension in use connects to addresses of the scheme '${scheme}'`;
    throw new TransportError(reason, { sent: false, permanent: true });
  }
  const ending = new AbortController();
  let closed: TransportError | undefined;
  const close = (reason: string) => {
    if (closed !== undefined) return;
    closed = new TransportError(reason, { sent: true });
    handlers.onClose(closed);
  };
  const onMessage = (message: unknown) => {
    if (closed === undefined) handlers.onMessage(structuredClone(message));
  };
  const connection = await open(url, { onMessage, onClose: close, signal: ending.signal }).catch((thrown) => {
    throw new TransportError(`the extension could not connect: ${errorText(thrown)}`, {
      sent: false,
      cause: thrown,
    });
  });
  return {
    pid: null,
    async send(message) {
      if (closed !== undefined) throw new TransportError(closed.message, { sent: false });
      try {
        await connection.send(message as UnknownObject);
      } catch (thrown) {
        throw new TransportError(errorText(thrown), { sent: true, cause: thrown });
      }
    },
    useProtocolVersion() {},
    async close() {
      ending.abort();
      await Promise.resolve(connection.close()).catch(() => undefined);
      close("it was closed");
    },
  };
}
