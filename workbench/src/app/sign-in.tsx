import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/client.ts";
import { beginSession, signsPeopleIn } from "../api/session.ts";
import { Button } from "../parts/button.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { KeyRound } from "../parts/icons.ts";
import { Complaint } from "../parts/states.tsx";

/** Shown where the plane requires credentials. */
export function SignIn() {
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-4 rounded-xl bg-raise p-6 shadow-float">
        <div className="flex items-center gap-2">
          <KeyRound aria-hidden className="size-5 text-accent" />
          <h1 className="text-lg font-bold tracking-tight">Toolplane</h1>
        </div>
        <p className="text-sm text-muted">
          All your MCP servers behind one address: one catalogue of tools, every call checked,
          approved and recorded.
        </p>
        {/* It may be another user: drop what the last one saw. */}
        <SignInOptions
          onDone={() => location.reload()}
          returnPath={location.pathname + location.search}
        />
      </div>
    </main>
  );
}

/** With a browser, where the plane signs people in; with a key, which is sent once and not stored here. */
export function SignInOptions({
  onDone,
  returnPath,
  isAgain = false,
}: {
  onDone: () => void;
  returnPath: string;
  isAgain?: boolean;
}) {
  const [key, setKey] = useState("");
  const signIn = useMutation({ mutationFn: () => beginSession(key.trim()), onSuccess: onDone });
  const { data: hasPeople } = useQuery({ queryKey: ["sign-in"], queryFn: signsPeopleIn });
  return (
    <>
      {hasPeople && (
        <a
          href={`/sign-in/workbench?to=${encodeURIComponent(returnPath)}`}
          {...(isAgain && { target: "_blank", rel: "noreferrer" })}
          className="inline-flex h-8 items-center justify-center rounded-md bg-accent-fill px-3 text-sm font-medium text-white hover:brightness-110"
        >
          Sign in with your account
        </a>
      )}
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        {!hasPeople && (
          <p className="text-sm text-muted">
            This plane requires a key. Create one on its machine with{" "}
            <code className="font-mono text-ink">toolplane keys create NAME</code>.
          </p>
        )}
        <Field
          label="API key"
          hint="Starts with tp_. A token from the configured issuer works too."
        >
          <TextInput
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </Field>
        <Complaint error={signIn.error && explainRefusal(signIn.error)} />
        <Button
          type="submit"
          variant={hasPeople ? "plain" : "primary"}
          busy={signIn.isPending}
          disabled={key.trim() === ""}
        >
          Sign in
        </Button>
      </form>
    </>
  );
}

/** The plane does not say why it refused; this page knows that a credential was sent. */
function explainRefusal(error: Error): Error {
  if (!(error instanceof ApiError) || error.status !== 401) return error;
  return new Error("Key or token refused. It may be mistyped, revoked or expired.");
}
