import {
  type Client,
  errors,
  type KoaContextWithOIDC,
  type Provider,
  type ResourceServer,
} from "oidc-provider";
import { clientAddress } from "../../../src/lib/net/client-address.ts";
import type { SignInPorts } from "../../../src/model/access/sign-in.ts";
import { keepAllowed, limitsAmong } from "./grants.ts";
import { grantable, rememberPerson } from "./people.ts";

const assertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const replayKind = "Assertion";

export type ResourceInfo = (
  resource: string,
  ctx: KoaContextWithOIDC,
  client: Client,
) => ResourceServer;

/**
 * Enterprise-managed authorization: a known client brings the assertion of the company's provider for a person, who has
 * been asked there. An assertion counts once, for the client and the resource that it names.
 */
export function addAssertionGrant(
  provider: Provider,
  ports: SignInPorts,
  infoOf: ResourceInfo,
): void {
  const { origin, rows, record } = ports;
  const refuse = (why: string): never => {
    throw new errors.InvalidGrant(why);
  };
  provider.registerGrantType(
    assertionGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const text = params?.assertion;
      if (client === undefined || typeof text !== "string")
        throw new errors.InvalidRequest("the assertion is missing");
      const read = await ports.readAssertion(text).catch((thrown: Error) => refuse(thrown.message));
      if (read.clientId !== client.clientId) refuse("the assertion is for another client");
      const asked =
        typeof params?.resource === "string" ? params.resource : (read.resource ?? `${origin}/mcp`);
      if (read.resource !== null && read.resource !== asked) throw new errors.InvalidTarget();
      const info = infoOf(asked, ctx, client);
      await rows.put(replayKind, read.id, {}, { seconds: read.lifetime });
      if (!(await rows.consume(replayKind, read.id))) refuse("the assertion was used before");
      const person = await rememberPerson(ports, read.person, read.unsaid).catch((thrown: Error) =>
        refuse(thrown.message),
      );
      const wanted = typeof params?.scope === "string" ? params.scope.split(" ") : read.scopes;
      const allowed = wanted.filter(
        (scope) => read.scopes.includes(scope) && info.scope.split(" ").includes(scope),
      );
      const scope = grantable(person, allowed).given.join(" ");
      if (scope === "")
        throw new errors.InvalidScope("none of the scopes is given", wanted.join(" "));
      const grant = new provider.Grant({ accountId: person.user, clientId: client.clientId });
      grant.addResourceScope(asked, scope);
      const grantId = await grant.save();
      const token = new provider.AccessToken({
        accountId: person.user,
        client,
        grantId,
        gty: "jwt-bearer",
        scope,
      } as never);
      token.resourceServer = new provider.ResourceServer(asked, info);
      const described = { client_id: client.clientId, client_name: client.clientName };
      await keepAllowed(rows, grantId, {
        ...described,
        limits: limitsAmong(read.scopes),
        isChosen: false,
      });
      const line = {
        operation: "grants.allow",
        target: grantId,
        user: person.user,
        address: clientAddress(ctx.req),
      };
      await record({ ...line, input: { client: client.clientId, scope, by: "assertion" } });
      const access_token = await token.save();
      ctx.body = { access_token, expires_in: token.expiration, scope, token_type: "Bearer" };
    },
    ["assertion", "scope", "resource"],
    ["resource"],
  );
}
