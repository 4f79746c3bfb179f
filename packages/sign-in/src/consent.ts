import { limitsIn, serverScope, toolsetScope } from "@toolplane/core/model/access/resource";
import type { SignInPorts } from "@toolplane/core/model/access/sign-in";
import { foreign } from "@toolplane/core/model/foreign";
import { scopeNames } from "@toolplane/core/model/principal";
import type { Provider } from "oidc-provider";
import { clientSeconds } from "./adapter.ts";
import { describeClient, type SeenClient, shownAddress } from "./client-view.ts";
import { findGrantClient, limitsAmong, storeGrantClient } from "./grants.ts";
import { finishStep, hasPage, isPageOf } from "./page-proof.ts";
import { consentPage } from "./pages.ts";
import { grantable, type Person, personOf, revokeGrant } from "./people.ts";
import { BadVisit, readForm, redirect, sendPage, type Visit } from "./visit.ts";

export type Interaction = Awaited<ReturnType<Provider["interactionDetails"]>>;
type Client = NonNullable<Awaited<ReturnType<Provider["Client"]["find"]>>>;
type Grant = InstanceType<Provider["Grant"]>;

/** Whose consent is asked, for which client, in which sign-in. */
export type ConsentRequest = {
  provider: Provider;
  interaction: Interaction;
  person: Person;
  client: Client;
};

/** What it registered, or its document, is its own word. */
export const seenClient = (client: Client): SeenClient => ({
  id: client.clientId,
  self: foreign(client.metadata()),
});

const isLimit = (scope: string) => limitsIn([scope]) !== null;
const isRight = (scope: string) => (scopeNames as readonly string[]).includes(scope);

/** All scopes that a token for the plane may have. */
export function offeredScopes({ limits }: Pick<SignInPorts, "limits">): string[] {
  const { servers, toolsets } = limits();
  return [...scopeNames, ...servers.map(serverScope), ...toolsets.map(toolsetScope)];
}

/** The page of consent, and what the person chose there: at most what the client asked for. */
export function createConsent(ports: SignInPorts) {
  const { rows, record } = ports;

  const requestedAccess = ({ params }: Interaction) => {
    const scopes = [...new Set(String(params.scope ?? "").split(" "))];
    const offered = offeredScopes(ports);
    const planeScopes = scopes.filter((scope) => offered.includes(scope));
    // It wants no more than these; without them it would get all.
    const limits = limitsAmong(scopes);
    if (limits !== null && limitsAmong(planeScopes) === null)
      throw new BadVisit(
        400,
        `The client asks for what this plane does not have: ${limits.join(", ").slice(0, 200)}.`,
      );
    return {
      resources: [params.resource].flat().map(String),
      planeScopes,
      identityScopes: scopes.filter((scope) => scope === "openid" || scope === "offline_access"),
    };
  };

  async function show(
    visit: Visit,
    request: ConsentRequest,
    problem: string | null = null,
  ): Promise<void> {
    const { interaction, person, client } = request;
    const { resources, planeScopes } = requestedAccess(interaction);
    const { granted, refused } = grantable(person, planeScopes);
    const previousConsent =
      interaction.grantId === undefined ? null : await findGrantClient(rows, interaction.grantId);
    const grant = interaction.grantId && (await request.provider.Grant.find(interaction.grantId));
    const rejectedScopes = resources.flatMap((resource) =>
      grant ? grant.getRejectedResourceScope(resource).split(" ") : [],
    );
    const isServerOn = (name: string) =>
      !previousConsent?.isChosen || (previousConsent.limits ?? []).includes(serverScope(name));
    const page = consentPage({
      uid: interaction.uid,
      user: person.user,
      client: describeClient(seenClient(client), ports.settings.clients),
      redirect: shownAddress(String(interaction.params.redirect_uri)),
      isShared: client.applicationType === "native" && /^https:/.test(client.clientId),
      scopes: granted.map((name) => ({ name, isOn: !rejectedScopes.includes(name) })),
      refused,
      // One that asks for some servers or toolsets alone has them among its scopes.
      servers: granted.some(isLimit)
        ? null
        : ports.serversFor(person).map((name) => ({ name, isOn: isServerOn(name) })),
      goesOn: client.grantTypeAllowed("refresh_token"),
      policy: await ports.policy(),
      resource: resources.join(", "),
      problem,
    });
    sendPage(visit, page, problem === null ? 200 : 400, true);
  }

  /** What the form leaves of the scopes, and of the servers; a text where that is nothing. */
  function readChoice(form: URLSearchParams, person: Person, granted: readonly string[]) {
    const scopes = granted.filter((scope) => form.has(`scope.${scope}`));
    if (granted.some(isRight) && !scopes.some(isRight))
      return "Leave something that the client may do, or deny it.";
    // Without its limits, a client would get more than it asked for.
    const limits = scopes.filter(isLimit);
    if (granted.some(isLimit)) {
      if (limits.length === 0) return "Leave a server or a toolset, or deny it.";
      return { scopes, limits, isChosen: limits.length < granted.filter(isLimit).length };
    }
    const servers = ports.serversFor(person);
    const chosenServers = servers.filter((name) => form.has(`server.${name}`));
    if (chosenServers.length === servers.length) return { scopes, limits: null, isChosen: false };
    if (chosenServers.length === 0) return "Leave a server, or deny it.";
    return { scopes, limits: chosenServers.map(serverScope), isChosen: true };
  }

  /** A client that registered and was never allowed anything is soon forgotten. */
  async function keepClient(id: string): Promise<void> {
    const registered = await rows.get("Client", id);
    if (registered !== null)
      await rows.put("Client", id, registered.value, { seconds: clientSeconds.allowed });
  }

  async function allow(visit: Visit, request: ConsentRequest): Promise<void> {
    const { provider, interaction, person, client } = request;
    const { resources, planeScopes, identityScopes } = requestedAccess(interaction);
    const { granted } = grantable(person, planeScopes);
    const form = await readForm(visit);
    requirePage(interaction, form);
    const choice = readChoice(form, person, granted);
    if (typeof choice === "string") return show(visit, request, choice);
    const existingGrant =
      interaction.grantId === undefined
        ? undefined
        : await provider.Grant.find(interaction.grantId);
    const grant =
      existingGrant ?? new provider.Grant({ accountId: person.user, clientId: client.clientId });
    if (identityScopes.length > 0) grant.addOIDCScope(identityScopes.join(" "));
    for (const resource of resources) setScopes(grant, resource, planeScopes, choice.scopes);
    const id = await grant.save();
    const metadata = client.metadata() as Record<string, unknown>;
    const wasOpen =
      existingGrant !== undefined && ((await findGrantClient(rows, id))?.limits ?? null) === null;
    await storeGrantClient(rows, id, {
      client_id: client.clientId,
      client_name: metadata.client_name,
      client_uri: metadata.client_uri,
      // One that had no limit, and asks for less this time, keeps what it had.
      limits: wasOpen && !choice.isChosen ? null : choice.limits,
      isChosen: choice.isChosen,
    });
    // They may have been removed, or may less, since the page was read.
    const currentPerson = await personOf(rows, interaction.session);
    if (currentPerson === null || grantable(currentPerson, choice.scopes).refused.length > 0) {
      await revokeGrant(ports, id);
      throw new BadVisit(
        403,
        "What you may was changed at this moment. Go back to the client and begin again.",
      );
    }
    await keepClient(client.clientId);
    await record({
      operation: "grants.allow",
      target: id,
      user: person.user,
      address: visit.address,
      input: {
        client: client.clientId,
        asked: planeScopes,
        given: choice.scopes,
        limits: choice.limits,
        resource: resources.join(" "),
      },
    });
    const result = { ...interaction.lastSubmission, consent: { grantId: id } };
    redirect(visit, await finishStep(interaction, result));
  }

  return {
    show,
    async allow(visit: Visit, request: ConsentRequest): Promise<void> {
      if (request.interaction.prompt.name !== "consent")
        throw new BadVisit(400, "There is nothing to allow yet.");
      await allow(visit, request);
    },
  };
}

/** A browser that keeps no secret signed in for this step alone. */
function requirePage({ session }: Interaction, form: URLSearchParams): void {
  if (session === undefined || !hasPage(session)) return;
  if (!isPageOf(session, form.get("page")))
    throw new BadVisit(403, "This page is not of the browser that signed in. Begin again there.");
}

/** The library only adds; a person may also take away what was given before, and give what was not. */
function setScopes(
  grant: Grant,
  resource: string,
  requested: readonly string[],
  granted: readonly string[],
): void {
  const refused = requested.filter((scope) => !granted.includes(scope));
  const grantedText = grant.getResourceScope(resource);
  const rejectedText = grant.getRejectedResourceScope(resource);
  const changedScopes = (text: string, added: readonly string[], removed: readonly string[]) =>
    [...new Set([...text.split(" "), ...added])]
      .filter((scope) => scope !== "" && !removed.includes(scope))
      .join(" ");
  grant.resources = {
    ...grant.resources,
    [resource]: changedScopes(grantedText, granted, refused),
  };
  const rejected = grant.rejected?.resources;
  grant.rejected = {
    ...grant.rejected,
    resources: { ...rejected, [resource]: changedScopes(rejectedText, refused, granted) },
  };
}
