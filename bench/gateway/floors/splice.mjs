/**
 * The splice floor: the least that a Node gateway can do and still stand before several servers. An answer is forwarded
 * as bytes with another id. No library, no check, no policy, no record.
 *   node splice.mjs CONFIG.json     { "front": "http" | "stdio", "port", "servers": [{ "name", "command", "args" } | { "name", "url" }] }
 */
import { readFileSync } from "node:fs";
import { answerPlainly, failure, jsonId, serve } from "./front.mjs";
import { connectAll, listAll } from "./upstreams.mjs";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
let routes = new Map();
const ready = listAll(connectAll(config.servers));
ready.then((all) => {
  routes = all.routes;
});

serve(config, (message, reply) => {
  const { id, method, params } = message;
  if (method !== "tools/call") return answerPlainly(message, ready, reply);
  const route = routes.get(params?.name);
  if (route === undefined) return reply([failure(id, "Unknown tool")]);
  const asked = JSON.stringify({ name: route.tool.name, arguments: params.arguments });
  route.upstream.request("tools/call", asked, ({ raw, from, to }) =>
    reply([raw.subarray(0, from), jsonId(id), raw.subarray(to)]),
  );
});
