import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthorizationServer } from "../../../src/model/access/auth-settings.ts";
import { checkClient } from "./clients.ts";

const settings = AuthorizationServer.parse({
  clients: { ci: { secret: "0123456789abcdef", scopes: ["call"] } },
});
const checked = (metadata: Record<string, unknown>) => {
  checkClient(metadata, settings);
  return metadata;
};

test("a client whose redirects lead into a program of a device is native, others are of the web", () => {
  const typeOf = (...uris: string[]) => checked({ redirect_uris: uris }).application_type;
  assert.equal(typeOf("https://claude.ai/api/mcp/auth_callback"), "web");
  assert.equal(typeOf("https://vscode.dev/redirect", "http://127.0.0.1:33418/"), "native");
  assert.equal(typeOf("cursor://anysphere.cursor-mcp/oauth/callback"), "native");
  assert.equal(typeOf("http://[::1]:3000/callback"), "native");
});

test("names are shown without what hides or turns text, and never longer than a line", () => {
  const nameOf = (name: unknown) => checked({ redirect_uris: [], client_name: name }).client_name;
  assert.equal(nameOf("Claude\u202e\u200b Desktop\n"), "Claude Desktop");
  assert.equal(nameOf("x".repeat(500)), "x".repeat(100));
  assert.equal(nameOf("\u3164"), undefined);
  assert.equal(nameOf(7), undefined);
});

test("a place that no one may be sent to is refused with what is wrong about it", () => {
  const refusal = (uri: string) => {
    try {
      return void checked({ redirect_uris: [uri] });
    } catch (thrown) {
      const { message, error_description: why } = thrown as {
        message: string;
        error_description: string;
      };
      return `${message} ${why}`;
    }
  };
  for (const [uri, why] of [
    [
      "javascript:alert(1)",
      /invalid_redirect_uri redirect_uris: an address must not use javascript:/,
    ],
    ["/callback", /must be whole/],
    [`https://client.example/${"x".repeat(2_000)}`, /at most 2000 characters/],
    ["https://client.example/#", /must not have a fragment/],
    ["https://a:b@client.example/", /user name or password/],
    ["http://client.example/", /must be https beyond this machine/],
    ["http://localhost.client.example/", /must be https beyond this machine/],
    ["https://127.0.0.1/", /on this machine must use http$/],
  ] as const)
    assert.match(refusal(uri) ?? "", why, uri);
});
