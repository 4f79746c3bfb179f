import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { isObject, type Json, type JsonObject } from "@toolplane/core/model/json";
import { encodeBody } from "./encode-body.ts";
import type { ApiOperation, Parameter } from "./operations.ts";
import type { Proof } from "./security.ts";
import {
  argumentText,
  encodePart,
  InvalidArgument,
  namesIn,
  refuseNameClashes,
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
  const parameterValues = parameters.flatMap((parameter) => {
    const value = args[parameter.argument];
    return value === undefined ? [] : [{ parameter, value }];
  });
  const valuesIn = (location: Parameter["location"]) =>
    parameterValues.filter(({ parameter }) => parameter.location === location);
  const path = `${base.pathname.replace(/(?<!\/)\/+$/, "")}${fillPath(operation, valuesIn("path"))}`;
  const query = [
    ...valuesIn("query").flatMap((parameterValue) => pairsOf(operation, parameterValue)),
    ...proof.query.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`),
  ];
  const sign = path.includes("?") ? "&" : "?";
  const url = new URL(`${base.origin}${path}${query.length > 0 ? sign + query.join("&") : ""}`);
  const encodedBody = body ? encodeBody(body, args) : null;
  const cookies = [
    ...valuesIn("cookie").flatMap((parameterValue) => pairsOf(operation, parameterValue)),
    ...proof.cookies.map(([name, value]) => `${name}=${encodePart(value)}`),
  ];
  const headers = {
    ...withoutUndefined({ "content-type": encodedBody?.contentType }),
    ...Object.fromEntries(valuesIn("header").map(headerOf)),
    ...withoutUndefined({ cookie: cookies.length > 0 ? cookies.join("; ") : undefined }),
    ...proof.headers,
  };
  return { url, method, headers, body: encodedBody?.bytes };
}

type ParameterValue = { parameter: Parameter; value: Json };

/** Other parameters of the operation in the same location, also those that only the plane sets. */
function otherNames({ parameters, keys }: ApiOperation, { location, name }: Parameter): string[] {
  return [...parameters, ...keys]
    .filter((parameter) => parameter.location === location && parameter.name !== name)
    .map((parameter) => parameter.name);
}

function pairsOf(operation: ApiOperation, { parameter, value }: ParameterValue): string[] {
  // Reserved characters end a cookie.
  const allowReserved = parameter.allowReserved && parameter.location === "query";
  const pairs = writePairs({ ...parameter, allowReserved }, plainValue(parameter, value));
  refuseNameClashes(parameter, namesIn(pairs), otherNames(operation, parameter));
  return pairs;
}

function fillPath(operation: ApiOperation, parameterValues: readonly ParameterValue[]): string {
  return operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameterValue = parameterValues.find(({ parameter }) => parameter.name === name);
    if (parameterValue === undefined)
      throw new InvalidArgument(name, "is part of the address and was not given");
    const { parameter, value } = parameterValue;
    if (parameter.style === "matrix" && parameter.explode && isObject(value))
      refuseNameClashes(parameter, Object.keys(value), otherNames(operation, parameter));
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

function headerOf({ parameter, value }: ParameterValue): [string, string] {
  const text = writeSimple(plainValue(parameter, value), parameter.explode, (part) => part);
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
    throw new InvalidArgument(parameter.argument, "holds characters that no header can carry");
  return [parameter.name.toLowerCase(), text];
}

/** A value that the document wants as JSON is one text. */
function plainValue({ mediaType }: Parameter, value: Json): Json {
  if (mediaType === undefined || typeof value === "string") return value;
  return JSON.stringify(value);
}
