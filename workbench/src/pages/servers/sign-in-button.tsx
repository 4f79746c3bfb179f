import { useMutation } from "@tanstack/react-query";
import { beginSignIn } from "../../api/session.ts";
import { useMayChange } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { LogIn } from "../../parts/icons.ts";
import { toast, toastError } from "../../parts/toast.ts";

/** Opens the authorization server in a new tab; it redirects to the plane, not to this page. */
export function SignInButton({ server }: { server: string }) {
  const mayCall = useMayChange("call");
  const begin = useMutation({
    mutationFn: () => beginSignIn(server),
    onSuccess({ url }) {
      // The URL comes from the server: open web addresses only.
      if (!/^https?:\/\//i.test(url))
        return toast("The server's sign-in address is not an http or https URL.", "bad");
      window.open(url, "_blank", "noopener,noreferrer");
      toast("Sign in in the new tab, then connect here.", "neutral");
    },
    onError: toastError,
  });
  return (
    <Button icon={LogIn} disabled={!mayCall} busy={begin.isPending} onClick={() => begin.mutate()}>
      Sign in
    </Button>
  );
}
