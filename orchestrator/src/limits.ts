/** Every bound of this package, with its reason. Times are milliseconds, sizes are bytes. */
import { protocol } from '@turnwire/sdk';

/** Pages of nothing but calls that `turnwire runs` passes over before it says where to go on. */
export const PAGES_SKIPPED = 20;

/** 256 bits: the strength of the HMAC that is made with it. */
export const SECRET_BYTES = 32;

/** A shorter key would be weaker than the SHA-256 that it drives (TW-TOK). */
export const SIGNING_KEY_MIN_BYTES = 32;

/** A secret is a line; a file beyond this was named by mistake and is not read into memory. */
export const SECRET_FILE_MAX_BYTES = 65_536;

/** What a 503 of ours asks a client to wait, in seconds: a restart is over in about that time, and the ladder does the rest. */
export const RETRY_AFTER_SECONDS = 1;

/** What a call to a node that is down is asked to wait, in seconds: between two heartbeats of a node that is back. */
export const NODE_RETRY_AFTER_SECONDS = 5;

/** A start that is quicker than this is announced when it can serve; a slower one, or one that waits for the lock, at once. */
export const ANNOUNCE_AFTER_MS = 2_000;

/** A stopping Orchestrator is gone within 10 s (TW-DRN-007): the host has most of it, connections get the rest. */
export const STOP_HOST_MS = 7_000;
export const STOP_CONNECTIONS_MS = 2_500;

/** Buckets of the request histogram in seconds: commits are milliseconds, parked polls up to 25 s. */
export const REQUEST_SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

/** How long a command re-tries before it says that the orchestrator cannot be reached: a person waits at the prompt. */
export const COMMAND_WINDOW_MS = 3_000;

/** How long `run` and `logs -f` look for an orchestrator that went away: a restart with many runs takes half a minute. */
export const RECONNECT_MS = 120_000;

/** `run` and `status` print a value of a context or a gate up to so many characters: a diff would push the rest off the screen. */
export const TEXT_SHOWN = 160;
/** … and so many items of a list. */
export const ITEMS_SHOWN = 5;

/** How long `call` waits for the end before it looks at what has happened meanwhile, in seconds: a person follows along. */
export const CALL_POLL_SECONDS = 1;

/** A file given as an input is a body in the end, and a body has this bound on the wire. */
export const INPUT_FILE_MAX_BYTES = 8_388_608;

/** `turnwire dev`: a process that has not said where it listens by then will not. */
export const CHILD_START_MS = 60_000;
/** `turnwire dev`: how long a process may drain after Ctrl-C before it is killed; above an orchestrator's own 10 s. */
export const CHILD_STOP_MS = 15_000;
/** `turnwire dev`: npm passes Ctrl-C on to a process that has had it from the terminal already; so soon it is the same press. */
export const SAME_PRESS_MS = 500;
/** `turnwire dev`: running turns get this long to finish, in seconds; a person waits for the prompt. */
export const DEV_DRAIN_SECONDS = 3;

// The run's ledger.

/** A turn whose own pick left the state ends by itself; one that has not settled by then is aborted (TW-RUN-015). */
export const OWN_PICK_GRACE_MS = 5_000;

/** How long the next admission of a conversation waits for an owed abort, before it takes a fresh one (TW-RUN-017). */
export const ABORT_WAIT_MS = 30_000;

/** How many of a turn's picks a notice names; the ledger of a turn with 1,000 must not grow with them. */
export const TAKEN_TOLD = 20;

/** How many of the events that an author's actor was sent it gets again when it is started again: each commit of the run writes them. */
export const MAIL_KEPT = 256;

/** How many turns a message tells of whose receipts were not read; beyond them it says how many. */
export const UNREAD_TURNS_TOLD = 8;

/** The window of the admission seat, as the SDK's own ladder has it: a wait for a node is a part of it. */
export const ADMISSION_WINDOW_MS = Number(protocol.operations.admit.seats.admission?.windowMs);

/** How long a node's record may stand still while a call waits for its restart, when nothing else was set. */
export const RESTART_GRACE_MS = 15_000;

/** Machines of ad-hoc calls that are kept built: one for each target, schema and deadline. */
export const CALL_WORKFLOWS_KEPT = 256;

/** How often a turn that decided nothing is asked again (TW-RUN-009). */
export const MAX_NUDGES = 2;

// The store and the run host.

/** SQLite's own wait for a lock that somebody else (a backup, a person's shell) holds on the file; it blocks the process. */
export const BUSY_TIMEOUT_MS = 1_000;

/**
 * Pages in the write-ahead log before it is copied into the database: 32 MiB. A commit of many runs is some hundred pages, so SQLite's own
 * 1,000 would copy, and wait for the disk twice more, at every fourth; the same pages are written again and again, and are copied once.
 */
export const CHECKPOINT_PAGES = 8_000;

/** SQLite's page cache: the rows of ten thousand live runs. */
export const CACHE_KIB = 65_536;

/** Frames that a feed reads from the store at a time: a late reader of a long run must not hold it all in memory. */
export const FEED_PAGE = 200;

/** Ended runs in the first frame of the feed of all runs; every live one is there. */
export const SNAPSHOT_ENDED_RUNS = 100;

/** How often executions that go on are looked through, when a node has some of them; when it could; and when there is none. */
export const SWEEP_EVERY_MS = 5_000;
export const NODES_SWEEP_EVERY_MS = 30_000;
export const QUIET_SWEEP_EVERY_MS = 300_000;

/** How long a process may drain after another one has registered as its node, before what it has is an orphan (TW-EXE-034). */
export const ORPHAN_GRACE_MS = 60_000;

/** A stream that answers says so within a poll and the time of an attempt. */
export const STREAM_SILENT_MS = protocol.constants.pollWaitSeconds * 1_000 + 10_000;

/** A node that is down for so long does not come back with the turns that it had (TW-EXE-043). */
export const NODE_DOWN_MS = 5 * 60 * 1_000;

/** Without any activity for so long, an execution has timed out (TW-EXE-036). */
export const STALE_MS = 30 * 60 * 1_000;

/** That a stream answered is committed no more often than this: a fraction of what is too long. */
export const ACTIVITY_SAVED_MS = 5 * 60 * 1_000;

/** A page of executions, when nothing else was asked for, and at most. */
export const EXECUTIONS_PAGE = 50;
export const EXECUTIONS_PAGE_MAX = 200;

/** A page of runs, when nothing else was asked for, and at most. */
export const RUNS_PAGE = 50;
export const RUNS_PAGE_MAX = 200;

/** A commit that failed leaves its effect owed; it is tried again after this pause. */
export const EFFECT_PAUSE_MS = 1_000;

/** TW-DLV-006: as long as a receipt is kept after its turn ended. */
export const RECEIPT_KEEP_MS = 10 * 60 * 1_000;

/** TW-DUR-024: as long as a run is kept after its end. */
export const RUN_KEEP_MS = 7 * 24 * 60 * 60 * 1_000;

/** Between two questions to a Harness that has not said yet what it is; no admission waits for it. */
export const LEARN_PAUSE_MS = 2_000;

/** How often what is old is looked for. */
export const PRUNE_EVERY_MS = 60_000;

/** How long a successor waits for the process before it to give the database up (TW-DUR-008): a drain takes 10 s, a stuck one is killed at 30. */
export const SUCCESSOR_WAIT_MS = 30_000;

/**
 * Microsteps of one step. A Machine that loops for ever in `always` would hang the process and with it every other run; no honest
 * macrostep comes near this.
 */
export const MAX_MICROSTEPS = 10_000;

/** Events that a Machine may send to itself within one step: the same loop by another way. */
export const MAX_SELF_SENDS = 1_000;

// Nodes.

/** After a start nodes have so long to be heard before a lease that ran out meanwhile counts: three heartbeats (TW-NOD-021). */
export const NODE_HEARING_MS = 15_000;

/** A look at a lease that comes so late says that the machine was suspended: nodes are heard first. */
export const LATE_LOOK_MS = 5_000;

/** Probes on their way at once: one more waits for a place, which a slow one frees after 5 s. */
export const PROBES_AT_ONCE = 256;

/** The schemas of a registration are compiled in slices of so many milliseconds. */
export const COMPILE_SLICE_MS = 10;
