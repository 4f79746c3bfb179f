/** The secret, or what is in its way. Neither part of the reason may hold what was read. */
export type SecretAnswer = { secret: string } | { why: string; remedy: string };
