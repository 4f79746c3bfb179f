import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { SignInRows } from "../../../src/model/access/sign-in.ts";
import { changePerson, type Passkey, type Person, personByHandle } from "./people.ts";

const challengeKind = "Challenge";
const challengeSeconds = 300;
const maxPasskeys = 20;

type Place = { rows: SignInRows; origin: string };

export type Passkeys = ReturnType<typeof createPasskeys>;

/** `place` is what the browser is in the middle of: a sign-in or an invitation. A challenge is good for one try. */
export function createPasskeys({ rows, origin }: Place) {
  const rpID = new URL(origin).hostname;
  const remember = (place: string, challenge: string) =>
    rows.put(challengeKind, place, { challenge }, { seconds: challengeSeconds });
  const take = async (place: string): Promise<string> => {
    const kept = await rows.get<{ challenge: string }>(challengeKind, place);
    const isFirst = kept !== null && (await rows.remove(challengeKind, place));
    return isFirst ? kept.value.challenge : "";
  };

  return {
    async creation(place: string, person: Person): Promise<object> {
      const options = await generateRegistrationOptions({
        rpName: "Toolplane",
        rpID,
        userName: person.user,
        userID: Buffer.from(person.handle, "base64url"),
        attestationType: "none",
        excludeCredentials: person.passkeys.map(({ id }) => ({ id })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      await remember(place, options.challenge);
      return options;
    },
    /** Null where the browser's answer does not count. */
    async created(place: string, person: Person, response: never): Promise<Person | null> {
      const expectedChallenge = await take(place);
      if (expectedChallenge === "" || person.passkeys.length >= maxPasskeys) return null;
      const rules = {
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        requireUserVerification: true,
      };
      const checked = await verifyRegistrationResponse({ response, ...rules }).catch(() => null);
      if (!checked?.verified || checked.registrationInfo === undefined) return null;
      const { id, publicKey, counter, transports = [] } = checked.registrationInfo.credential;
      const passkey: Passkey = {
        id,
        publicKey: Buffer.from(publicKey).toString("base64url"),
        counter,
        transports,
      };
      return { ...person, passkeys: [...person.passkeys, passkey] };
    },
    async request(place: string): Promise<object> {
      // It names no passkey: that would tell who is known here.
      const options = await generateAuthenticationOptions({ rpID, userVerification: "required" });
      await remember(place, options.challenge);
      return options;
    },
    async signedIn(
      place: string,
      response: { id?: unknown; response?: { userHandle?: unknown } },
    ): Promise<Person | null> {
      const expectedChallenge = await take(place);
      const handle = response?.response?.userHandle;
      if (expectedChallenge === "" || typeof handle !== "string") return null;
      const person = await personByHandle(rows, handle);
      const passkey = person?.passkeys.find(({ id }) => id === response.id);
      if (!person || passkey === undefined) return null;
      const { id, publicKey, counter } = passkey;
      const checked = await verifyAuthenticationResponse({
        response: response as never,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        requireUserVerification: true,
        credential: { id, publicKey: Buffer.from(publicKey, "base64url"), counter },
      }).catch(() => null);
      if (!checked?.verified) return null;
      const used = { ...passkey, counter: checked.authenticationInfo.newCounter };
      return changePerson(rows, person.user, (now) =>
        now?.handle === handle && now.passkeys.some((one) => one.id === id)
          ? { ...now, passkeys: now.passkeys.map((one) => (one.id === id ? used : one)) }
          : null,
      );
    },
  };
}
