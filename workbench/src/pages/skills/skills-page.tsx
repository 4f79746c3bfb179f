import { useState } from "react";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useOperation } from "../../api/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { FileText } from "../../parts/icons.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";

type Answer = AnswerOf<"skills.published">;
type Skill = Answer["skills"][number];

const maxSkills = 200;

/** Texts that servers and folders have for models. Skills of manifests are with the jobs. */
export function SkillsPage() {
  const query = useOperation("skills.published", { limit: maxSkills });
  const total = query.data?.total ?? 0;
  return (
    <Page
      title="Skills"
      about={
        total > 0
          ? `${counted(total, "skill")} of servers and folders, which models read.`
          : undefined
      }
    >
      <QueryView query={query}>
        {({ skills, leftOut }) => (
          <>
            {skills.length === 0 ? (
              <NoSkills />
            ) : (
              skills.map((skill) => (
                <SkillPanel key={`${skill.server} ${skill.uri}`} skill={skill} />
              ))
            )}
            {leftOut.length > 0 && <LeftOut leftOut={leftOut} />}
          </>
        )}
      </QueryView>
    </Page>
  );
}

function SkillPanel({ skill }: { skill: Skill }) {
  const [isOpen, setIsOpen] = useState(false);
  const { name, server, kind, description, files, bytes, uri } = skill;
  const size = files === null ? "" : `${counted(files, "file")}, ${bytes ?? 0} bytes`;
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-center gap-2">
          {name}
          <Badge tone={kind === "folder" ? "accent" : "neutral"}>
            {kind === "folder" ? "folder" : "server"}
          </Badge>
          <span className="font-normal text-muted">{server}</span>
        </span>
      }
      actions={
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Hide text" : "Show text"}
        </Button>
      }
    >
      <p className="break-words text-sm">{description}</p>
      <p className="mt-1 break-all text-xs text-muted">
        {uri} {size !== "" && `(${size})`}
      </p>
      {isOpen && <SkillText server={server} uri={uri} />}
    </Panel>
  );
}

function SkillText({ server, uri }: { server: string; uri: string }) {
  const query = useOperation("resources.read", { name: server, uri });
  return (
    <div className="mt-3 border-t border-line pt-3">
      <QueryView query={query}>{(answer) => <Markdown text={textOf(answer)} />}</QueryView>
    </div>
  );
}

/** Without what stands between the two lines of dashes: the panel shows it. */
function textOf(answer: unknown): string {
  const { contents = [] } = answer as { contents?: { text?: string }[] };
  return (contents[0]?.text ?? "").replace(/^\ufeff?---\r?\n[\s\S]*?\n---[\t ]*\r?\n/, "");
}

function LeftOut({ leftOut }: { leftOut: Answer["leftOut"] }) {
  return (
    <Panel title="Left out">
      <ul className="flex flex-col gap-1.5 text-sm">
        {leftOut.map(({ server, uri, why }) => (
          <li key={`${server} ${uri}`} className="break-words">
            <span className="font-medium">{uri || "all skills"}</span> of {server}: {why}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const example = `{ "mcpServers": { "handbook": { "skills": "./skills" } } }`;

function NoSkills() {
  return (
    <Empty icon={FileText} title="No skills">
      <p>
        A skill is a directory with a SKILL.md that a model reads before such work. Servers can
        publish skills, and so can a folder of your own:
      </p>
      <div className="mt-3">
        <CodeView wrap label="configuration" text={example} />
      </div>
    </Empty>
  );
}
