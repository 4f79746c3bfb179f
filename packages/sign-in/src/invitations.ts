import type { SignInPorts } from "@toolplane/core/model/access/sign-in";
import { invitationPage, messagePage } from "./pages.ts";
import type { Passkeys } from "./passkeys.ts";
import {
  acceptInvitation,
  hashPassword,
  invitedPerson,
  type Person,
  passwordProblem,
} from "./people.ts";
import {
  BadVisit,
  readForm,
  readJson,
  redirect,
  type Step,
  sendJson,
  sendPage,
  type Visit,
} from "./visit.ts";

/** The pages of an invitation: its person chooses a passkey or a password. */
export function invitationSteps(
  { rows, record }: SignInPorts,
  passkeys: Passkeys,
): [string, Step][] {
  const requireInvited = async (token: string): Promise<Person> => {
    const person = await invitedPerson(rows, token);
    if (person === null)
      throw new BadVisit(404, "This invitation is used or over. Ask for a new one.");
    return person;
  };
  const accept = async (
    visit: Visit,
    token: string,
    person: Person,
    how: string,
  ): Promise<void> => {
    if (!(await acceptInvitation(rows, token, person)))
      throw new BadVisit(409, "This invitation is being used. Try again in a minute.");
    await record({
      operation: "people.accept",
      target: person.user,
      user: person.user,
      address: visit.address,
      input: { how },
    });
  };
  const invite: Step = async (visit, _library, [token = ""]) =>
    sendPage(visit, invitationPage(token, (await requireInvited(token)).user, null));
  const invitePassword: Step = async (visit, _library, [token = ""]) => {
    const person = await requireInvited(token);
    const password = (await readForm(visit)).get("password") ?? "";
    const problem = passwordProblem(password);
    if (problem !== null) return sendPage(visit, invitationPage(token, person.user, problem), 400);
    await accept(visit, token, { ...person, password: await hashPassword(password) }, "pwd");
    redirect(visit, "/sign-in/welcome");
  };
  const inviteOptions: Step = async (visit, _library, [token = ""]) =>
    sendJson(visit, 200, await passkeys.creation(token, await requireInvited(token)));
  const inviteVerify: Step = async (visit, _library, [token = ""]) => {
    const person = await requireInvited(token);
    const personWithPasskey = await passkeys.created(
      token,
      person,
      (await readJson(visit)) as never,
    );
    if (personWithPasskey === null)
      return sendJson(visit, 400, {
        error: "invalid_request",
        error_description: "The passkey could not be made. Try again.",
      });
    await accept(visit, token, personWithPasskey, "hwk");
    sendJson(visit, 200, { next: "/sign-in/welcome" });
  };
  const welcome: Step = async (visit) =>
    sendPage(
      visit,
      messagePage(
        "You can sign in now",
        "Connect a client with the address of this plane; it leads you back here to sign in.",
        "good",
      ),
    );

  return [
    ["GET invite/*", invite],
    ["POST invite/*/password", invitePassword],
    ["POST invite/*/passkey/options", inviteOptions],
    ["POST invite/*/passkey/verify", inviteVerify],
    ["GET welcome", welcome],
  ];
}
