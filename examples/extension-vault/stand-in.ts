import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

type Version = { data: Record<string, unknown> | null; deletedAt?: string };

/** Speaks the HTTP API of Vault as it is documented: reading of KV version 2, AppRole, health, and its errors. */
export async function startVault(tls?: { key: string; cert: string }) {
  const vault = {
    secrets: new Map<string, Version>(),
    /** Tokens that may read everything below `kv/`. */
    tokens: new Set(["root"]),
    role: { role_id: "plane", secret_id: "let-me-in" },
    leaseSeconds: 0,
    isSealed: false,
    isSilent: false,
    namespace: "",
    /** Paths, in the order of the requests. */
    requests: [] as string[],
  };
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const path = (request.url ?? "").replace(/^\/v1\//, "");
    vault.requests.push(path);
    if (vault.isSilent) return;
    const { status, body } = await reply(path, request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const errors = (status: number, ...words: string[]) => ({ status, body: { errors: words } });
  async function reply(
    path: string,
    request: http.IncomingMessage,
  ): Promise<{ status: number; body: object }> {
    if (path === "sys/health")
      return {
        status: vault.isSealed ? 503 : 200,
        body: { initialized: true, sealed: vault.isSealed },
      };
    if (vault.isSealed) return errors(503, "Vault is sealed");
    if ((request.headers["x-vault-namespace"] ?? "") !== vault.namespace) return errors(404);
    if (path === "auth/approle/login" && request.method === "POST") {
      const { role_id, secret_id } = (await json(request)) as typeof vault.role;
      if (role_id !== vault.role.role_id || secret_id !== vault.role.secret_id)
        return errors(400, "invalid role or secret ID");
      const client_token = `hvs.${vault.requests.length}`;
      vault.tokens.add(client_token);
      return {
        status: 200,
        body: { auth: { client_token, lease_duration: vault.leaseSeconds, renewable: true } },
      };
    }
    if (!vault.tokens.has(String(request.headers["x-vault-token"])))
      return errors(403, "permission denied");
    const [, wanted] = /^kv\/data\/(.+)$/.exec(path) ?? [];
    if (wanted === undefined) return errors(403, "permission denied");
    const version = vault.secrets.get(decodeURIComponent(wanted));
    if (version === undefined) return errors(404);
    const metadata = { version: 1, destroyed: false, deletion_time: version.deletedAt ?? "" };
    const body = {
      lease_id: "",
      lease_duration: 0,
      renewable: false,
      data: { data: version.data, metadata },
    };
    return { status: version.data === null ? 404 : 200, body };
  }
  const server = tls ? https.createServer(tls, answer) : http.createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(vault, {
    address: `http${tls ? "s" : ""}://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}
