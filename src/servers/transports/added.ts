import { abortable } from "../../lib/async/signals.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { OpenTransport } from "../../model/extensions/extension.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { type Channel, type ChannelHandlers, TransportError } from "../../protocol/message.ts";

/** How an extension connects to addresses of a scheme. */
export type FindTransport = (scheme: string) => OpenTransport | undefined;

type Connection = Awaited<ReturnType<OpenTransport>>;

/** A connection that an extension makes. `callerSignal` ends the attempt; what connects later is closed again. */
export async function openAdded(
  url: string,
  find: FindTransport | undefined,
  handlers: ChannelHandlers,
  callerSignal?: AbortSignal,
): Promise<Channel> {
  const scheme = new URL(url).protocol.slice(0, -1);
  const open = find?.(scheme);
  if (open === undefined) {
    const reason = `no extension in use connects to addresses of the scheme '${scheme}'`;
    throw new TransportError(reason, { sent: false, permanent: true });
  }
  const ending = new AbortController();
  let loss: TransportError | undefined;
  const close = (reason: string) => {
    if (loss !== undefined) return;
    loss = new TransportError(reason, { sent: true });
    handlers.onClose(loss);
  };
  const onMessage = (message: unknown) => {
    if (loss !== undefined) return;
    const copy = copyAsJson(message);
    if (copy === undefined) close("the extension passed on a message that is not JSON");
    else handlers.onMessage(copy);
  };
  const connecting = connect(() => open(url, { onMessage, onClose: close, signal: ending.signal }));
  const connection = await abortable(connecting, callerSignal).catch((thrown) => {
    ending.abort(thrown);
    connecting.then(leave, () => undefined);
    throw thrown;
  });
  return {
    pid: null,
    async send(message) {
      if (loss !== undefined) throw new TransportError(loss.message, { sent: false });
      try {
        await connection.send(message as UnknownObject);
      } catch (thrown) {
        throw new TransportError(errorText(thrown), { sent: true, cause: thrown });
      }
    },
    useProtocolVersion() {},
    async close() {
      ending.abort();
      await leave(connection);
      close("it was closed");
    },
  };
}

async function connect(open: () => Promise<Connection>): Promise<Connection> {
  try {
    const connection: unknown = await open();
    if (
      isObject(connection) &&
      typeof connection.send === "function" &&
      typeof connection.close === "function"
    )
      return connection as Connection;
    throw new Error("it gave no connection with 'send' and 'close'");
  } catch (thrown) {
    const reason = `the extension could not connect: ${errorText(thrown)}`;
    throw new TransportError(reason, { sent: false, cause: thrown });
  }
}

/** A failure to close leaves nothing to do. */
async function leave(connection: Connection): Promise<void> {
  try {
    await connection.close();
  } catch {}
}

/** As on any transport; undefined for what is no message. */
function copyAsJson(message: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(message));
  } catch {
    return undefined;
  }
}
