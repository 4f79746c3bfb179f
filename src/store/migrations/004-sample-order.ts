/**
 * `sequence` counts the samples of all subjects, so that a plane can ask for what others have added since it last
 * looked. What is there already keeps its order within its subject.
 */
export const sampleOrder = {
  id: 4,
  sql: `
    ALTER TABLE samples ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
    UPDATE samples SET sequence = number;
    CREATE INDEX samples_by_sequence ON samples (sequence);
  `,
} as const;
