/** The versions of the schema, oldest first. A version that was released is never edited; the next change is a new entry. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO meta VALUES ('epoch', '0');

  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, workflow TEXT NOT NULL, status TEXT NOT NULL, live INTEGER NOT NULL,
    started_at INTEGER NOT NULL, ended_at INTEGER, document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_live ON runs (run_id) WHERE live = 1;
  CREATE INDEX runs_newest ON runs (started_at DESC, run_id DESC);
  CREATE INDEX runs_ended ON runs (ended_at) WHERE live = 0;

  CREATE TABLE turns (
    turn_id TEXT PRIMARY KEY, iid TEXT NOT NULL, run_id TEXT NOT NULL, placement TEXT NOT NULL,
    opened_at INTEGER NOT NULL, ended_at INTEGER
  ) STRICT;
  CREATE INDEX turns_iid ON turns (iid, opened_at);
  CREATE INDEX turns_run ON turns (run_id);
  CREATE INDEX turns_ended ON turns (ended_at);

  CREATE TABLE deliveries (
    iid TEXT NOT NULL, delivery_id TEXT NOT NULL, run_id TEXT NOT NULL, turn_id TEXT NOT NULL,
    placement TEXT NOT NULL, event TEXT NOT NULL, body_hash TEXT NOT NULL, status TEXT NOT NULL,
    transitions INTEGER NOT NULL, receipt TEXT, at INTEGER NOT NULL, answered_at INTEGER,
    PRIMARY KEY (iid, delivery_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_turn ON deliveries (turn_id);

  CREATE TABLE executions (
    execution_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, agent TEXT NOT NULL, turn_id TEXT NOT NULL,
    iid TEXT NOT NULL, placement TEXT NOT NULL, status TEXT NOT NULL, category TEXT, reason TEXT,
    started_at INTEGER NOT NULL, ended_at INTEGER
  ) STRICT;
  CREATE INDEX executions_run ON executions (run_id, started_at);

  CREATE TABLE intents (
    key TEXT PRIMARY KEY, run_id TEXT NOT NULL, turn_id TEXT NOT NULL, agent TEXT NOT NULL, iid TEXT NOT NULL,
    placement TEXT NOT NULL, body TEXT NOT NULL, address TEXT, store TEXT, saved_at INTEGER NOT NULL, sent_at INTEGER,
    admission TEXT, settlement TEXT, fault TEXT
  ) STRICT;
  CREATE INDEX intents_run ON intents (run_id);

  CREATE TABLE keys (
    scope TEXT NOT NULL, key TEXT NOT NULL, run_id TEXT NOT NULL, body_hash TEXT NOT NULL, answer TEXT NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (scope, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_run ON keys (run_id, key);

  CREATE TABLE feed (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT, type TEXT NOT NULL, record TEXT NOT NULL,
    at INTEGER NOT NULL, data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX feed_run ON feed (run_id, seq);

  CREATE TABLE placements (
    placement TEXT PRIMARY KEY, store TEXT, capabilities TEXT, at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Every pick wrote to it, and only the freeing of old receipts read it: their own key begins with the conversation.
  'DROP INDEX deliveries_turn;',
  `
  CREATE TABLE nodes (
    node_id TEXT PRIMARY KEY, instance_id TEXT NOT NULL, base_url TEXT NOT NULL, deployment TEXT NOT NULL, version TEXT,
    store TEXT, capabilities TEXT NOT NULL, health TEXT NOT NULL, lifecycle TEXT NOT NULL, registered_at INTEGER NOT NULL,
    heard_at INTEGER NOT NULL, last_heartbeat_at INTEGER, moves INTEGER NOT NULL, inactive_since INTEGER
  ) STRICT, WITHOUT ROWID;

  -- Apart, so that a heartbeat does not write them again.
  CREATE TABLE node_agents (node_id TEXT PRIMARY KEY, agents TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE INDEX feed_of_no_run ON feed (at) WHERE run_id IS NULL;
  `,
  // A record for each dispatched turn, whoever asked; those of before keep what they had, and have no timeline.
  `
  ALTER TABLE executions ADD COLUMN target TEXT;
  ALTER TABLE executions ADD COLUMN input TEXT;
  ALTER TABLE executions ADD COLUMN timeout_seconds REAL;
  ALTER TABLE executions ADD COLUMN usage_context TEXT;
  ALTER TABLE executions ADD COLUMN replay_of TEXT;
  ALTER TABLE executions ADD COLUMN result TEXT;
  ALTER TABLE executions ADD COLUMN instance_id TEXT;
  ALTER TABLE executions ADD COLUMN attempts INTEGER;
  ALTER TABLE executions ADD COLUMN timeline TEXT;
  CREATE INDEX executions_newest ON executions (started_at DESC, execution_id DESC);
  CREATE INDEX executions_status ON executions (status, started_at DESC, execution_id DESC);
  CREATE INDEX executions_placement ON executions (placement, started_at DESC, execution_id DESC);
  CREATE INDEX executions_target ON executions (target, started_at DESC, execution_id DESC) WHERE target IS NOT NULL;
  `,
];
