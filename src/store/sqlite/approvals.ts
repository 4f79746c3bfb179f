import type { Approval, ApprovalAnswer, ApprovalStatus } from "../../model/approval.ts";
import type { Prepare } from "./connection.ts";

const columns = "SELECT status, record, answer FROM approvals";

export function insertApproval(prepare: Prepare, approval: Approval): void {
  const { id, status, at, answer } = approval;
  prepare("INSERT INTO approvals (id, status, at, record, answer) VALUES (?, ?, ?, ?, ?)").run(
    id,
    status,
    at,
    JSON.stringify(approval),
    answer && JSON.stringify(answer),
  );
}

export function selectApproval(prepare: Prepare, id: string): Approval | null {
  const row = prepare(`${columns} WHERE id = ?`).get(id);
  return row ? parseApproval(row) : null;
}

/** In the order in which they were asked. */
export function selectApprovals(prepare: Prepare, status?: ApprovalStatus): Approval[] {
  const rows =
    status === undefined
      ? prepare(`${columns} ORDER BY sequence`).all()
      : prepare(`${columns} WHERE status = ? ORDER BY sequence`).all(status);
  return rows.map(parseApproval);
}

export function updateApproval(prepare: Prepare, id: string, answer: ApprovalAnswer): boolean {
  const { changes } = prepare(
    "UPDATE approvals SET status = ?, answer = ? WHERE id = ? AND status = 'pending'",
  ).run(answer.decision, JSON.stringify(answer), id);
  return Number(changes) === 1;
}

/** The question stays as it was written; status and answer stand beside it. */
function parseApproval(row: { [column: string]: unknown }): Approval {
  const question = JSON.parse(String(row.record)) as Approval;
  const answer = row.answer === null ? null : (JSON.parse(String(row.answer)) as ApprovalAnswer);
  return { ...question, status: row.status as ApprovalStatus, answer };
}
