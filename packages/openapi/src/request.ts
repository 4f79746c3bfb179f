import { isObject, type Json, type JsonObject } from "@toolplane/core/model/json";
import { encodeBody } from "./encode-body.ts";
import type { ApiOperation, Parameter } from "./operations.ts";
import type { Proof } from "./security.ts";
import {
  argumentText,
  encodePart,
  InvalidArgument,
  namesIn,
  refuseOthers,
  writePairs,
  writePath,
  writeSimple,
} from "./styles.ts";

export type ApiRequest = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};

/** Throws `InvalidArgument` for values that have no place in a request. */
export function buildRequest(
  operation: ApiOperation,
  args: JsonObject,
  base: URL,
  proof: Proof,
): ApiRequest {
  const { method, parameters, body } = operation;
  const given = parameters.flatMap((parameter) => {
    const value = args[parameter.argument];
    return value === undefined ? [] : [{ parameter, value }];
  });
  const of = (place: Parameter["place"]) =>
    given.filter(({ parameter }) => parameter.place === place);
  const path = `${base.pathname.replace(/(?<!\/)\/+$/, "")}${fillPath(operation, of("path"))}`;
  const query = [
    ...of("query").flatMap((one) => ownPairs(operation, one)),
    ...proof.query.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`),
  ];
  const sign = path.includes("?") ? "&" : "?";
  const address = new URL(`${base.origin}${path}${query.length > 0 ? sign + query.join("&") : ""}`);
  const encoded = body ? encodeBody(body, args) : null;
  const cookies = [
    ...of("cookie").flatMap((one) => ownPairs(operation, one)),
    ...proof.cookies.map(([name, value]) => `${name}=${encodePart(value)}`),
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

type ParameterValue = { parameter: Parameter; value: Json };

/** Other parameters of the operation in the same place, also those that only the plane sets. */
function othersOf({ parameters, keys }: ApiOperation, { place, name }: Parameter): string[] {
  return [...parameters, ...keys]
    .filter((one) => one.place === place && one.name !== name)
    .map((one) => one.name);
}

function ownPairs(operation: ApiOperation, { parameter, value }: ParameterValue): string[] {
  // Reserved characters end a cookie.
  const allowReserved = parameter.allowReserved && parameter.place === "query";
  const pairs = writePairs({ ...parameter, allowReserved }, plainValue(parameter, value));
  refuseOthers(parameter, namesIn(pairs), othersOf(operation, parameter));
  return pairs;
}

function fillPath(operation: ApiOperation, given: readonly ParameterValue[]): string {
  return operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const found = given.find(({ parameter }) => parameter.name === name);
    if (found === undefined)
      throw new InvalidArgument(name, "is part of the address and was not given");
    const { parameter, value } = found;
    if (parameter.style === "matrix" && parameter.explode && isObject(value))
      refuseOthers(parameter, Object.keys(value), othersOf(operation, parameter));
    const text = writePath(parameter, plainValue(parameter, value));
    // Dots would lead up, however they are spelled; nothing would be another operation.
    if (/^\.{0,2}$/.test(decodeURIComponent(text)))
      throw new InvalidArgument(
        parameter.argument,
        `cannot be '${argumentText(value)}': it is part of the address`,
      );
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
  return mediaType === undefined
    ? value
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}
