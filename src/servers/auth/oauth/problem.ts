/** What an authorization server said or lacks, in words that hold no secret. */
export class OAuthProblem extends Error {
  override readonly name = "OAuthProblem";
  /** The error code of RFC 6749, where there is one. */
  readonly oauthCode: string | null;
  /** Is it for the configuration to change? */
  readonly configuration: boolean;

  constructor(message: string, options: { code?: string | null; configuration?: boolean } = {}) {
    super(message);
    this.oauthCode = options.code ?? null;
    this.configuration = options.configuration ?? false;
  }
}

/** Codes come from strangers, through browsers too, and end in messages; what is no code is not repeated. */
export function errorCode(value: unknown): string {
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : "an unknown error";
}
