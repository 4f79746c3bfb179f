import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/client.ts";
import { beginSession } from "../api/session.ts";
import { Button } from "../parts/button.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { KeyRound } from "../parts/icons.ts";
import { Complaint } from "../parts/states.tsx";

/** Shown where the plane requires credentials. The key is sent once and not stored here. */
export function SignIn() {
  const [key, setKey] = useState("");
  const signIn = useMutation({
    mutationFn: () => beginSession(key.trim()),
    // It may be another user: drop what the last one saw.
    onSuccess: () => location.reload(),
  });
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <form
        className="flex w-full max-w-sm flex-col gap-4 rounded-xl border border-line bg-surface p-6"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <div className="flex items-center gap-2">
          <KeyRound aria-hidden className="size-5 text-accent" />
          <h1 className="text-lg font-semibold">Toolplane</h1>
        </div>
        <p className="text-[13px] text-muted">
          This plane requires a key. Create one on its machine with{" "}
          <code className="font-mono text-ink">toolplane keys create NAME</code>.
        </p>
        <Field label="API key" hint="Starts with tp_. A token from the configured issuer works too.">
          <TextInput
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </Field>
        <Complaint error={signIn.error && whyNot(signIn.error)} />
        <Button type="submit" variant="primary" busy={signIn.isPending} disabled={key.trim() === ""}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

/** The plane does not say why it refused; this page knows that a credential was sent. */
function whyNot(error: Error): Error {
  if (!(error instanceof ApiError) || error.status !== 401) return error;
  return new Error("Key or token refused. It may be mistyped, revoked or expired.");
}
