import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthorizationServer } from "@toolplane/core/model/access/auth-settings";
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

test("a redirect leads to a program by a scheme with a dot, one that is known, or one that an administrator lists", () => {
  const uris = [
    "com.example.app:/callback",
    "app.tool-x://y",
    "vscode://publisher.name/x",
    "claude://x",
  ];
  for (const uri of uris)
    assert.equal(checked({ redirect_uris: [uri] }).application_type, "native");
  const own = { client_id: "ci", redirect_uris: ["myapp://callback"] };
  assert.equal(checked(own).application_type, "native");
  for (const uri of ["javascript:alert(1)", "data:text/html,x", "file:///x", "blob:x"])
    assert.throws(() => checked({ client_id: "ci", redirect_uris: [uri] }), uri);
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
    ["JavaScript:alert(1)", /must not use javascript:/],
    ["java\tscript:alert(1)", /must not use javascript:/],
    ["intent://x#Intent;end", /fragment/],
    ["intent://x", /must not use intent:/],
    ["search-ms:query=x", /must not use search-ms:/],
    ["mailto:ann@example.org", /must not use mailto:/],
    ["ms-msdt:/id", /must not use ms-msdt:/],
    ["web+x:y", /must not use web\+x:/],
    ["filesystem:https://a.example/x", /must not use filesystem:/],
    ["myapp://callback", /must not use myapp: .*com\.example\.app:/],
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
