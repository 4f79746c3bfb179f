import type { Trouble } from "./check.ts";

export type Step = "lookup" | "connect" | "encrypt";

/** Only host and port are named: path, query and credentials of a URL may be secret. */
export function unreachable(step: Step, code: string, url: URL, thrown: unknown, limitMs: number): Trouble {
  if (step === "lookup") return unknownHost(code, url);
  return step === "connect" ? closedPort(code, url, thrown, limitMs) : brokenTls(code, url, thrown, limitMs);
}

function unknownHost(code: string, { hostname }: URL): Trouble {
  const detail =
    code === "ENOTFOUND"
      ? `There is no host '${hostname}'.`
      : `The host name '${hostname}' could not be looked up (${code || "no answer"}).`;
  return {
    detail,
    fix: "Correct the host name in 'url', or connect this machine to a network that knows it.",
  };
}

function closedPort(code: string, { host }: URL, thrown: unknown, limitMs: number): Trouble {
  if (code === "ECONNREFUSED") {
    return { detail: `Nothing listens at ${host}.`, fix: "Start the server, or correct the port in 'url'." };
  }
  const why =
    code === "LIMIT" ? `did not answer within ${limitMs / 1000} s` : `cannot be reached: ${text(thrown)}`;
  return {
    detail: `${host} ${why}.`,
    fix: `Let this machine reach ${host} through its network and firewall.`,
  };
}

const expired = "CERT_HAS_EXPIRED";
const otherName = "ERR_TLS_CERT_ALTNAME_INVALID";
const unknownIssuer = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
];

function brokenTls(code: string, { host }: URL, thrown: unknown, limitMs: number): Trouble {
  if (unknownIssuer.includes(code)) {
    const fix =
      "Start toolplane with NODE_EXTRA_CA_CERTS=FILE, where FILE holds the certificate of its issuer.";
    return { detail: `The certificate of ${host} is signed by nobody this machine trusts.`, fix };
  }
  if (code === expired) {
    return { detail: `The certificate of ${host} has expired.`, fix: `Renew the certificate of ${host}.` };
  }
  if (code === otherName) {
    const fix = "Change the host in 'url' to a name that the certificate is made for.";
    return { detail: `The certificate of ${host} is made for another name.`, fix };
  }
  const why = code === "LIMIT" ? `no answer within ${limitMs / 1000} s` : reasonOf(code, thrown);
  const fix = "Change the beginning of 'url' to http:// if the port is a plain one, or correct the port.";
  return { detail: `${host} accepts connections but does not speak TLS (${why}).`, fix };
}

function reasonOf(code: string, thrown: unknown): string {
  if (code.startsWith("ERR_SSL_")) return code.slice("ERR_SSL_".length).replaceAll("_", " ").toLowerCase();
  return text(thrown);
}

function text(thrown: unknown): string {
  const { code, message } = thrown as { code?: string; message?: string };
  return code ?? message ?? "unknown";
}
