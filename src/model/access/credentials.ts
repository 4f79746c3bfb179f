import type { ApiKey } from "./credentials-schema.ts";

/** `user` defaults to the creator; without scopes it may list and call. */
export type NewApiKey = { name: string } & Partial<
  Pick<
    ApiKey,
    | "user"
    | "groups"
    | "persona"
    | "scopes"
    | "workspace"
    | "compliance"
    | "toolGroups"
    | "expiresAt"
  >
>;

export type CreatedApiKey = { key: ApiKey; secret: string };

export type TokenGiven = { token: string; expiresAt?: string; scopes?: string[] };
