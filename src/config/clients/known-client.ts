import { nearest } from "../../lib/nearest.ts";
import { PlaneError } from "../../model/errors.ts";
import { type ClientName, clientNames } from "./clients.ts";

export function knownClient(name: string): ClientName {
  const names = clientNames();
  const found = names.find((known) => known === name);
  if (found !== undefined) return found;
  const [near] = nearest(name, names, 1);
  const hint = near === undefined ? "" : ` Did you mean '${near}'?`;
  throw new PlaneError("USAGE", `No client '${name}'.${hint} Known: ${names.join(", ")}.`, {
    data: { client: name, known: names },
  });
}
