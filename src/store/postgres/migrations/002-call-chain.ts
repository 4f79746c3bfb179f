/** Recorded calls are only ever added, and removed only behind a checkpoint; emptying the table is removing them all. */
export const callChain = {
  id: 2,
  sql: `
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      RAISE EXCEPTION 'what is recorded in % cannot be changed', TG_TABLE_NAME;
    END $body$;

    CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE edge bigint;
    BEGIN
      EXECUTE format('SELECT coalesce(max(sequence), 0) FROM %I.call_checkpoints', TG_TABLE_SCHEMA) INTO edge;
      IF OLD.sequence > edge THEN
        RAISE EXCEPTION 'recorded calls can only be removed behind a checkpoint';
      END IF;
      RETURN OLD;
    END $body$;

    CREATE TRIGGER calls_are_not_changed BEFORE UPDATE ON calls
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER calls_are_not_emptied BEFORE TRUNCATE ON calls
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER calls_are_not_removed BEFORE DELETE ON calls
      FOR EACH ROW EXECUTE FUNCTION refuse_removal();
    CREATE TRIGGER checkpoints_are_not_changed BEFORE UPDATE OR DELETE ON call_checkpoints
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER checkpoints_are_not_emptied BEFORE TRUNCATE ON call_checkpoints
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `,
} as const;
