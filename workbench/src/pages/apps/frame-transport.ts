import type { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { isObject } from "../../../../src/model/json.ts";

type Transport = NonNullable<Parameters<AppBridge["connect"]>[0]>;

/** So many at once, and so many more each second; pages that draw send a few. */
const maxBurst = 400;
const perSecond = 100;

/**
 * The messages of one frame and of no other. Its origin is opaque, so the window itself is what tells it apart. One that
 * floods is cut off.
 */
export function createFrameTransport(frame: Window, onFlood: () => void): Transport {
  let tokens = maxBurst;
  let refilledAt = performance.now();
  const transport: Transport = {
    async start() {
      addEventListener("message", receive);
    },
    send: async (message) => frame.postMessage(message, "*"),
    async close() {
      removeEventListener("message", receive);
      transport.onclose?.();
    },
  };
  function receive({ source, data }: MessageEvent): void {
    if (source !== frame) return;
    const now = performance.now();
    tokens = Math.min(maxBurst, tokens + ((now - refilledAt) / 1_000) * perSecond) - 1;
    refilledAt = now;
    if (tokens < 0) {
      removeEventListener("message", receive);
      onFlood();
    } else if (isObject(data) && data.jsonrpc === "2.0") transport.onmessage?.(data as never);
  }
  return transport;
}
