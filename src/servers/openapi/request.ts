import type { Json, JsonObject } from "../../model/json.ts";
import { encodeBody } from "./encode-body.ts";
import type { Operation, Parameter } from "./operations.ts";
import type { Proof } from "./security.ts";
import { asText, InvalidArgument, writePairs, writePath, writeSimple } from "./styles.ts";

export type ApiRequest = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};

/** Throws `InvalidArgument` for values that have no place in a request. */
export function buildRequest(operation: Operation, args: JsonObject, base: URL, proof: Proof): ApiRequest {
  const { method, parameters, body } = operation;
  const given = parameters.flatMap((parameter) => {
    const value = args[parameter.argument];
    return value === undefined ? [] : [{ parameter, value }];
  });
  const of = (place: Parameter["place"]) => given.filter(({ parameter }) => parameter.place === place);
  const path = `${base.pathname.replace(/\/+$/, "")}${fillPath(operation, of("path"))}`;
  const query = [
    ...of("query").flatMap(({ parameter, value }) => writePairs(parameter, plainValue(parameter, value))),
    ...proof.query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  ];
  const sign = path.includes("?") ? "&" : "?";
  const address = new URL(`${base.origin}${path}${query.length > 0 ? sign + query.join("&") : ""}`);
  const encoded = body ? encodeBody(body, args) : null;
  const cookies = [
    ...of("cookie").flatMap(({ parameter, value }) => writePairs(parameter, plainValue(parameter, value))),
    ...proof.cookies.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ];
  return {
    url: address,
    method,
    headers: {
      ...(encoded && { "content-type": encoded.contentType }),
      ...Object.fromEntries(of("header").map(({ parameter, value }) => header(parameter, value))),
      ...(cookies.length > 0 && { cookie: cookies.join("; ") }),
      ...proof.headers,
    },
    body: encoded?.bytes,
  };
}

type Given = { parameter: Parameter; value: Json };

function fillPath({ path }: Operation, given: readonly Given[]): string {
  return path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const found = given.find(({ parameter }) => parameter.name === name);
    if (found === undefined) throw new InvalidArgument(name, "is part of the address and was not given");
    const { parameter, value } = found;
    const text = writePath(parameter, plainValue(parameter, value));
    // Dots would lead up, however they are spelled; nothing would be another operation.
    if (/^\.{0,2}$/.test(decodeURIComponent(text)))
      throw new InvalidArgument(parameter.argument, `cannot be '${asText(value)}': it is part of the address`);
    return text;
  });
}

function header(parameter: Parameter, value: Json): [string, string] {
  const text = writeSimple(plainValue(parameter, value), parameter.explode, (part) => part);
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
    throw new InvalidArgument(parameter.argument, "holds characters that no header can carry");
  return [parameter.name.toLowerCase(), text];
}

/** A value that the document wants as JSON is one text. */
function plainValue({ mediaType }: Parameter, value: Json): Json {
  return mediaType === undefined ? value : typeof value === "string" ? value : JSON.stringify(value);
}
