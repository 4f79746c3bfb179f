import { isObject, objectOrEmpty, type UnknownObject } from "../model/json.ts";
import { extensionsIn, sharedExtensions } from "./extensions.ts";
import { invalidAnswer, type RpcError } from "./message.ts";
import { requirePagesIn } from "./page-address.ts";
import type { RequestOptions } from "./session.ts";

/** A kind that an extension may have added. */
export function isExtendedKind(type: unknown): boolean {
  return typeof type === "string" && type !== "input_required" && type !== "task";
}

export function unknownKind(type: unknown): RpcError {
  return invalidAnswer(
    `its result is of a kind we do not know: ${String(JSON.stringify(type)).slice(0, 100)}`,
  );
}

/** Has the server an extension in common with the one who asks? Its kinds of results pass then. */
export function hasShared(offered: UnknownObject, { asClient }: RequestOptions): boolean {
  return (
    asClient !== undefined &&
    sharedExtensions(offered, extensionsIn(asClient.capabilities)).length > 0
  );
}

/** The older era has one kind alone: what is none of it is an extension's, or nothing that anyone can read. */
export function requireLegacyKind(
  result: unknown,
  offered: UnknownObject,
  options: RequestOptions = {},
): unknown {
  if (!isObject(result) || result.content !== undefined || !isExtendedKind(result.resultType))
    return result;
  if (result.resultType !== "complete" && !hasShared(offered, options))
    throw unknownKind(result.resultType);
  return result;
}

/** For a caller that answers questions itself. */
export function requireKnownKind(result: unknown, isExtended: boolean): unknown {
  const type = objectOrEmpty(result).resultType ?? "complete";
  const isKnown = type === "complete" || type === "input_required" || type === "task";
  if (!isKnown && !(isExtended && isExtendedKind(type))) throw unknownKind(type);
  return requirePagesIn(result);
}
