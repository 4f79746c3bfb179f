import type { Provider } from "oidc-provider";
import { limitsIn, serverScope, toolsetScope } from "../../../src/model/access/resource.ts";
import type { SignInPorts } from "../../../src/model/access/sign-in.ts";
import { foreign } from "../../../src/model/foreign.ts";
import { scopeNames } from "../../../src/model/principal.ts";
import { clientSeconds } from "./adapter.ts";
import { describeClient, type SeenClient, shownAddress } from "./client-view.ts";
import { findAllowed, keepAllowed, limitsAmong } from "./grants.ts";
import { finishStep, hasPage, isPageOf } from "./page-proof.ts";
import { consentPage } from "./pages.ts";
import { grantable, type Person, personOf, revokeGrant } from "./people.ts";
import { BadVisit, readForm, redirect, sendPage, type Visit } from "./visit.ts";

export type Interaction = Awaited<ReturnType<Provider["interactionDetails"]>>;
type Client = NonNullable<Awaited<ReturnType<Provider["Client"]["find"]>>>;
type Grant = InstanceType<Provider["Grant"]>;

/** Whose consent is asked, for which client, in which sign-in. */
export type Asking = {
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

  const askedFor = ({ params }: Interaction) => {
    const scopes = [...new Set(String(params.scope ?? "").split(" "))];
    const offered = offeredScopes(ports);
    const ofPlane = scopes.filter((scope) => offered.includes(scope));
    // It wants no more than these; without them it would get all.
    const limits = limitsAmong(scopes);
    if (limits !== null && limitsAmong(ofPlane) === null)
      throw new BadVisit(
        400,
        `The client asks for what this plane does not have: ${limits.join(", ").slice(0, 200)}.`,
      );
    return {
      resources: [params.resource].flat().map(String),
      ofPlane,
      ofPerson: scopes.filter((scope) => scope === "openid" || scope === "offline_access"),
    };
  };

  async function show(visit: Visit, asking: Asking, problem: string | null = null): Promise<void> {
    const { interaction, person, client } = asking;
    const { resources, ofPlane } = askedFor(interaction);
    const { given, refused } = grantable(person, ofPlane);
    const before =
      interaction.grantId === undefined ? null : await findAllowed(rows, interaction.grantId);
    const grant = interaction.grantId && (await asking.provider.Grant.find(interaction.grantId));
    const left = resources.flatMap((one) =>
      grant ? grant.getRejectedResourceScope(one).split(" ") : [],
    );
    const isServerOn = (name: string) =>
      !before?.isChosen || (before.limits ?? []).includes(serverScope(name));
    const page = consentPage({
      uid: interaction.uid,
      user: person.user,
      client: describeClient(seenClient(client), ports.settings.clients),
      redirect: shownAddress(String(interaction.params.redirect_uri)),
      isShared: client.applicationType === "native" && /^https:/.test(client.clientId),
      scopes: given.map((name) => ({ name, isOn: !left.includes(name) })),
      refused,
      // One that asks for some servers or toolsets alone has them among its scopes.
      servers: given.some(isLimit)
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
  function chosenIn(form: URLSearchParams, person: Person, given: readonly string[]) {
    const scopes = given.filter((scope) => form.has(`scope.${scope}`));
    if (given.some(isRight) && !scopes.some(isRight))
      return "Leave something that the client may do, or deny it.";
    // Without its limits, a client would get more than it asked for.
    const limits = scopes.filter(isLimit);
    if (given.some(isLimit)) {
      if (limits.length === 0) return "Leave a server or a toolset, or deny it.";
      return { scopes, limits, isChosen: limits.length < given.filter(isLimit).length };
    }
    const servers = ports.serversFor(person);
    const left = servers.filter((name) => form.has(`server.${name}`));
    if (left.length === servers.length) return { scopes, limits: null, isChosen: false };
    if (left.length === 0) return "Leave a server, or deny it.";
    return { scopes, limits: left.map(serverScope), isChosen: true };
  }

  /** A client that registered and was never allowed anything is soon forgotten. */
  async function keepClient(id: string): Promise<void> {
    const registered = await rows.get("Client", id);
    if (registered !== null)
      await rows.put("Client", id, registered.value, { seconds: clientSeconds.allowed });
  }

  async function allow(visit: Visit, asking: Asking): Promise<void> {
    const { provider, interaction, person, client } = asking;
    const { resources, ofPlane, ofPerson } = askedFor(interaction);
    const { given } = grantable(person, ofPlane);
    const form = await readForm(visit);
    requirePage(interaction, form);
    const chosen = chosenIn(form, person, given);
    if (typeof chosen === "string") return show(visit, asking, chosen);
    const before =
      interaction.grantId === undefined
        ? undefined
        : await provider.Grant.find(interaction.grantId);
    const grant =
      before ?? new provider.Grant({ accountId: person.user, clientId: client.clientId });
    if (ofPerson.length > 0) grant.addOIDCScope(ofPerson.join(" "));
    for (const resource of resources) setScopes(grant, resource, ofPlane, chosen.scopes);
    const id = await grant.save();
    const metadata = client.metadata() as Record<string, unknown>;
    const wasOpen =
      before !== undefined && ((await findAllowed(rows, id))?.limits ?? null) === null;
    await keepAllowed(rows, id, {
      client_id: client.clientId,
      client_name: metadata.client_name,
      client_uri: metadata.client_uri,
      // One that had no limit, and asks for less this time, keeps what it had.
      limits: wasOpen && !chosen.isChosen ? null : chosen.limits,
      isChosen: chosen.isChosen,
    });
    // They may have been removed, or may less, since the page was read.
    const now = await personOf(rows, interaction.session);
    if (now === null || grantable(now, chosen.scopes).refused.length > 0) {
      await revokeGrant(ports, id);
      throw new BadVisit(
        403,
        "What you may was changed at this moment. Go back to the client and begin again.",
      );
    }
    await keepClient(client.clientId);
    const line = {
      operation: "grants.allow",
      target: id,
      user: person.user,
      address: visit.address,
    };
    const said = {
      asked: ofPlane,
      given: chosen.scopes,
      limits: chosen.limits,
      resource: resources.join(" "),
    };
    await record({ ...line, input: { client: client.clientId, ...said } });
    const result = { ...interaction.lastSubmission, consent: { grantId: id } };
    redirect(visit, await finishStep(interaction, result));
  }

  return {
    show,
    async allow(visit: Visit, asking: Asking): Promise<void> {
      if (asking.interaction.prompt.name !== "consent")
        throw new BadVisit(400, "There is nothing to allow yet.");
      await allow(visit, asking);
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
  asked: readonly string[],
  given: readonly string[],
): void {
  const refused = asked.filter((scope) => !given.includes(scope));
  const [had, left] = [grant.getResourceScope(resource), grant.getRejectedResourceScope(resource)];
  const of = (text: string, more: readonly string[], less: readonly string[]) =>
    [...new Set([...text.split(" "), ...more])]
      .filter((scope) => scope !== "" && !less.includes(scope))
      .join(" ");
  grant.resources = { ...grant.resources, [resource]: of(had, given, refused) };
  const rejected = grant.rejected?.resources;
  grant.rejected = {
    ...grant.rejected,
    resources: { ...rejected, [resource]: of(left, refused, given) },
  };
}
