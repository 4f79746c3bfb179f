import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { PlaneError } from "../../model/errors.ts";
import type { ToolResult } from "../../model/result.ts";
import type { KeptResult } from "../../model/stored-result.ts";

type Packed = Pick<KeptResult, "body" | "isCompressed" | "hash">;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/** Quick rather than small: somebody waits for the answer. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

/** A result as bytes, compressed where that saves something. */
export async function pack(result: ToolResult): Promise<Packed> {
  const plain = Buffer.from(JSON.stringify(result));
  const hash = hashOf(plain);
  const small = await compress(plain, quality);
  return small.length < plain.length
    ? { body: small, isCompressed: true, hash }
    : { body: plain, isCompressed: false, hash };
}

/** Whatever does not come out as it went in is not given to anybody. */
export async function unpack({ body, isCompressed, hash }: Packed): Promise<ToolResult> {
  const plain = isCompressed ? await decompress(body).catch(() => null) : Buffer.from(body);
  if (plain && hashOf(plain) === hash) return JSON.parse(plain.toString()) as ToolResult;
  throw new PlaneError(
    "STORE_FAILED",
    "This stored result is damaged. Call the tool again, and check the disk of the store.",
  );
}

function hashOf(bytes: Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", bytes);
}
