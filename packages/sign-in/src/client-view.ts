import { ownField } from "@toolplane/core/lib/json/plain-data";
import type { AuthorizationServer } from "@toolplane/core/model/access/auth-settings";
import type { GrantView } from "@toolplane/core/model/access/sign-in-schema";
import { asShown, type Foreign, fieldOf, foreignTextOf } from "@toolplane/core/model/foreign";

/** For our own pages; its codes are never exchanged. */
export const pagesClient = "toolplane-pages";

/** A client: its id is the plane's word or the address of its document, all else it said itself. */
export type SeenClient = { id: string; self: Foreign };

/** The clients that an administrator listed. */
export type ListedClients = AuthorizationServer["clients"];

/** As browsers write it: letters that look like others, and text that turns around, show what they are. */
export const shownAddress = (address: string): string => URL.parse(address)?.href ?? address;

const isDocument = (id: string) => id.startsWith("https://");

/**
 * For people. A name is verified where the plane's own list has it, or where the address of a document
 * stands beside it. What a client says of itself has no part in that.
 */
export function describeClient(
  { id, self }: SeenClient,
  listed: ListedClients,
): GrantView["client"] {
  if (id === pagesClient) return { id, name: "Toolplane", address: null, verified: true };
  const name = claimOf(self, "client_name");
  const page = claimOf(self, "client_uri");
  const address = page === undefined ? null : shownAddress(page);
  const listedClient = ownField(listed, id);
  if (listedClient !== undefined)
    return { id, name: listedClient.name ?? id, address: null, verified: true };
  if (isDocument(id))
    return { id, name: nameOfDocument(id, name), address: shownAddress(id), verified: true };
  return { id, name: name ?? id, address, verified: false };
}

/** A document proves its address and not its name, so the host is part of the name. */
function nameOfDocument(id: string, claim: string | undefined): string {
  const { host } = new URL(id);
  const name = claim?.replaceAll(/[()[\]{}]/g, "").trim() ?? "";
  return name === "" || name === host ? host : `${name} (${host})`;
}

function claimOf(self: Foreign, field: string): string | undefined {
  const claim = foreignTextOf(fieldOf(self, field));
  return claim === undefined ? undefined : asShown(claim);
}
