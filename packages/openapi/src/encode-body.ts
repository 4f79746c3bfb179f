import { randomUUID } from "node:crypto";
import { isObject, type Json, type JsonObject } from "@toolplane/core/model/json";
import type { ApiBody, Property } from "./bodies.ts";
import { isBinary } from "./schemas.ts";
import { argumentText, InvalidArgument, namesIn, refuseOthers, writePairs } from "./styles.ts";

export type EncodedBody = { contentType: string; bytes: string | Uint8Array };

/** Null where the caller gave none and none is needed. */
export function encodeBody(body: ApiBody, args: JsonObject): EncodedBody | null {
  const value = body.flat ? gather(body, body.flat, args) : args.body;
  if (value === undefined) return null;
  const { kind, mediaType } = body;
  if (kind === "json") return { contentType: mediaType, bytes: JSON.stringify(value) };
  if (kind === "text") return { contentType: mediaType, bytes: argumentText(value) };
  if (kind === "binary") return { contentType: mediaType, bytes: fromBase64("body", value) };
  const fields = isObject(value) ? (value as JsonObject) : {};
  if (kind === "form") return { contentType: mediaType, bytes: encodeForm(body, fields) };
  return encodeMultipart(body, fields);
}

function gather(
  body: ApiBody,
  flat: NonNullable<ApiBody["flat"]>,
  args: JsonObject,
): JsonObject | undefined {
  const given = [...flat].flatMap(([argument, { name }]) => {
    const value = args[argument];
    return value === undefined ? [] : [[name, value] as const];
  });
  return given.length === 0 && !body.required ? undefined : Object.fromEntries(given);
}

function encodeForm({ properties }: ApiBody, fields: JsonObject): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => {
      const { style, explode } = properties.get(name)?.encoding ?? {};
      // Without a word of the document, what is nested is written with brackets, as most servers read it.
      const isNested = typeof value === "object" && value !== null && hasObjects(value);
      const usual = isNested ? "deepObject" : "form";
      const chosen = typeof style === "string" ? style : usual;
      const pairs = writePairs({ name, style: chosen, explode: explode !== false }, value);
      const others = [...properties.keys()].filter((other) => other !== name);
      refuseOthers({ argument: name, name }, namesIn(pairs), others);
      return pairs;
    })
    .join("&");
}

function hasObjects(value: Json): boolean {
  return Array.isArray(value)
    ? value.some((one) => typeof one === "object" && one !== null)
    : isObject(value);
}

function encodeMultipart({ properties, mediaType }: ApiBody, fields: JsonObject): EncodedBody {
  const boundary = `toolplane-${randomUUID()}`;
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const property = properties.get(name);
    return (Array.isArray(value) ? value : [value]).flatMap((one) =>
      part(boundary, name, one, property),
    );
  });
  const [type = "multipart/form-data"] = mediaType.split(";", 1);
  return {
    contentType: `${type.trim()}; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function part(
  boundary: string,
  name: string,
  value: Json,
  property: Property | undefined,
): Uint8Array[] {
  if (value === null) return [];
  const { contentType } = property?.encoding ?? {};
  const said = typeof contentType === "string" ? contentType.split(",", 1)[0]?.trim() : undefined;
  const isFile =
    property?.isBinary === true || isBinary({ type: "string", contentMediaType: said });
  const type =
    said?.replaceAll(/[\r\n]/g, "") ??
    (isFile
      ? "application/octet-stream"
      : typeof value === "object"
        ? "application/json"
        : undefined);
  const quoted = quote(name);
  const disposition = `form-data; name="${quoted}"${isFile ? `; filename="${quoted}"` : ""}`;
  const head = `--${boundary}\r\ncontent-disposition: ${disposition}\r\n${type ? `content-type: ${type}\r\n` : ""}\r\n`;
  const bytes = isFile ? fromBase64(name, value) : Buffer.from(argumentText(value));
  return [Buffer.from(head), bytes, Buffer.from("\r\n")];
}

/** A name can end neither its quotes nor its line. */
function quote(name: string): string {
  return name.replaceAll(/["\r\n]/g, (one) => encodeURIComponent(one));
}

function fromBase64(argument: string, value: Json): Uint8Array {
  const [, text = argumentText(value)] =
    /^data:[^,]*;base64,([\s\S]*)$/.exec(argumentText(value)) ?? [];
  const plain = text.replaceAll(/\s+/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain))
    throw new InvalidArgument(argument, "must be bytes in base64");
  return Buffer.from(plain, "base64");
}
