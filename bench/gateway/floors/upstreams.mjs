/** The servers behind a floor, as bytes: an answer is handed on as `{ raw, from, to }`, where its id begins and ends. */
import { spawn } from "node:child_process";
import { Agent, request as httpRequest } from "node:http";

export const connectAll = (servers) =>
  servers.map((spec) =>
    spec.url === undefined ? new StdioUpstream(spec) : new HttpUpstream(spec),
  );

class StdioUpstream {
  constructor({ name, command, args, env }) {
    this.name = name;
    this.next = 0;
    this.pending = new Map();
    this.parts = [];
    this.out = "";
    this.isScheduled = false;
    this.child = spawn(command, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.child.stdout.on("data", (chunk) => this.feed(chunk));
    this.child.on("exit", () => process.exit(1));
  }

  feed(chunk) {
    let at = 0;
    for (;;) {
      const end = chunk.indexOf(10, at);
      if (end < 0) break;
      this.parts.push(chunk.subarray(at, end));
      const line = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
      this.parts = [];
      at = end + 1;
      this.line(line);
    }
    if (at < chunk.length) this.parts.push(chunk.subarray(at));
  }

  line(raw) {
    const found = /"id":(\d+)/.exec(raw.toString("latin1", 0, 64));
    if (found === null) return;
    const id = Number(found[1]);
    const done = this.pending.get(id);
    this.pending.delete(id);
    const from = found.index + 5;
    done?.({ raw, from, to: from + found[1].length });
  }

  /** Requests of one turn leave with one write. */
  send(text) {
    this.out += text;
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      const out = this.out;
      this.out = "";
      this.child.stdin.write(out);
    });
  }

  /** `params` is serialised already. */
  request(method, params, done) {
    const id = ++this.next;
    this.pending.set(id, done);
    this.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`);
    return id;
  }

  forget(id) {
    this.pending.delete(id);
  }
}

class HttpUpstream {
  constructor({ name, url }) {
    this.name = name;
    this.next = 0;
    this.agent = new Agent({ keepAlive: true, maxSockets: 256 });
    this.url = new URL(url);
    this.headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
  }

  post(body, done) {
    const options = {
      agent: this.agent,
      host: this.url.hostname,
      port: this.url.port,
      path: this.url.pathname,
      method: "POST",
      headers: { ...this.headers, "content-length": Buffer.byteLength(body) },
    };
    const sent = httpRequest(options, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), response),
      );
    });
    sent.end(body);
  }

  send(text) {
    this.post(text, () => {});
  }

  request(method, params, done) {
    const id = ++this.next;
    this.post(
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`,
      (raw, response) => {
        const session = response.headers["mcp-session-id"];
        if (session) this.headers["mcp-session-id"] = session;
        const found = /"id":(\d+)/.exec(raw.toString("latin1", 0, 64));
        const from = found.index + 5;
        done({ raw, from, to: from + found[1].length });
      },
    );
    return id;
  }

  forget() {}
}

const ask = (upstream, method, params) =>
  new Promise((resolve) => {
    upstream.request(method, JSON.stringify(params), ({ raw }) =>
      resolve(JSON.parse(raw.toString("utf8")).result),
    );
  });

/** Opens a session of the older era with each server and lists its tools. */
export async function listAll(upstreams) {
  const routes = new Map();
  const open = async (upstream) => {
    const clientInfo = { name: "floor", version: "1" };
    await ask(upstream, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo,
    });
    upstream.send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    let cursor;
    do {
      const page = await ask(upstream, "tools/list", cursor ? { cursor } : {});
      for (const tool of page.tools)
        routes.set(`${upstream.name}__${tool.name}`, { upstream, tool });
      cursor = page.nextCursor;
    } while (cursor);
  };
  await Promise.all(upstreams.map(open));
  const tools = [...routes].map(([name, { tool }]) => ({ ...tool, name }));
  return { routes, listed: `"tools":${JSON.stringify(tools)}` };
}
