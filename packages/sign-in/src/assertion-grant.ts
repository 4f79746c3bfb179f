import { clientAddress } from "@toolplane/core/lib/net/client-address";
import type { SignInPorts } from "@toolplane/core/model/access/sign-in";
import {
  type Client,
  errors,
  type KoaContextWithOIDC,
  type Provider,
  type ResourceServer,
} from "oidc-provider";
import { limitsAmong, storeGrantClient } from "./grants.ts";
import { grantable, rememberPerson } from "./people.ts";

const assertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const replayKind = "Assertion";

export type ResourceServerOf = (
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
  resourceServerOf: ResourceServerOf,
): void {
  const { origin, rows, record } = ports;
  const refuse = (why: string): never => {
    throw new errors.InvalidGrant(why);
  };
  provider.registerGrantType(
    assertionGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const assertionText = params?.assertion;
      if (client === undefined || typeof assertionText !== "string")
        throw new errors.InvalidRequest("the assertion is missing");
      const assertion = await ports
        .readAssertion(assertionText)
        .catch((thrown: Error) => refuse(thrown.message));
      if (assertion.clientId !== client.clientId) refuse("the assertion is for another client");
      const resource =
        typeof params?.resource === "string"
          ? params.resource
          : (assertion.resource ?? `${origin}/mcp`);
      if (assertion.resource !== null && assertion.resource !== resource)
        throw new errors.InvalidTarget();
      const resourceServer = resourceServerOf(resource, ctx, client);
      await rows.put(replayKind, assertion.id, {}, { seconds: assertion.lifetime });
      if (!(await rows.consume(replayKind, assertion.id))) refuse("the assertion was used before");
      const person = await rememberPerson(ports, assertion.person, assertion.unsaid).catch(
        (thrown: Error) => refuse(thrown.message),
      );
      const requestedScopes =
        typeof params?.scope === "string" ? params.scope.split(" ") : assertion.scopes;
      const allowedScopes = requestedScopes.filter(
        (scope) =>
          assertion.scopes.includes(scope) && resourceServer.scope.split(" ").includes(scope),
      );
      const scope = grantable(person, allowedScopes).granted.join(" ");
      if (scope === "")
        throw new errors.InvalidScope("none of the scopes is given", requestedScopes.join(" "));
      const grant = new provider.Grant({ accountId: person.user, clientId: client.clientId });
      grant.addResourceScope(resource, scope);
      const grantId = await grant.save();
      const token = new provider.AccessToken({
        accountId: person.user,
        client,
        grantId,
        gty: "jwt-bearer",
        scope,
      } as never);
      token.resourceServer = new provider.ResourceServer(resource, resourceServer);
      await storeGrantClient(rows, grantId, {
        client_id: client.clientId,
        client_name: client.clientName,
        limits: limitsAmong(assertion.scopes),
        isChosen: false,
      });
      await record({
        operation: "grants.allow",
        target: grantId,
        user: person.user,
        address: clientAddress(ctx.req),
        input: { client: client.clientId, scope, by: "assertion" },
      });
      const access_token = await token.save();
      ctx.body = { access_token, expires_in: token.expiration, scope, token_type: "Bearer" };
    },
    ["assertion", "scope", "resource"],
    ["resource"],
  );
}
