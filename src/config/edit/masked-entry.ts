import { PlaneError } from "../../model/errors.ts";
import { isObject, type Json, type JsonObject, objectOrEmpty } from "../../model/json.ts";
import { maskSecrets } from "../secrets/mask.ts";

/** As `maskSecrets` writes what it hides. */
const mask = "***";

/** An entry as it stands in a file, for display. */
export function maskEntry(name: string, entry: JsonObject): JsonObject {
  return maskSecrets(entry, ["servers", name]) as JsonObject;
}

/** What a person left masked is what stood there. A mask in another place has no value. */
export function unmaskEntry(edited: JsonObject, name: string, original: JsonObject): JsonObject {
  return unmask(edited, maskEntry(name, original), original, "") as JsonObject;
}

function unmask(
  edited: Json,
  masked: Json | undefined,
  original: Json | undefined,
  path: string,
): Json {
  if (typeof edited === "string") {
    if (edited === masked && typeof original === "string") return original;
    if (!edited.includes(mask)) return edited;
    const remedy = "Write the secret, or better a reference such as ${NAME}.";
    throw new PlaneError("USAGE", `'${path}' is masked and has no value to keep. ${remedy}`, {
      data: { path },
    });
  }
  if (Array.isArray(edited))
    return edited.map((item, index) =>
      unmaskItem(item, index, masked, original, `${path}.${index}`),
    );
  if (!isObject(edited)) return edited;
  const maskedFields = asObject(masked);
  const originalFields = asObject(original);
  return Object.fromEntries(
    Object.entries(edited as JsonObject).map(([key, value]) => [
      key,
      unmask(value, maskedFields[key], originalFields[key], path === "" ? key : `${path}.${key}`),
    ]),
  );
}

/** Items of a list move when others come and go. */
function unmaskItem(
  item: Json,
  index: number,
  masked: Json | undefined,
  original: Json | undefined,
  path: string,
): Json {
  if (!Array.isArray(masked) || !Array.isArray(original))
    return unmask(item, undefined, undefined, path);
  const maskedIndex = masked[index] === item ? index : masked.indexOf(item);
  const originalIndex = maskedIndex === -1 ? index : maskedIndex;
  return unmask(item, masked[originalIndex], original[originalIndex], path);
}

function asObject(value: Json | undefined): JsonObject {
  return objectOrEmpty(value) as JsonObject;
}
