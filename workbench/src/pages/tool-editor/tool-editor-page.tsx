import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { overlayQuery } from "../../api/tool-queries.ts";
import { useMay } from "../../app/session.ts";
import { Lock } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { OverlayEditor } from "./overlay-editor.tsx";

const route = getRouteApi("/tools/$name/edit");

/** The overlay of a tool, with a preview for models. */
export function ToolEditorPage() {
  const { name } = route.useParams();
  const mayEdit = useMay("admin");
  const query = useQuery({ ...overlayQuery(name), enabled: mayEdit });
  return (
    <Page
      title={
        <>
          Edit <span className="break-all font-mono text-lg">{name}</span>
        </>
      }
      about={
        <>
          Your changes override the server's definition.{" "}
          <Link to="/tools/$name" params={{ name }} className="text-accent underline">
            Back to the tool
          </Link>
        </>
      }
    >
      {mayEdit ? (
        <QueryView query={query}>
          {(view) => <OverlayEditor key={view.tool} view={view} />}
        </QueryView>
      ) : (
        <Empty icon={Lock} title="Only admins can change this" />
      )}
    </Page>
  );
}
