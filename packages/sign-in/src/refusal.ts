import type { AuthorizationServer } from "@toolplane/core/model/access/auth-settings";
import type { errors, KoaContextWithOIDC } from "oidc-provider";
import { pagesClient, shownAddress } from "./client-view.ts";
import { messagePage, refusalPage } from "./pages.ts";

type Refusal = Partial<errors.OIDCProviderError> & { allow_redirect?: boolean };
type Answer = Record<string, string | undefined>;

/** Errors that a browser would have been sent to a client with. */
const heldBack = new WeakSet<object>();

/**
 * Anyone can register an address, so an error leads a browser to no address of a client that only says
 * who it is: a link of a stranger would lead there by the plane's name. The person sees where it leads first.
 * A step that a person made leads back.
 */
export function holdBack(
  ctx: Partial<KoaContextWithOIDC>,
  error: Refusal,
  { clients }: AuthorizationServer,
): void {
  const { client, route } = ctx.oidc ?? {};
  if (client === undefined || route === "resume" || error.allow_redirect !== true) return;
  if (client.clientId === pagesClient || Object.hasOwn(clients, client.clientId)) return;
  error.allow_redirect = false;
  heldBack.add(error);
}

/** The page of what does not lead back to a client by itself. */
export function renderRefusal(ctx: KoaContextWithOIDC, answer: Answer, error: object): void {
  ctx.type = "html";
  const text = `${answer.error_description ?? answer.error}.`;
  const address = heldBack.has(error) ? backTo(ctx.oidc.params?.redirect_uri, answer) : null;
  if (address === null) {
    const body = `${text} Go back to the client and begin again.`;
    ctx.body = messagePage("This did not work", body, "bad");
    return;
  }
  ctx.status = 400;
  ctx.body = refusalPage(text, address.href, shownAddress(String(ctx.oidc.params?.redirect_uri)));
}

function backTo(redirectUri: unknown, answer: Answer): URL | null {
  const address = typeof redirectUri === "string" ? URL.parse(redirectUri) : null;
  for (const [name, text] of Object.entries(answer))
    if (text !== undefined) address?.searchParams.set(name, text);
  return address;
}
