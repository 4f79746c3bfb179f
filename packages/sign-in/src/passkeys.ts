import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { SignInRows } from "@toolplane/core/model/access/sign-in";
import { changePerson, type Passkey, type Person, personByHandle } from "./people.ts";

const challengeKind = "Challenge";
const challengeSeconds = 300;
const maxPasskeys = 20;

type PasskeyPorts = { rows: SignInRows; origin: string };

export type Passkeys = ReturnType<typeof createPasskeys>;

/** `ceremony` is what the browser is in the middle of: a sign-in or an invitation. A challenge is good for one try. */
export function createPasskeys({ rows, origin }: PasskeyPorts) {
  const rpID = new URL(origin).hostname;
  const remember = (ceremony: string, challenge: string) =>
    rows.put(challengeKind, ceremony, { challenge }, { seconds: challengeSeconds });
  const take = async (ceremony: string): Promise<string> => {
    const challengeRow = await rows.get<{ challenge: string }>(challengeKind, ceremony);
    const isFirst = challengeRow !== null && (await rows.remove(challengeKind, ceremony));
    return isFirst ? challengeRow.value.challenge : "";
  };

  return {
    async creation(ceremony: string, person: Person): Promise<object> {
      const options = await generateRegistrationOptions({
        rpName: "Toolplane",
        rpID,
        userName: person.user,
        userID: Buffer.from(person.handle, "base64url"),
        attestationType: "none",
        excludeCredentials: person.passkeys.map(({ id }) => ({ id })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      await remember(ceremony, options.challenge);
      return options;
    },
    /** Null where the browser's answer does not count. */
    async created(ceremony: string, person: Person, response: never): Promise<Person | null> {
      const expectedChallenge = await take(ceremony);
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
    async request(ceremony: string): Promise<object> {
      // It names no passkey: that would tell who is known here.
      const options = await generateAuthenticationOptions({ rpID, userVerification: "required" });
      await remember(ceremony, options.challenge);
      return options;
    },
    async signedIn(
      ceremony: string,
      response: { id?: unknown; response?: { userHandle?: unknown } },
    ): Promise<Person | null> {
      const expectedChallenge = await take(ceremony);
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
      const usedPasskey = { ...passkey, counter: checked.authenticationInfo.newCounter };
      return changePerson(rows, person.user, (now) => {
        if (now?.handle !== handle) return null;
        if (!now.passkeys.some((stored) => stored.id === id)) return null;
        const passkeys = now.passkeys.map((stored) => (stored.id === id ? usedPasskey : stored));
        return { ...now, passkeys };
      });
    },
  };
}
