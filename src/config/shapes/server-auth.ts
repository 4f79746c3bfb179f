import { isObject } from "../../model/json.ts";
import type { ServerAuth } from "../../model/server.ts";
import { splitSpaces } from "./coerce.ts";
import { type Field, fieldsOf, fieldValue, type ReadField, type Server, warnWithoutEffect } from "./field.ts";
import { isName } from "./reading.ts";

/** Keys beside `auth` that say how we identify ourselves. */
export const authReaders: readonly (readonly [string, ReadField])[] = [
  ["auth_type", into("type")],
  ["auth_token", into("token")],
  ["auth_header", into("header")],
  ["scopes", into("scopes", splitSpaces)],
  ["oauth_config", (field, server) => hasRoom(server) && readOAuth(field, server)],
];

/** Can there be keys beside `auth`? Not where it is no object and the server will be refused for it. */
function hasRoom({ fields }: Server): boolean {
  const auth = fieldValue("auth", fields);
  return auth === undefined || isObject(auth);
}

function into(key: keyof ServerAuth, translate = (value: unknown): unknown => value): ReadField {
  return ({ value, source }, server) => {
    const { reading, path } = server;
    if (value !== "" && hasRoom(server)) reading.set([...path, "auth", key], translate(value), source);
  };
}

function readOAuth({ value, source }: Field, { reading, path }: Server): void {
  if (!isObject(value)) return reading.fail(source, "must be an object");
  for (const field of fieldsOf(value, source).filter(({ value }) => value !== null)) {
    if (field.key === "scopes") {
      reading.set([...path, "auth", "scopes"], splitSpaces(field.value), field.source);
    } else if (field.key === "client_name" || field.key === "callback_port")
      warnWithoutEffect(field, reading);
    else reading.warnUnknownKey(field.source, ["scopes"]);
  }
}

const inferences = [
  { key: "auth_header", type: "api_key" },
  { key: "oauth_config", type: "oauth" },
  { key: "auth_token", type: "bearer" },
  { key: "auth", type: "bearer" },
] as const satisfies { key: string; type: ServerAuth["type"] }[];

/** Keys inside `auth` that only OAuth knows. */
const oauthKeys = [
  "clientId",
  "clientMetadataUrl",
  "issuer",
  "grant",
] as const satisfies (keyof ServerAuth)[];

/** What is given tells how we identify ourselves where nothing says it. */
export function inferAuthType(server: Server): void {
  const { reading, path, fields } = server;
  const auth = fieldValue("auth", fields);
  const { type, token, ...rest } = isObject(auth) ? auth : {};
  if (!hasRoom(server) || (fieldValue("auth_type", fields) ?? type) !== undefined) return;
  const place = fields.find(({ key }) => key === "auth");
  if (place && token === undefined && oauthKeys.some((key) => rest[key] !== undefined))
    return reading.set([...path, "auth", "type"], "oauth", place.source);
  const inferred = inferences.find(({ key }) => isName(key === "auth" ? token : described(key, fields)));
  const field = fields.find(({ key }) => key === inferred?.key);
  if (inferred && field) reading.set([...path, "auth", "type"], inferred.type, field.source);
}

function described(key: string, fields: readonly Field[]): unknown {
  const value = fieldValue(key, fields);
  return isObject(value) ? key : value;
}
