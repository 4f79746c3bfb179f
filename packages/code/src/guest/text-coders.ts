import type { Globals, Host } from "./host.ts";

/** `TextEncoder`, `TextDecoder`, `btoa` and `atob` of a program. */
export function createTextCoders(host: Host): Globals {
  const { Uint8Array, ArrayBuffer, Array, String } = globalThis;

  class TextEncoder {
    encoding = "utf-8";

    encode(text: unknown = ""): Uint8Array {
      return Uint8Array.from(host<number[]>("encode", String(text)));
    }
  }

  class TextDecoder {
    encoding: string;
    readonly #fatal: boolean;

    constructor(label: unknown = "utf-8", { fatal = false } = {}) {
      this.encoding = host("encodingOf", String(label));
      this.#fatal = fatal;
    }

    decode(bytes?: ArrayBuffer | ArrayBufferView): string {
      if (bytes === undefined) return "";
      return host("decode", Array.from(viewOf(bytes)), this.encoding, this.#fatal);
    }
  }

  function viewOf(bytes: ArrayBuffer | ArrayBufferView): Uint8Array {
    if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  return {
    TextEncoder,
    TextDecoder,
    btoa: (text: unknown) => host("toBase64", String(text)),
    atob: (text: unknown) => host("fromBase64", String(text)),
  };
}
