import { steadyNow } from "@toolplane/core/lib/async/steady-time";
import { networkOf } from "@toolplane/core/lib/net/client-address";
import { pageHeader } from "@toolplane/core/model/access/page-proof";
import type { SignInPorts } from "@toolplane/core/model/access/sign-in";
import type { Provider } from "oidc-provider";
import { accessSteps } from "./access-pages.ts";
import { describeClient } from "./client-view.ts";
import { type ConsentRequest, createConsent, type Interaction, seenClient } from "./consent.ts";
import { invitationSteps } from "./invitations.ts";
import { currentSession, finishStep, isPageOf, isProvable, signInMarks } from "./page-proof.ts";
import { backPage, signInPage } from "./pages.ts";
import { createPasskeys } from "./passkeys.ts";
import {
  changePerson,
  findPerson,
  isPassword,
  openDesk,
  type Person,
  personOf,
  rememberPerson,
  stateOf,
} from "./people.ts";
import {
  askLater,
  BadVisit,
  readForm,
  readJson,
  redirect,
  requireOwnPage,
  type Step,
  sendJson,
  sendPage,
  type Visit,
} from "./visit.ts";

const upstreamKind = "Upstream";
const upstreamSeconds = 600;
/** The first person who is invited beside a provider waits no longer for a place to sign in. */
const localPeopleCacheMs = 10_000;
/** Tries of a password before a pause: for a person in one network and in all, and for a network. */
const passwordTries = { person: 10, everywhere: 100, network: 50, seconds: 900 };
const signInOver =
  "This sign-in is over, or was begun in another browser. Go back to the client and begin again.";
const wrongPassword = "The name or the password is not right.";
function pauseMessage(seconds: number): string {
  const pause = seconds <= 60 ? "a minute" : `${Math.ceil(seconds / 60)} minutes`;
  return `There were too many tries. Wait ${pause}, or use a passkey.`;
}

/** The pages of signing in: with a password, a passkey or a provider, and consent. */
export function createFlows(ports: SignInPorts) {
  const { origin, rows, upstream, record } = ports;
  const passkeys = createPasskeys({ rows, origin });
  const { clients } = ports.settings;
  const desk = openDesk({ ...ports, listedClients: async () => clients });
  const callback = `${origin}/sign-in/callback`;

  const interactionOf = async (
    { request, response }: Visit,
    provider: Provider,
    uid: string,
  ): Promise<Interaction> => {
    const interaction = await provider.interactionDetails(request, response).catch(() => null);
    if (interaction === null || interaction.uid !== uid) throw new BadVisit(400, signInOver);
    return interaction;
  };
  const clientOf = async (provider: Provider, { params }: Interaction) => {
    const client = await provider.Client.find(String(params.client_id));
    if (client === undefined)
      throw new BadVisit(400, "The client is not known any more. Begin again there.");
    return client;
  };
  /** It reads all people, so that not every visit asks. */
  let localPeople = { readAt: Number.NEGATIVE_INFINITY, exist: false };
  async function hasLocalPeople(): Promise<boolean> {
    if (steadyNow() - localPeople.readAt >= localPeopleCacheMs)
      localPeople = {
        readAt: steadyNow(),
        exist: (await desk.people()).some(({ source }) => source === "local"),
      };
    return localPeople.exist;
  }

  async function showSignIn(
    visit: Visit,
    provider: Provider,
    interaction: Interaction,
    {
      status = 200,
      problem = null,
      user = "",
    }: { status?: number; problem?: string | null; user?: string } = {},
  ) {
    const client = describeClient(seenClient(await clientOf(provider, interaction)), clients);
    const hasLocal = upstream === null || (await hasLocalPeople());
    const page = signInPage({
      uid: interaction.uid,
      client,
      user,
      problem,
      provider: upstream?.name ?? null,
      hasLocal,
      isProvable: status === 200 && isProvable(interaction),
    });
    sendPage(visit, page, status, true);
  }

  const requirePerson = async ({ session }: Interaction): Promise<Person> => {
    const person = await personOf(rows, session);
    if (person === null)
      throw new BadVisit(
        403,
        "You are not signed in any more. Go back to the client and begin again.",
      );
    return person;
  };

  const consents = createConsent(ports);
  const consentRequestOf = async (
    visit: Visit,
    provider: Provider,
    uid: string,
  ): Promise<ConsentRequest> => {
    const interaction = await interactionOf(visit, provider, uid);
    const { request, response } = visit;
    const session = await provider.Session.get(provider.createContext(request, response) as never);
    if (interaction.session !== undefined && interaction.session.uid !== session.uid)
      throw new BadVisit(
        403,
        "Another sign-in has begun in this browser since. Go back to the client and begin again.",
      );
    return {
      provider,
      interaction,
      person: await requirePerson(interaction),
      client: await clientOf(provider, interaction),
    };
  };

  /** Where the browser goes on. What ends here does not depend on the session that it began with. */
  async function finish(
    interaction: Interaction,
    result: NonNullable<Interaction["result"]>,
  ): Promise<string> {
    const { session } = interaction;
    if (session !== undefined) delete (session as Partial<typeof session>).uid;
    return finishStep(interaction, result);
  }

  async function finishLogin(
    visit: Visit,
    provider: Provider,
    uid: string,
    person: Person,
    marks: string[],
  ) {
    const { request, response, address } = visit;
    const interaction = await interactionOf(visit, provider, uid);
    const state = stateOf(person);
    const lastSignInAt = new Date().toISOString();
    const signedInPerson = await changePerson(rows, person.user, (now) => {
      if (now === null || stateOf(now) !== state) return null;
      return { ...now, lastSignInAt };
    });
    if (signedInPerson === null)
      throw new BadVisit(
        403,
        "What you sign in with was changed at this moment. Go back to the client and begin again.",
      );
    await record({
      operation: "signIn.login",
      target: person.user,
      user: person.user,
      address,
      input: { how: marks[0] },
    });
    // The library would ask a person to sign another out first, on a page that it does not have here.
    const session = await provider.Session.get(provider.createContext(request, response) as never);
    if (session.accountId !== undefined && session.accountId !== person.user)
      await session.destroy();
    const login = { accountId: person.user, amr: marks, acr: state };
    return finish(interaction, { ...interaction.lastSubmission, login });
  }

  const page: Step = async (visit, provider, [uid = ""]) => {
    const interaction = await interactionOf(visit, provider, uid);
    if (interaction.prompt.name === "login") return showSignIn(visit, provider, interaction);
    return consents.show(visit, await consentRequestOf(visit, provider, uid));
  };

  /** The seconds of the pause; null for none. What one limit refuses is not counted by the next: strangers pause no one elsewhere. */
  async function passwordPauseSeconds(
    counters: readonly [string, number][],
  ): Promise<number | null> {
    for (const [key, maxTries] of counters) {
      const { count, leftSeconds } = await rows.count(key, passwordTries.seconds);
      if (count > maxTries) return leftSeconds;
    }
    return null;
  }

  const password: Step = async (visit, provider, [uid = ""]) => {
    const interaction = await interactionOf(visit, provider, uid);
    const form = await readForm(visit);
    const user = (form.get("user") ?? "").trim();
    const network = networkOf(visit.request);
    const counters: [string, number][] = [
      [`password from ${network}`, passwordTries.network],
      [`password ${user} from ${network}`, passwordTries.person],
      [`password ${user}`, passwordTries.everywhere],
    ];
    const pauseSeconds = await passwordPauseSeconds(counters);
    const person = await findPerson(rows, user);
    // The same work for everyone, also for a name that is not there; tries beyond the limit cost nothing.
    const isRight = pauseSeconds === null && (await isPassword(person, form.get("password") ?? ""));
    if (person !== null && isRight) {
      await Promise.all(counters.map(([key]) => rows.count(key, passwordTries.seconds, -1)));
      const marks = signInMarks("pwd", form.get("page"));
      return redirect(visit, await finishLogin(visit, provider, uid, person, marks));
    }
    await record({
      operation: "signIn.login",
      target: user.slice(0, 200),
      address: visit.address,
      input: { how: "pwd" },
      error: pauseSeconds === null ? "access_denied" : "too_many_tries",
    });
    if (pauseSeconds === null)
      return showSignIn(visit, provider, interaction, {
        status: 401,
        problem: wrongPassword,
        user,
      });
    askLater(visit, pauseSeconds);
    await showSignIn(visit, provider, interaction, {
      status: 429,
      problem: pauseMessage(pauseSeconds),
      user,
    });
  };

  const recordFailure = (visit: Visit, how: string, error: string) =>
    record({ operation: "signIn.login", address: visit.address, input: { how }, error });

  const passkeyOptions: Step = async (visit, provider, [uid = ""]) => {
    await interactionOf(visit, provider, uid);
    sendJson(visit, 200, await passkeys.request(uid));
  };
  const passkeyVerify: Step = async (visit, provider, [uid = ""]) => {
    await interactionOf(visit, provider, uid);
    const { page: secret, ...passkeyAnswer } = await readJson(visit);
    const person = await passkeys.signedIn(uid, passkeyAnswer);
    if (person !== null) {
      const next = await finishLogin(visit, provider, uid, person, signInMarks("hwk", secret));
      return sendJson(visit, 200, { next });
    }
    await recordFailure(visit, "hwk", "access_denied");
    sendJson(visit, 401, {
      error: "access_denied",
      error_description: "This passkey is not known here.",
    });
  };

  /** The browser is signed in, and its page shows that it is the one that did it. */
  const proof: Step = async (visit, library, [uid = ""]) => {
    const interaction = await interactionOf(visit, library, uid);
    const session = await currentSession(visit, library);
    const person = await personOf(rows, session);
    const isProven =
      person !== null &&
      interaction.session?.uid === session.uid &&
      isProvable(interaction) &&
      isPageOf(session, visit.request.headers[pageHeader]);
    if (!isProven) return sendJson(visit, 401, { error: "access_denied" });
    const { acr, amr, loginTs } = session;
    const login = { accountId: person.user, acr, amr, ts: loginTs };
    const result = { ...interaction.lastSubmission, login } as NonNullable<Interaction["result"]>;
    sendJson(visit, 200, { next: await finish(interaction, result) });
  };

  const provider: Step = async (visit, library, [uid = ""]) => {
    await interactionOf(visit, library, uid);
    if (upstream === null) throw new BadVisit(404, "People sign in here without a provider.");
    const { url, kept: pendingSignIn } = await upstream
      .begin(callback)
      .catch(async (thrown: Error) => {
        await recordFailure(visit, "fed", thrown.message);
        throw new BadVisit(
          503,
          `${upstream.name} cannot be reached to sign you in. Try again in a moment.`,
        );
      });
    await rows.put(
      upstreamKind,
      String(pendingSignIn.state),
      { ...pendingSignIn, forUid: uid },
      { seconds: upstreamSeconds },
    );
    redirect(visit, url);
  };
  /** The cookie of a sign-in goes to its own page only, so the way back leads there first. */
  const upstreamCallback: Step = async (visit) => {
    const { search, searchParams } = new URL(visit.request.url ?? "", origin);
    const upstreamRow = await rows.get<{ forUid: string }>(
      upstreamKind,
      searchParams.get("state") ?? "",
    );
    if (upstreamRow === null)
      throw new BadVisit(400, "This sign-in is over. Go back to the client and begin again.");
    redirect(visit, `/sign-in/${upstreamRow.value.forUid}/back${search}`);
  };
  const upstreamReturnPage: Step = async (visit, library, [uid = ""]) => {
    await interactionOf(visit, library, uid);
    const { search } = new URL(visit.request.url ?? "", origin);
    sendPage(visit, backPage(uid, search), 200, true);
  };
  const upstreamReturn: Step = async (visit, library, [uid = ""]) => {
    const interaction = await interactionOf(visit, library, uid);
    const form = await readForm(visit);
    const searchParams = new URLSearchParams(form.get("answer") ?? "");
    const state = searchParams.get("state") ?? "";
    const upstreamRow = await rows.get<{ forUid: string }>(upstreamKind, state);
    const isFirst = await rows.remove(upstreamKind, state);
    if (upstream === null || upstreamRow === null || !isFirst || upstreamRow.value.forUid !== uid)
      throw new BadVisit(400, "This sign-in is over. Go back to the client and begin again.");
    try {
      const rights = await upstream.finish(searchParams, upstreamRow.value, callback);
      const marks = signInMarks("fed", form.get("page"));
      redirect(
        visit,
        await finishLogin(visit, library, uid, await rememberPerson(ports, rights), marks),
      );
    } catch (thrown) {
      const { message } = thrown as Error;
      await recordFailure(visit, "fed", message);
      await showSignIn(visit, library, interaction, { status: 401, problem: message });
    }
  };

  const consent: Step = async (visit, library, [uid = ""]) =>
    consents.allow(visit, await consentRequestOf(visit, library, uid));

  const cancel: Step = async (visit, library, [uid = ""]) => {
    const { cookies } = library.createContext(visit.request, visit.response);
    const isOwn = cookies.get(library.cookieName("interaction"), { signed: true }) === uid;
    // Also where the session is over: a no is always taken back to the client.
    const interaction = isOwn ? await library.Interaction.find(uid) : undefined;
    if (interaction === undefined) throw new BadVisit(400, signInOver);
    const result = { error: "access_denied", error_description: "The person has not allowed it." };
    redirect(visit, await finish(interaction, result));
  };

  /** By method and path; `*` is a part that the step gets. */
  const steps: readonly [string, Step][] = [
    ...invitationSteps(ports, passkeys),
    ...accessSteps(ports, desk),
    ["GET callback", upstreamCallback],
    ["GET *", page],
    ["POST */password", password],
    ["POST */passkey/options", passkeyOptions],
    ["POST */passkey/verify", passkeyVerify],
    ["GET */provider", provider],
    ["GET */back", upstreamReturnPage],
    ["POST */back", upstreamReturn],
    ["POST */proof", proof],
    ["POST */consent", consent],
    ["POST */cancel", cancel],
  ];

  return async (visit: Visit, library: Provider): Promise<void> => {
    const { method = "", url = "" } = visit.request;
    const path =
      url
        .split("?", 1)[0]
        ?.replace(/^\/sign-in\/?/, "")
        .split("/") ?? [];
    for (const [pattern, step] of steps) {
      const [verb, shape = ""] = pattern.split(" ");
      const parts = shape.split("/");
      if (verb !== method || parts.length !== path.length) continue;
      if (!parts.every((part, index) => part === "*" || part === path[index])) continue;
      if (method === "POST") requireOwnPage(visit, origin);
      return step(
        visit,
        library,
        path.filter((_, index) => parts[index] === "*"),
      );
    }
    throw new BadVisit(404, "There is no such page.");
  };
}
