import { useMutation } from "@tanstack/react-query";
import { part, post } from "../../api/client.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { LogIn } from "../../parts/icons.ts";
import { toast, toastError } from "../../parts/toast.tsx";

/** To the authorization server in another tab; it comes back to the plane, not to this page. */
export function SignInButton({ server }: { server: string }) {
  const mayCall = useMay("call");
  const begin = useMutation({
    mutationFn: () => post<{ url: string }>(`/servers/${part(server)}/sign-in`),
    onSuccess({ url }) {
      // The address is the server's word, and only an address of the web is opened.
      if (!/^https?:\/\//i.test(url)) return toast("The server named an address that is none of the web.", "bad");
      window.open(url, "_blank", "noopener,noreferrer");
      toast("Sign in in the new tab, then come back and connect.", "neutral");
    },
    onError: toastError,
  });
  return (
    <Button icon={LogIn} disabled={!mayCall} busy={begin.isPending} onClick={() => begin.mutate()}>
      Sign in
    </Button>
  );
}
