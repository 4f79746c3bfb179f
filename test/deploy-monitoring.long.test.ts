import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { createMetrics } from "../src/faces/http/metrics/metrics.ts";
import { fixture, planeOf } from "./scenarios/support.ts";

const deploy = join(import.meta.dirname, "../deploy");
const read = (name: string) => readFileSync(join(deploy, name), "utf8");

/** Skipped where the program is not installed. */
const withProgram = (name: string) =>
  spawnSync("sh", ["-c", `command -v ${name}`]).status === 0
    ? {}
    : { skip: `${name} is not installed` };

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: join(deploy, "monitoring"),
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

type Rule = { alert: string; expr: string; annotations: { summary: string; description: string } };
type Panel = {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: Target[];
};
type Target = { expr: string };

const rules = () =>
  (parse(read("monitoring/alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    (g) => g.rules,
  );
const panels = () => (JSON.parse(read("monitoring/dashboard.json")) as { panels: Panel[] }).panels;

suite("what watches planes", () => {
  let series: Set<string>;

  before(async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    const metrics = createMetrics(plane, { refusedConnections: () => 0 });
    await plane.call("echo.echo", { message: "hi" });
    const { text } = await metrics.render(undefined);
    series = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
  });

  test("alerts and the dashboard name series that a plane has", () => {
    const used = [...rules(), ...panels().flatMap(({ targets }) => targets)].flatMap(({ expr }) =>
      [...expr.matchAll(/\b(?:toolplane|process|nodejs)_\w+/g)].map(([name]) =>
        name.replace(/_(?:bucket|sum|count)$/, ""),
      ),
    );
    assert.ok(used.length > 15);
    assert.deepEqual(
      used.filter((name) => !series.has(name)),
      [],
    );
    const offered = parse(read("monitoring/adapter.yaml")) as { rules: { name: { as: string } }[] };
    for (const { name } of offered.rules) assert.ok(series.has(name.as), name.as);
  });

  test("every alert says what happened and what to do", () => {
    for (const { alert, annotations } of rules()) {
      assert.match(alert, /^Toolplane[A-Z]/);
      assert.ok(annotations.summary && annotations.description, alert);
    }
  });

  test("panels of the dashboard do not cover each other", () => {
    const cells = panels().flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    assert.equal(new Set(cells).size, cells.length);
    assert.equal(new Set(panels().map(({ id }) => id)).size, panels().length);
  });

  test(
    "Prometheus takes the rules, and they fire as their examples say",
    withProgram("promtool"),
    () => {
      assert.match(
        run("promtool", "check", "rules", "alerts.yaml"),
        new RegExp(`${rules().length} rules found`),
      );
      run("promtool", "test", "rules", "alerts.test.yaml");
      run("promtool", "check", "config", "--syntax-only", "prometheus.yaml");
    },
  );

  test(
    "the kustomization has the planes, who may reach them, and how many there are",
    withProgram("kubectl"),
    () => {
      const built = parseAllDocuments(run("kubectl", "kustomize", "../kubernetes")).map((one) =>
        one.toJS(),
      );
      const byKind = new Map(built.map((one) => [one.kind, one]));
      assert.deepEqual(
        [...byKind.keys()].toSorted(),
        [
          "ConfigMap",
          "Deployment",
          "HorizontalPodAutoscaler",
          "NetworkPolicy",
          "PodDisruptionBudget",
          "Service",
        ].toSorted(),
      );
      const { spec: scaling } = byKind.get("HorizontalPodAutoscaler");
      assert.deepEqual(scaling.scaleTargetRef, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "toolplane",
      });
      assert.ok(scaling.minReplicas > byKind.get("PodDisruptionBudget").spec.maxUnavailable);
      assert.ok(series.has(scaling.metrics[0].pods.metric.name), "it scales by a series of ours");
      const { spec: network } = byKind.get("NetworkPolicy");
      assert.deepEqual(network.podSelector, byKind.get("Deployment").spec.selector);
      assert.deepEqual(network.policyTypes, ["Ingress", "Egress"]);
    },
  );
});
