import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../../test/samples/calls.ts";
import { effectOf, effectOfName, impactOf } from "./effect.ts";

const names = {
  write: `git_push git_commit merge_pull_request send_message execute_sql move_file upload_file drop_table reset_all
    kv_set writeFile scale_deployment browser_click create_or_update_file create_issue deleteUser update-record
    issue_write table_drop sendHTTPRequest browser_fill_form add_comment find_or_create_user getOrCreateUser
    fetch_and_store sql.execute user_delete list_delete install_package run_command push_files fork_repository
    cancel_order archiveThread set_value read_write check_in room_check_out getSet kubectl_apply terminate_instances`,
  read: `blog_get_post_list calc_add_numbers list_create_dates get_set_members read_file listFiles search_code
    get_commit commit_list describe_instances whoami add_numbers is_admin hasPermission check_update
    count_deleted_users GetHTTPStatus browser_snapshot convert_currency pull_request_read issue_search
    list_files_to_delete order_status release_info fetch_url`,
  unknown: "frobnicate browser do_it x web t",
};

for (const [effect, list] of Object.entries(names)) {
  for (const name of list.trim().split(/\s+/)) {
    test(`by its name ${name} is taken for: ${effect}`, () => {
      const judged = effectOfName(name);
      assert.deepEqual([judged.effect, judged.known], [effect, false], judged.because);
    });
  }
}

test("the operator's word comes before the manifest, that before the name", () => {
  const tool = sampleTool({
    id: { server: null, tool: "get_note" },
    name: "get_note",
    metadata: sampleMetadata({ side_effects: "write" }),
  });
  assert.equal(effectOf(tool, {}).effect, "write");
  assert.equal(effectOf(tool, { "get_*": "read" }).effect, "read");
  assert.equal(effectOf(tool, { "other.*": "read" }).effect, "write");
  assert.equal(
    effectOf({ ...tool, metadata: sampleMetadata({ side_effects: "network" }) }, {}).effect,
    "read",
  );
});

test("hints count when the server is trusted, and only then", () => {
  const hints = {
    id: { server: "notes", tool: "frobnicate" },
    annotations: { readOnlyHint: true },
  };
  assert.equal(effectOf(sampleTool({ ...hints, trusted: true }), {}).effect, "read");
  assert.equal(effectOf(sampleTool({ ...hints, trusted: false }), {}).effect, "unknown");
  const destroys = { ...hints, trusted: true, annotations: { destructiveHint: true } };
  assert.equal(effectOf(sampleTool(destroys), {}).effect, "write");
});

test("what a trusted server says of one tool comes before side effects of the whole server, in both directions", () => {
  const of = (side_effects: "write" | "none", annotations: object, more = {}) =>
    sampleTool({
      id: { server: "notes", tool: "frobnicate" },
      name: "notes.frobnicate",
      trusted: true,
      annotations,
      metadata: sampleMetadata({ side_effects }),
      ...more,
    });
  assert.equal(effectOf(of("write", { readOnlyHint: true }), {}).effect, "read");
  assert.equal(effectOf(of("none", { destructiveHint: true }), {}).effect, "write");
  assert.equal(effectOf(of("write", {}), {}).effect, "write");
  // Of this very tool, or for all by a pattern, the operator's word is the last one.
  assert.equal(
    effectOf(of("write", { readOnlyHint: true }, { effects: "explicit" }), {}).effect,
    "write",
  );
  assert.equal(
    effectOf(of("write", { readOnlyHint: true }), { "notes.*": "write" }).effect,
    "write",
  );
  assert.equal(
    effectOf(of("write", { readOnlyHint: true }, { trusted: false }), {}).effect,
    "write",
  );
});

test("people are warned of a destructive tool regardless of trust, and nothing else follows from an untrusted hint", () => {
  const claims = { trusted: false, annotations: { destructiveHint: true } };
  const writes = sampleTool({ ...claims, id: { server: "notes", tool: "put_report" } });
  const because = "its server declares it destructive";
  assert.deepEqual(impactOf(writes, {}), { impact: "destroys", because, known: false });
  assert.equal(
    effectOf(sampleTool({ ...claims, id: { server: "notes", tool: "get_report" } }), {}).effect,
    "read",
  );
  const denies = {
    ...claims,
    annotations: { destructiveHint: false },
    id: { server: "notes", tool: "delete_report" },
  };
  assert.equal(impactOf(sampleTool(denies), {}).impact, "destroys");
});
