import { eitherSignal } from "@toolplane/core/lib/async/signals";
import { createEgress, type Gate, type StrictGate } from "@toolplane/core/lib/net/egress";
import { type Agents, createAgents, type Exchanged } from "@toolplane/core/lib/net/exchange";
import {
  busyStatuses,
  RequestFailed,
  retryAfterMs,
  sendRequest,
} from "@toolplane/core/lib/net/send-request";
import { cutText } from "@toolplane/core/lib/text/cut-text";
import { createHider } from "@toolplane/core/lib/text/redact";
import { version } from "@toolplane/core/lib/version";
import { keyInMeta } from "@toolplane/core/model/calls/idempotency-key";
import { readTraceContext } from "@toolplane/core/model/calls/provider";
import type { ToolResult } from "@toolplane/core/model/calls/result";
import { type JsonObject, objectOrEmpty, type UnknownObject } from "@toolplane/core/model/json";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import {
  type Channel,
  type ChannelHandlers,
  RpcError,
  type SendOptions,
  TransportError,
} from "@toolplane/core/protocol/message";
import { legacyVersions, modernVersion } from "@toolplane/core/protocol/session";
import type { RequestCredentials } from "@toolplane/core/servers";
import { tokenIn } from "@toolplane/core/servers";
import { type Api, describedBy, loadApi, operationUrl, refuseStrangeOrigin } from "./api.ts";
import type { ApiOperation } from "./operations.ts";
import { type ApiRequest, buildRequest } from "./request.ts";
import { readResult } from "./results.ts";
import { proofFor } from "./security.ts";
import { InvalidArgument } from "./styles.ts";

type State = {
  definition: ServerDefinition;
  access: RequestCredentials;
  agents: Agents;
  closing: AbortController;
  loaded: { api: Api; mark: string } | null;
  loading: Promise<Api> | null;
  /** By the rules for what the document names; its host is looked up once. */
  namedGate: Promise<StrictGate> | null;
  /** Was it read for the handshake, so that the listing after it need not look again? */
  isNew: boolean;
};

type CallOptions = { signal: AbortSignal } & Pick<SendOptions, "mayRepeat" | "onWrite">;

const publicEgress = createEgress({ allow: () => [] });

/** An API that an OpenAPI document describes, as a server of MCP within this process. */
export function openApi(
  definition: ServerDefinition,
  handlers: ChannelHandlers,
  access: RequestCredentials,
): Channel {
  const closing = new AbortController();
  const state: State = {
    definition,
    access,
    agents: createAgents(),
    closing,
    loaded: null,
    loading: null,
    namedGate: null,
    isNew: false,
  };
  return {
    pid: null,
    cancelsByClosing: true,
    tellsOfWrites: true,
    useProtocolVersion() {},
    async send(message, { signal, mayRepeat, onWrite } = {}) {
      if (closing.signal.aborted)
        throw new TransportError("the connection was closed", { sent: false });
      if (!("method" in message) || !("id" in message)) return;
      const { id, method, params = {} } = message;
      const options = {
        signal: eitherSignal(signal, closing.signal),
        mayRepeat,
        onWrite,
      };
      try {
        const result = await answerRequest(state, method, params, options);
        handlers.onMessage({ jsonrpc: "2.0", id, result }, id);
      } catch (thrown) {
        if (!(thrown instanceof RpcError)) throw thrown;
        handlers.onMessage(
          { jsonrpc: "2.0", id, error: { code: thrown.code, message: thrown.message } },
          id,
        );
      }
    },
    async close() {
      closing.abort();
      for (const agent of Object.values(state.agents)) agent.destroy();
    },
  };
}

async function answerRequest(
  state: State,
  method: string,
  params: UnknownObject,
  callOptions: CallOptions,
): Promise<UnknownObject> {
  if (method === "ping") return {};
  if (method === "server/discover" || method === "initialize") {
    const { title, version: apiVersion } = await currentApi(state);
    const serverInfo = { name: title, version: apiVersion };
    const capabilities = { tools: {} };
    if (method === "initialize")
      return { protocolVersion: legacyVersions[0], capabilities, serverInfo };
    const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
    return { supportedVersions: [modernVersion], capabilities, _meta };
  }
  if (method === "tools/list") return { tools: (await latestApi(state)).tools };
  if (method === "tools/call") return callOperation(state, params, callOptions);
  throw new RpcError(-32601, `Method not found: ${method}`);
}

/** A document of a project is read again when it changes, and asked about again too. */
async function loadTrustedApi({ access, definition, closing: ended, loaded }: State) {
  await access.requireDocument?.(definition.openapi ?? "");
  return loadApi(definition, ended.signal, loaded?.mark);
}

async function currentApi(state: State): Promise<Api> {
  if (state.loaded) return state.loaded.api;
  const api = await loadApiOnce(state);
  state.isNew = true;
  return api;
}

/** Reads the document again where it may have changed. */
function latestApi(state: State): Promise<Api> {
  const isNew = state.isNew;
  state.isNew = false;
  return isNew ? currentApi(state) : loadApiOnce(state);
}

/** Once for all that wait for it. */
function loadApiOnce(state: State): Promise<Api> {
  state.loading ??= loadTrustedApi(state)
    .then((changedApi) => {
      state.loaded = changedApi ?? state.loaded;
      return (state.loaded as NonNullable<State["loaded"]>).api;
    })
    .finally(() => {
      state.loading = null;
    });
  return state.loading;
}

async function callOperation(
  state: State,
  params: UnknownObject,
  callOptions: CallOptions,
): Promise<ToolResult> {
  const api = await currentApi(state);
  const operation = api.operations.get(String(params.name));
  if (operation === undefined) throw new RpcError(-32602, `Unknown tool: ${params.name}`);
  const args = objectOrEmpty(params.arguments) as JsonObject;
  const address = await operationUrl(api, operation, state.definition, (owner) =>
    namedBy(state, owner),
  );
  refuseStrangeOrigin(api, address, state.definition);
  const meta = objectOrEmpty(params._meta);
  const trace = readTraceContext(meta);
  try {
    const sendOnce = async (): Promise<Exchange> => {
      const { request, hide } = await prepareRequest(state, api, operation, args, address.url);
      Object.assign(request.headers, trace, idempotencyHeader(request, meta));
      return { request, hide, response: await send(state, request, address.gate, callOptions) };
    };
    let exchange = await sendOnce();
    if (await mayAskAgain(state, api, exchange.response, callOptions.mayRepeat))
      exchange = await sendOnce();
    const { request, response, hide } = exchange;
    refuseFailure(exchange);
    const result = readResult(operation, request.url, response, hide);
    if (response.status === 401) return withHint(result, state.definition, api);
    return result;
  } catch (thrown) {
    if (!(thrown instanceof InvalidArgument)) throw thrown;
    return {
      content: [{ type: "text", text: `${thrown.message} Nothing was sent.` }],
      isError: true,
    };
  }
}

/** Where the document or the configuration has no such header, and the method may change something. */
function idempotencyHeader(
  { method, headers }: ApiRequest,
  meta: UnknownObject,
): Record<string, string> {
  const key = meta[keyInMeta];
  const headerNames = Object.keys(headers).map((name) => name.toLowerCase());
  const takesNoKey = ["GET", "HEAD"].includes(method) || headerNames.includes("idempotency-key");
  if (typeof key !== "string" || takesNoKey) return {};
  return { "idempotency-key": key };
}

/** The most common mistake of a first use. */
function withHint(
  result: ToolResult,
  { auth, headers }: ServerDefinition,
  { schemes }: Api,
): ToolResult {
  if (auth !== undefined || Object.keys(headers).length > 0) return result;
  const names = [...schemes.keys()].slice(0, 10).join(", ");
  const knownSchemes = schemes.size === 0 ? "" : ` Its document knows: ${names}.`;
  const text = `No credentials are configured for this API: its entry has no 'auth'.${knownSchemes}`;
  return { ...result, content: [...result.content, { type: "text", text }] };
}

function credentialTarget(state: State, api: Api) {
  return describedBy(api, state.definition, (owner) => namedBy(state, owner));
}

function namedBy(state: State, owner: string): Promise<StrictGate> {
  state.namedGate ??= (state.access.namedBy ?? publicEgress.namedBy)(owner);
  return state.namedGate;
}

type Exchange = { request: ApiRequest; response: Exchanged; hide(text: string): string };

async function prepareRequest(
  state: State,
  api: Api,
  operation: ApiOperation,
  args: JsonObject,
  base: URL,
) {
  const { definition, access } = state;
  const takesCredentials = definition.auth !== undefined || api.schemes.size > 0;
  const identity =
    takesCredentials && access.authorize
      ? await access.authorize(await credentialTarget(state, api))
      : {};
  const token = tokenIn(definition.auth, identity);
  const proof = proofFor(operation.security, {
    auth: definition.auth,
    token,
    schemes: api.schemes,
  });
  const request = buildRequest(operation, args, base, proof);
  const configuredHeaders = Object.entries(definition.headers).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  request.headers = {
    accept: "application/json, text/*;q=0.9, */*;q=0.5",
    "user-agent": `toolplane/${version}`,
    ...request.headers,
    ...Object.fromEntries(configuredHeaders),
  };
  const secrets = [
    token ?? undefined,
    ...Object.values(definition.auth?.schemes ?? {}),
    ...configuredHeaders.map(([, value]) => value),
  ];
  // Most answers hide nothing.
  return { request, hide: (text: string) => createHider(secrets)(text) };
}

async function send(
  { agents, definition }: State,
  request: ApiRequest,
  gate: Gate,
  callOptions: CallOptions,
) {
  const { maxMessageBytes: maxBytes } = definition;
  try {
    const options = { ...callOptions, gate, agents, maxBytes, addressKey: "baseUrl" };
    return await sendRequest(request, options);
  } catch (thrown) {
    if (!(thrown instanceof RequestFailed)) throw thrown;
    const { message, kind, sent, permanent, cause } = thrown;
    const limitHint = kind === "tooLarge" ? ` ('maxMessageBytes' is ${maxBytes})` : "";
    const isLost = permanent || kind === "tooLarge";
    const failure = { sent, answered: kind !== "connection", permanent: isLost, cause };
    throw new TransportError(`${message}${limitHint}`, failure);
  }
}

/** Only what can sign in again; what may change something only after a challenge. */
async function mayAskAgain(
  state: State,
  api: Api,
  { status, headers }: Exchanged,
  mayRepeat = false,
): Promise<boolean> {
  const { access, definition } = state;
  if (status !== 401 || definition.auth === undefined || !access.onRefused) return false;
  const wwwAuthenticate = headers["www-authenticate"] ?? null;
  const hasNewCredentials = await access.onRefused(
    { status, wwwAuthenticate },
    await credentialTarget(state, api),
  );
  return hasNewCredentials && (mayRepeat || wwwAuthenticate !== null);
}

const unavailableStatuses: readonly number[] = [502, 503, 504, ...busyStatuses];
const maxMessageLength = 500;

/** What says nothing about the call: the API is gone or busy, so it counts against its health and may be retried. */
function refuseFailure({ response, hide }: Exchange): void {
  const { status, headers, body } = response;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  if (!unavailableStatuses.includes(status) && !isRedirect) return;
  const start = new TextDecoder().decode(body.subarray(0, 4 * maxMessageLength));
  const message = cutText(hide(start), maxMessageLength).trim();
  throw new TransportError(`it answered HTTP ${status}${message === "" ? "" : `: ${message}`}`, {
    sent: true,
    status,
    retryAfterMs: retryAfterMs(headers["retry-after"]),
  });
}
