import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TokenStatus } from "../../../../src/model/access/credentials-schema.ts";
import { ApiError } from "../../api/client.ts";
import { callOperation, useOperation } from "../../api/operations.ts";
import { useWhyNot } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { KeyRound } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Complaint, messageOf, QueryView } from "../../parts/states.tsx";
import { counted, Time } from "../../parts/time.tsx";

/** The user's token for a remote server. It is never shown again. */
export function TokenPanel({ server }: { server: string }) {
  return (
    <Panel title="Your token">
      <QueryView query={useOperation("tokens.list", { limit: 1000 })}>
        {({ tokens }) => {
          const storedTokens = tokens.filter((token) => token.server === server);
          return (
            <div className="flex flex-col gap-3 text-sm">
              {storedTokens.length === 0 ? (
                <p className="text-muted">
                  No token stored. If the server needs one, enter it here or sign in.
                </p>
              ) : (
                storedTokens.map((token) => <StoredToken key={token.kind} token={token} />)
              )}
              <GiveToken
                server={server}
                isKept={storedTokens.some(({ kind }) => kind === "token")}
              />
            </div>
          );
        }}
      </QueryView>
    </Panel>
  );
}

function StoredToken({
  token: { server, kind, expiresAt, expired, scopes },
}: {
  token: TokenStatus;
}) {
  const [isForgetting, setForgetting] = useState(false);
  const forget = useToken(server);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Badge dot tone={expired ? "bad" : "good"}>
        {expired ? "expired" : "stored"}
      </Badge>
      <span>{kind === "oauth" ? "From sign-in" : "Entered by you"}</span>
      {expiresAt !== null && (
        <span className="text-muted">
          ends <Time at={expiresAt} />
        </span>
      )}
      {scopes.length > 0 && <span className="text-muted">for {scopes.join(", ")}</span>}
      <Button variant="quiet" className="ml-auto" onClick={() => setForgetting(true)}>
        Forget
      </Button>
      <Confirm
        open={isForgetting}
        title={`Forget your token for ${server}?`}
        action="Forget"
        busy={forget.isPending}
        error={forget.error}
        onClose={() => setForgetting(false)}
        onConfirm={() => forget.mutate(null, { onSuccess: () => setForgetting(false) })}
      >
        <p>
          Your sessions end, and your calls fail until you enter another token or sign in again.
        </p>
      </Confirm>
    </div>
  );
}

function GiveToken({ server, isKept }: { server: string; isKept: boolean }) {
  const [token, setToken] = useState("");
  const whyNot = useWhyNot("call");
  const setServerToken = useToken(server);
  const trial = useMutation({ mutationFn: () => tryToken(server), onSettled: useRefreshed() });
  const submitText = isKept ? "Replace and try" : "Save and try";
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        setServerToken.mutate(token.trim(), {
          onSuccess() {
            setToken("");
            trial.mutate();
          },
        });
      }}
    >
      <div className="flex items-end gap-2">
        <div className="min-w-0 max-w-md flex-1">
          <Field label={isKept ? "Another token" : "Token"}>
            <TextInput
              type="password"
              autoComplete="off"
              placeholder={
                isKept ? "Type to replace the stored token" : "Encrypted before it is stored"
              }
              disabled={whyNot !== null}
              value={token}
              onChange={({ target }) => setToken(target.value)}
            />
          </Field>
        </div>
        <Button
          type="submit"
          icon={KeyRound}
          whyNot={whyNot}
          disabled={token.trim() === ""}
          busy={setServerToken.isPending || trial.isPending}
        >
          {trial.isPending ? "Trying it" : submitText}
        </Button>
      </div>
      <Complaint error={setServerToken.error} />
      {trial.isSuccess && !setServerToken.isPending && <Verdict trial={trial.data} />}
    </form>
  );
}

const refusalText =
  "The server refuses this token. Is it whole, still valid, and made for this server?";

type TokenTrial = { isAccepted: boolean; text: string };

/** Connects with what was stored: only the server knows whether it is of use. */
async function tryToken(name: string): Promise<TokenTrial> {
  try {
    const { state, error, tools } = await callOperation("servers.connect", { name });
    if (state === "connected")
      return { isAccepted: true, text: `Accepted: connected, ${counted(tools, "tool")}.` };
    return { isAccepted: false, text: error ?? `Stored, but the server is ${state}.` };
  } catch (thrown) {
    const isRefused = thrown instanceof ApiError && thrown.code === "AUTH_REQUIRED";
    return { isAccepted: false, text: isRefused ? refusalText : messageOf(thrown) };
  }
}

function Verdict({ trial: { isAccepted, text } }: { trial: TokenTrial }) {
  return isAccepted ? (
    <p role="status" className="rounded-md bg-good-soft px-3 py-2 text-good">
      {text}
    </p>
  ) : (
    <p role="alert" className="break-words rounded-md bg-bad-soft px-3 py-2 text-bad">
      Not accepted. {text}
    </p>
  );
}

function useRefreshed() {
  const client = useQueryClient();
  return () => {
    for (const topic of ["tokens", "servers"]) void client.invalidateQueries({ queryKey: [topic] });
  };
}

/** Stores the user's token for a server; null deletes it. */
function useToken(name: string) {
  return useMutation({
    mutationFn: async (token: string | null): Promise<void> => {
      if (token === null) await callOperation("tokens.forget", { name });
      else await callOperation("tokens.set", { name, token });
    },
    onSettled: useRefreshed(),
  });
}
