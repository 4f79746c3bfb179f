import { useQueryClient } from "@tanstack/react-query";
import { sessionQuery } from "../api/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SignInOptions } from "./sign-in.tsx";

/** Over the page, which keeps what was typed, where the session has ended meanwhile. */
export function SignInAgain({ user }: { user: string | null }) {
  const client = useQueryClient();
  const goOn = async () => {
    const session = await client.fetchQuery({ ...sessionQuery(), staleTime: 0 });
    if (session.user !== user) location.reload();
  };
  return (
    <Dialog open onClose={() => void goOn().catch(() => undefined)} title="Your session is over">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">Sign in again to go on. What you typed is still here.</p>
        <SignInOptions onDone={() => void goOn()} returnPath="/sign-in/again" isAgain />
      </div>
    </Dialog>
  );
}
