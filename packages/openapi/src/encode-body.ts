import { randomUUID } from "node:crypto";
import { isObject, type Json, type JsonObject, objectOrEmpty } from "@toolplane/core/model/json";
import type { ApiBody, Property } from "./bodies.ts";
import { isBinary } from "./schemas.ts";
import { argumentText, InvalidArgument, namesIn, refuseNameClashes, writePairs } from "./styles.ts";

export type EncodedBody = { contentType: string; bytes: string | Uint8Array };

/** Null where the caller gave none and none is needed. */
export function encodeBody(body: ApiBody, args: JsonObject): EncodedBody | null {
  const content = body.flat ? collectProperties(body, body.flat, args) : args.body;
  if (content === undefined) return null;
  const { kind, mediaType } = body;
  if (kind === "json") return { contentType: mediaType, bytes: JSON.stringify(content) };
  if (kind === "text") return { contentType: mediaType, bytes: argumentText(content) };
  if (kind === "binary") return { contentType: mediaType, bytes: fromBase64("body", content) };
  const fields = objectOrEmpty(content) as JsonObject;
  if (kind === "form") return { contentType: mediaType, bytes: encodeForm(body, fields) };
  return encodeMultipart(body, fields);
}

function collectProperties(
  body: ApiBody,
  flat: NonNullable<ApiBody["flat"]>,
  args: JsonObject,
): JsonObject | undefined {
  const properties = [...flat].flatMap(([argument, { name }]) => {
    const value = args[argument];
    return value === undefined ? [] : [[name, value] as const];
  });
  if (properties.length === 0 && !body.required) return undefined;
  return Object.fromEntries(properties);
}

function encodeForm({ properties }: ApiBody, fields: JsonObject): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => {
      const { style, explode } = properties.get(name)?.encoding ?? {};
      const pairs = writePairs(
        {
          name,
          style: typeof style === "string" ? style : defaultStyle(value),
          explode: explode !== false,
        },
        value,
      );
      const otherNames = [...properties.keys()].filter((property) => property !== name);
      refuseNameClashes({ argument: name, name }, namesIn(pairs), otherNames);
      return pairs;
    })
    .join("&");
}

/** Without a word of the document, what is nested is written with brackets, as most servers read it. */
function defaultStyle(value: Json): string {
  const isNested = typeof value === "object" && value !== null && hasObjects(value);
  return isNested ? "deepObject" : "form";
}

function hasObjects(value: Json): boolean {
  if (!Array.isArray(value)) return isObject(value);
  return value.some((member) => typeof member === "object" && member !== null);
}

function encodeMultipart({ properties, mediaType }: ApiBody, fields: JsonObject): EncodedBody {
  const boundary = `toolplane-${randomUUID()}`;
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value]
      .flat()
      .flatMap((member) => encodeFormPart(boundary, name, member, properties.get(name))),
  );
  const [type = "multipart/form-data"] = mediaType.split(";", 1);
  return {
    contentType: `${type.trim()}; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function encodeFormPart(
  boundary: string,
  name: string,
  value: Json,
  property: Property | undefined,
): Uint8Array[] {
  if (value === null) return [];
  const declaredType = declaredContentType(property);
  const isFile =
    property?.isBinary === true || isBinary({ type: "string", contentMediaType: declaredType });
  const type = declaredType?.replaceAll(/[\r\n]/g, "") ?? usualContentType(value, isFile);
  const quotedName = quote(name);
  const fileName = isFile ? `; filename="${quotedName}"` : "";
  const typeHeader = type ? `content-type: ${type}\r\n` : "";
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quotedName}"${fileName}\r\n${typeHeader}\r\n`;
  const bytes = isFile ? fromBase64(name, value) : Buffer.from(argumentText(value));
  return [Buffer.from(head), bytes, Buffer.from("\r\n")];
}

function declaredContentType(property: Property | undefined): string | undefined {
  const contentType = property?.encoding.contentType;
  if (typeof contentType === "string") return contentType.split(",", 1)[0]?.trim();
  return undefined;
}

function usualContentType(value: Json, isFile: boolean): string | undefined {
  if (isFile) return "application/octet-stream";
  if (typeof value === "object") return "application/json";
  return undefined;
}

/** A name can end neither its quotes nor its line. */
function quote(name: string): string {
  return name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}

function fromBase64(argument: string, value: Json): Uint8Array {
  const [, text = argumentText(value)] =
    /^data:[^,]*;base64,([\s\S]*)$/.exec(argumentText(value)) ?? [];
  const digits = text.replaceAll(/\s+/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(digits))
    throw new InvalidArgument(argument, "must be bytes in base64");
  return Buffer.from(digits, "base64");
}
