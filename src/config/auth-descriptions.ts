const scopes =
  "read, call, admin, *, server:NAME or toolset:NAME, others are ignored; by default 'scope', and call if that names none of them.";

/** The keys that say where a token names its bearer. */
const claimKeys = (section: string, ofScopes = scopes) =>
  Object.fromEntries(
    Object.entries({
      user: "The user; a token without it is refused.",
      groups: "A list of strings, or one string.",
      persona: "A string.",
      scopes: ofScopes,
      workspace: "A string.",
      compliance: "A string.",
      tool_groups: "A list of strings, or one space-separated string.",
    }).map(([key, text]) => [`${section}.claims.${key}`, text]),
  );

/** What the keys of `auth` mean. */
export const authKeys: Readonly<Record<string, string>> = {
  auth: "Authentication of callers.",
  "auth.jwt": "Tokens of an identity provider.",
  "auth.jwt.issuer": "Required issuer, exact match.",
  "auth.jwt.audience": "Required audience, exact match.",
  "auth.jwt.jwksUri": "URL of the keys; by default from the issuer's metadata.",
  "auth.jwt.claims": "Claim names; dots for nested objects.",
  "auth.issuer":
    "An identity provider that clients sign in at themselves. Its tokens must name the plane's own address as audience.",
  "auth.claims": "Where its tokens say who the caller is; as 'auth.jwt.claims'.",
  "auth.scopes": "The scopes that a 401 names, for clients to ask for; empty for none.",
  "auth.publicUrl":
    "The address that clients use, such as https://tools.example.org; without a path.",
  "auth.server":
    "Starts an authorization server in the plane, for clients that the identity provider does not know.",
  "auth.server.enabled": "Always true; for a configuration that sets nothing else here.",
  "auth.server.registration": "Whether clients may register themselves (RFC 7591).",
  "auth.server.clientDocuments":
    "Whether the id of a client may be the address of its metadata document.",
  "auth.server.accessMinutes": "Minutes that an access token counts.",
  "auth.server.refreshDays": "Days that a client can go on without its person.",
  "auth.server.sessionHours": "Hours that a browser stays signed in.",
  "auth.server.clients":
    "Clients that you know, by id: programs that sign in as themselves, and clients with a fixed id.",
  "auth.server.clients.name": "The name that people read.",
  "auth.server.clients.secret": "Its secret, best as a reference such as ${SECRET}.",
  "auth.server.clients.keys": "Its public keys (JWK), where it proves itself with private_key_jwt.",
  "auth.server.clients.jwksUri": "The address of its public keys.",
  "auth.server.clients.redirectUris":
    "Where people may be sent back to; needed only where people sign in with it.",
  "auth.server.clients.scopes":
    "What it may do as itself; empty for a client that only people sign in with.",
  "auth.server.clients.groups": "The groups that it is in as itself.",
  "auth.server.assertionIssuers":
    "Identity providers whose assertions (ID-JAG) known clients may bring for a person.",
  "auth.signIn": "The identity provider that people sign in at.",
  "auth.signIn.issuer": "The provider's issuer; its metadata is found there.",
  "auth.signIn.clientId": "The plane as a client of the provider.",
  "auth.signIn.clientSecret": "Its secret, best as a reference such as ${SECRET}.",
  "auth.signIn.scopes": "What the provider is asked for.",
  "auth.signIn.claims":
    "Where its ID tokens say who the person is; as 'auth.jwt.claims', and the user is 'email'.",
  ...claimKeys("auth.jwt"),
  ...claimKeys("auth"),
  ...claimKeys("auth.signIn", "The most that clients get of this person; by default call."),
};
