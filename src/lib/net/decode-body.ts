import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import zlib from "node:zlib";
import { ownField } from "../json/plain-data.ts";

/** The name of a coding that is not known, for an error. */
export class UnknownEncoding extends Error {}

type Decoder = () => Transform;

// What has come is handed on at once: an event stream pauses in the middle.
const flush = zlib.constants.Z_SYNC_FLUSH;
const unzip: Decoder = () => zlib.createUnzip({ flush, finishFlush: flush });
const decoders: Readonly<Record<string, Decoder | undefined>> = {
  gzip: unzip,
  "x-gzip": unzip,
  deflate: unzip,
  br: () =>
    zlib.createBrotliDecompress({
      flush: zlib.constants.BROTLI_OPERATION_FLUSH,
      finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
    }),
  // Node 22.13 has no Zstandard.
  ...("createZstdDecompress" in zlib ? { zstd: () => zlib.createZstdDecompress() } : {}),
};
const maxCodings = 3;

/** The body without its content codings; itself where it has none. Reading stops where a limit stops it: nothing is decoded ahead. */
export function decodeBody(response: IncomingMessage): Readable {
  const header = response.headers["content-encoding"];
  if (header === undefined) return response;
  const codings = header
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  const usedDecoders = codings.map((coding) => ownField(decoders, coding));
  const unknown =
    codings[usedDecoders.indexOf(undefined)] ?? (codings.length > maxCodings ? header : undefined);
  if (unknown !== undefined) {
    response.destroy();
    throw new UnknownEncoding(/^[\w, -]{1,40}$/.test(unknown) ? unknown : "an unknown coding");
  }
  return usedDecoders.reduceRight<Readable>(
    (encoded, create) => (create === undefined ? encoded : decodeThrough(encoded, create())),
    response,
  );
}

/** Either side's end is the other's. */
function decodeThrough(encoded: Readable, decoder: Transform): Readable {
  encoded.on("error", (cause) => decoder.destroy(cause));
  encoded.on("close", () => {
    if (!encoded.readableEnded) decoder.destroy();
  });
  decoder.on("close", () => encoded.destroy());
  return encoded.pipe(decoder);
}
