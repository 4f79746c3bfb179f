import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { resolve } from "node:path";

/**
 * Secrets of a HashiCorp Vault or an OpenBao server: `${vault:kv/app/database#password}` is the field `password` of
 * `app/database` in the key-value engine (version 2) that is mounted at `kv`.
 * @typedef {{ address: string, namespace?: string, caFile?: string, token?: string, timeoutMs?: number,
 *   appRole?: { roleId: string, secretId: string, mount?: string }, mounts?: string[], cacheSeconds?: number }} Settings
 * @typedef {Record<string, unknown>} Data
 * @typedef {{ data: Promise<Data>, timer?: NodeJS.Timeout }} Kept
 */

const maxAnswerBytes = 1024 * 1024;
const maxKept = 1_000;

const text = { type: "string", minLength: 1 };
/** @type {import("toolplane").Extension["settings"]} */
const settingsSchema = {
  type: "object",
  properties: {
    address: { ...text, description: "Such as https://vault.example.com:8200." },
    namespace: text,
    caFile: { ...text, description: "The certificate that signed the server's own, as PEM." },
    token: text,
    appRole: {
      type: "object",
      properties: { roleId: text, secretId: text, mount: { ...text, default: "approle" } },
      required: ["roleId", "secretId"],
      additionalProperties: false,
    },
    mounts: {
      type: "array",
      items: text,
      description: "Engines whose mount has a slash, such as team/kv.",
    },
    timeoutMs: { type: "integer", minimum: 1, default: 5_000 },
    cacheSeconds: { type: "number", minimum: 0, default: 60 },
  },
  required: ["address"],
  additionalProperties: false,
};

/** @type {import("toolplane").Extension} */
export default {
  name: "vault",
  about: "Secrets of a HashiCorp Vault or an OpenBao server.",
  settings: settingsSchema,
  secrets: ["vault"],
  setup({ settings, directory, addSecrets, addOperation, addPanel }) {
    let client = createClient(settings, directory);
    addSecrets("vault", (name) => client.read(name));
    addOperation({
      name: "vault.health",
      summary: "Whether the Vault server can be used",
      scope: "read",
      run: () => client.health(),
    });
    addOperation({
      name: "vault.forget",
      summary: "Read every secret again when it is used next",
      scope: "admin",
      changes: true,
      run: () => ({ forgotten: client.forget() }),
    });
    addPanel({
      title: "Vault",
      facts: async () => [
        { label: "State", value: (await client.health()).state },
        { label: "Secrets in memory", value: client.kept(), about: "Each for a short time." },
      ],
    });
    return {
      reload(next) {
        const before = client;
        client = createClient(next, directory);
        before.forget();
      },
      stop: () => void client.forget(),
    };
  },
};

/** @param {import("toolplane").ExtensionSetup["settings"]} given @param {string} directory */
function createClient(given, directory) {
  const settings = /** @type {Settings} */ (/** @type {unknown} */ (given));
  const {
    namespace,
    caFile,
    token,
    appRole,
    mounts = [],
    timeoutMs = 5_000,
    cacheSeconds = 60,
  } = settings;
  const address = checkedAddress(settings.address);
  if ((token === undefined) === (appRole === undefined))
    throw new Error("set either 'token' or 'appRole'");
  const ca = caFile === undefined ? undefined : readFileSync(resolve(directory, caFile));

  /** @type {Map<string, Kept>} */
  const kept = new Map();
  /** @type {{ token: Promise<string>, until: number } | undefined} */
  let login;

  /** @param {string} path @param {{ body?: object, token?: string }} options */
  async function ask(path, { body, token: asked }) {
    const { request } = address.protocol === "https:" ? https : http;
    const headers = {
      ...(asked !== undefined && { "x-vault-token": asked }),
      ...(namespace !== undefined && { "x-vault-namespace": namespace }),
      ...(body !== undefined && { "content-type": "application/json" }),
      "x-vault-request": "true",
    };
    const limit = AbortSignal.timeout(timeoutMs);
    /** @type {{ status: number, body: string }} */
    const answer = await new Promise((done, fail) => {
      const failed = (/** @type {NodeJS.ErrnoException} */ error) =>
        fail(
          new Error(
            `${address.host} cannot be reached: ${limit.aborted ? "no answer in time" : error.code}`,
          ),
        );
      const sent = request(
        // As written: an address would be resolved, with its dots.
        {
          ...addressOf(address),
          path: `/v1/${path}`,
          method: body ? "POST" : "GET",
          headers,
          signal: limit,
          ca,
        },
        (response) => {
          let all = "";
          response.setEncoding("utf8").on("data", (part) => {
            all += part;
            if (all.length > maxAnswerBytes)
              response.destroy(Object.assign(new Error(), { code: "too long an answer" }));
          });
          response
            .on("error", failed)
            .on("end", () => done({ status: response.statusCode ?? 0, body: all }));
        },
      );
      sent.on("error", failed).end(body && JSON.stringify(body));
    });
    return { status: answer.status, data: parsed(answer.body) };
  }

  /** @returns {Promise<string>} */
  async function ownToken() {
    if (token !== undefined) return token;
    if (login !== undefined && Date.now() < login.until) return login.token;
    const {
      roleId,
      secretId,
      mount = "approle",
    } = /** @type {NonNullable<typeof appRole>} */ (appRole);
    /** @type {NonNullable<typeof login>} */
    const current = {
      until: Number.POSITIVE_INFINITY,
      token: ask(`auth/${encoded(mount)}/login`, {
        body: { role_id: roleId, secret_id: secretId },
      }).then(({ status, data }) => {
        if (status === 400 || status === 403)
          throw new Error("the role was not accepted. Check 'appRole'");
        const { client_token: given, lease_duration: seconds } = fieldsOf(data.auth);
        if (status !== 200 || typeof given !== "string")
          throw new Error(explain(status, "the login"));
        // Renewed before it ends, so that no read meets its end. A lease of 0 has none.
        if (Number(seconds) > 0) current.until = Date.now() + Number(seconds) * 900;
        return given;
      }),
    };
    login = current;
    current.token.catch(() => {
      if (login === current) login = undefined;
    });
    return current.token;
  }

  /** @param {string} mount @param {string} path @returns {Promise<Data>} */
  async function fetched(mount, path, mayRepeat = appRole !== undefined) {
    const place = `${encoded(mount)}/data/${encoded(path)}`;
    const used = await ownToken();
    const { status, data } = await ask(place, { token: used });
    if (status === 403 && mayRepeat) {
      // The token may have been revoked; a new one is asked for once.
      if ((await login?.token) === used) login = undefined;
      return fetched(mount, path, false);
    }
    const { data: fields, metadata } = fieldsOf(data.data);
    if (status === 404 && fieldsOf(metadata).deletion_time)
      throw new Error(`the newest version of '${path}' is deleted`);
    if (status !== 200) throw new Error(explain(status, `'${path}' in '${mount}'`));
    if (typeof fields !== "object" || fields === null)
      throw new Error(`'${mount}' is no key-value engine of version 2, or '${path}' is empty`);
    return /** @type {Data} */ (fields);
  }

  /** @param {string} key */
  function drop(key) {
    clearTimeout(kept.get(key)?.timer);
    kept.delete(key);
  }

  return {
    /** @param {string} name */
    async read(name) {
      const { mount, path, field } = splitName(name, mounts);
      const key = JSON.stringify([mount, path]);
      let entry = kept.get(key);
      if (entry === undefined) {
        /** @type {Kept} */
        const added = { data: fetched(mount, path) };
        entry = added;
        kept.set(key, added);
        // Those who wait share one request; what it gave is forgotten in time.
        const later = () => {
          if (kept.get(key) !== added) return;
          if (cacheSeconds === 0) drop(key);
          else added.timer = setTimeout(() => drop(key), cacheSeconds * 1_000).unref();
        };
        added.data.then(later, () => kept.get(key) === added && drop(key));
        if (kept.size > maxKept) drop(/** @type {string} */ (kept.keys().next().value));
      }
      const data = await entry.data;
      const value = Object.hasOwn(data, field) ? data[field] : undefined;
      // The fields that there are could be secrets too; how many there are is not.
      if (value === undefined)
        throw new Error(`'${path}' has no field '${field}'; it has ${Object.keys(data).length}`);
      if (typeof value !== "string")
        throw new Error(`the field '${field}' of '${path}' is no text`);
      return value;
    },
    async health() {
      const { status } = await ask("sys/health", {});
      return { address: address.origin, status, state: states[status] ?? "unknown" };
    },
    forget() {
      const { size } = kept;
      for (const key of [...kept.keys()]) drop(key);
      login = undefined;
      return size;
    },
    kept: () => kept.size,
  };
}

/** @type {Record<number, string>} */
const states = {
  200: "active",
  429: "standby",
  472: "recovery",
  473: "standby",
  501: "not initialized",
  503: "sealed",
};

/** In our words: those of the server might hold what was asked for. @param {number} status @param {string} what */
function explain(status, what) {
  if (status === 403)
    return `the token may not read ${what}. Give its policy the capability 'read'`;
  if (status === 404) return `there is no ${what}`;
  if (status === 503) return "the vault is sealed, or in maintenance. Unseal it";
  if (status === 501) return "the vault is not initialized";
  if (status === 429) return "the vault takes no more requests for now";
  if (status >= 300 && status < 400)
    return "the server sends us elsewhere. Name the active one in 'address'";
  return `the vault answered ${what} with status ${status}`;
}

/** `kv/app/database#password`. @param {string} name @param {string[]} mounts */
function splitName(name, mounts) {
  const hash = name.lastIndexOf("#");
  const place = name.slice(0, Math.max(hash, 0));
  const mount = mounts.find((one) => place.startsWith(`${one}/`)) ?? place.split("/", 1)[0] ?? "";
  const path = place.slice(mount.length + 1);
  const field = name.slice(hash + 1);
  const isPlain = [...mount.split("/"), ...path.split("/")].every(
    (part) => part !== "" && !/^\.\.?$/.test(part),
  );
  if (mount === "" || path === "" || field === "" || !isPlain)
    throw new Error("it must be written as ${vault:mount/path#field}");
  return { mount, path, field };
}

/** @param {string} path */
const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");

/** @param {unknown} value @returns {Data} */
const fieldsOf = (value) =>
  typeof value === "object" && value !== null ? /** @type {Data} */ (value) : {};

/** @param {string} body */
function parsed(body) {
  try {
    return fieldsOf(JSON.parse(body));
  } catch {
    return {};
  }
}

/** A token in clear text is for this machine alone. @param {string} written */
function checkedAddress(written) {
  const address = URL.canParse(written) ? new URL(written) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw new Error("'address' must be a URL");
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(address.hostname);
  if (address.protocol === "http:" && !isHere)
    throw new Error("'address' must begin with https://");
  return address;
}

/** @param {URL} address */
const addressOf = ({ protocol, hostname, port }) => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ""),
  ...(port !== "" && { port }),
});
